//! The name of exactly what is approved.
//!
//! ```text
//! {"call":"call_1","conversation":"17636666521","kind":"run","source":"local","subject":{..},"tool":"grep"} -> 9f2c…
//! ```

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{PromptRequest, PromptSubject};

/// The SHA-256 of the canonical JSON of everything that an approval covers, in hexadecimal.
///
/// Two requests have the same digest exactly when they ask the same thing of the same tool call.
#[must_use]
pub fn digest(request: &PromptRequest) -> String {
    let subject = match &request.subject {
        PromptSubject::Run {
            arguments,
            argv,
            rendered,
        } => json!({"arguments": arguments, "argv": argv, "rendered": rendered}),
        PromptSubject::Edit { arguments } => json!({"arguments": arguments}),
        PromptSubject::Result {
            content,
            is_error,
            edit,
        } => json!({"content": content, "is_error": is_error, "edit": edit}),
        PromptSubject::Question { question, .. } => json!({"question": question}),
        PromptSubject::Delta(delta) => json!({"delta": delta}),
        PromptSubject::Grant(grant) => json!({"grant": grant}),
        PromptSubject::Consent(consent) => json!({"consent": consent}),
    };
    let mut approved = json!({
        "conversation": request.conversation.to_string(),
        "tool": request.tool.name,
        "source": request.tool.source,
        "call": request.tool.call_id,
        "kind": request.subject.kind(),
        "subject": subject,
    });
    if let (Some(note), Value::Object(approved)) = (&request.note, &mut approved) {
        approved.insert("note".to_owned(), note.text.as_str().into());
    }
    let mut canonical = String::new();
    write_canonical(&approved, &mut canonical);
    let hash = Sha256::digest(canonical.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes JSON without blanks, with the keys of every object in the order of their bytes.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (position, (key, value)) in entries.into_iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (position, element) in elements.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_canonical(element, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
