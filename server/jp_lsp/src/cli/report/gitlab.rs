//! Findings as GitLab's report on code quality.
//!
//! ```json
//! [{"description": "unknown key `summery`", "check_name": "unknown-key", "fingerprint": "5f3a…", "severity": "major",
//!   "location": {"path": ".jp/config.toml", "lines": {"begin": 4, "end": 4}}}]
//! ```

use jp_analysis::Severity;
use serde_json::{Value, json};

use super::{Finding, fingerprint::fingerprints};

pub(super) fn report(findings: &[Finding]) -> Value {
    let fingerprints = fingerprints(findings);
    let findings = findings.iter().zip(fingerprints);
    let findings = findings.map(|(finding, fingerprint)| {
        let location = &finding.location;
        json!({
            "description": finding.text(),
            "check_name": finding.code.as_str(),
            "fingerprint": fingerprint,
            "severity": severity(finding.severity),
            "location": {
                "path": location.path,
                "lines": { "begin": location.start.line + 1, "end": location.end.line + 1 },
            },
        })
    });
    findings.collect()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Information | Severity::Hint => "info",
    }
}
