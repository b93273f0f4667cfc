//! Findings as a SARIF 2.1.0 log.

use std::collections::BTreeSet;

use jp_analysis::{Code, Severity};
use serde_json::{Value, json};

use super::{Finding, Location, fingerprint::fingerprints};
use crate::published::{REPOSITORY, page_in_report};

/// The name of the fingerprint; another way to make it gets another number.
const FINGERPRINT: &str = "jpLspFinding/v1";

pub(super) fn log(findings: &[Finding]) -> Value {
    let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code)).collect();
    let results: Vec<Value> = findings
        .iter()
        .zip(fingerprints(findings))
        .map(|(finding, fingerprint)| {
            let index = codes.iter().position(|code| *code == finding.code);
            result(finding, index.unwrap_or_default(), &fingerprint)
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "jp-lsp",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": REPOSITORY,
                "rules": rules,
            } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.summary() },
        // GitHub requires both, and shows this one beside a result.
        "fullDescription": { "text": code.summary() },
        "help": { "text": code.page(), "markdown": code.page() },
        "helpUri": page_in_report(code.as_str()),
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn result(finding: &Finding, rule: usize, fingerprint: &str) -> Value {
    let text = match &finding.help {
        Some(help) => format!("{}. {help}", finding.message),
        None => finding.message.clone(),
    };
    let related: Vec<Value> = finding
        .related
        .iter()
        .enumerate()
        .map(|(id, (location, message))| {
            let mut value = physical(location);
            if let Value::Object(map) = &mut value {
                map.insert("id".to_owned(), json!(id));
                map.insert("message".to_owned(), json!({ "text": message }));
            }
            value
        })
        .collect();
    json!({
        "ruleId": finding.code.as_str(),
        "ruleIndex": rule,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [physical(&finding.location)],
        "relatedLocations": related,
        "partialFingerprints": { FINGERPRINT: fingerprint },
    })
}

fn physical(location: &Location) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(location.path.as_str()) },
        "region": {
            "startLine": location.start.line + 1,
            "startColumn": location.start.character + 1,
            "endLine": location.end.line + 1,
            "endColumn": location.end.character + 1,
        },
    } })
}

/// A path as a relative reference, or as a file URL where it is absolute.
pub(in crate::cli) fn uri(path: &str) -> String {
    if let Ok(url) = url::Url::from_file_path(path) {
        // A browser takes these as they are, and a URI does not have them.
        let url = url.as_str().chars().map(|character| match character {
            '[' | ']' | '^' | '|' => format!("%{:02X}", u32::from(character)),
            other => other.to_string(),
        });
        return url.collect();
    }
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let segments: Vec<String> = path.split('/').map(encoded).collect();
    segments.join("/")
}

/// One name of a path, percent-encoded; what stands before the first colon would be a scheme.
fn encoded(name: &str) -> String {
    let encoded = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ if b"-._~!$&'()*+,;=@".contains(&byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}
