//! `invalid-value`: ids of questions that the next `jp` refuses.
//!
//! ```toml
//! [conversation.tools.edit.questions."apply.all"]   # write `apply_all`
//! target = "user"
//! ```
//!
//! codes: invalid-value

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    let questions = context.tool.get("questions");
    let Some(questions) = questions.and_then(|questions| questions.value.as_table()) else {
        return;
    };
    for (id, question) in questions {
        let message = if id.is_empty() {
            "the id of a question is empty, which the next `jp` refuses; write the id that the tool asks with".to_owned()
        } else if id.contains('.') {
            let other = id.replace('.', "_");
            format!(
                "the id `{id}` of a question holds a `.`, which the next `jp` refuses; ask and answer it as `{other}`"
            )
        } else {
            continue;
        };
        found.extend(context.key_place(question).map(|place| {
            Diagnostic::new(Code::InvalidValue, place, message).with_severity(Severity::Warning)
        }));
    }
}
