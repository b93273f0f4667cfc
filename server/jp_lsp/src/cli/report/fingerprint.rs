//! What tells a finding from others, also when it has moved to another line.

use std::{collections::HashMap, fmt::Write as _};

use sha2::{Digest as _, Sha256};

use super::Finding;

/// How many bytes of the digest are told.
const LENGTH: usize = 16;

/// A fingerprint for each finding: of its code, file and message, and of how many such stand before it.
pub(super) fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut seen: HashMap<(&str, &str, &str), usize> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let path = finding.location.path.as_str();
            let key = (finding.code.as_str(), path, finding.message.as_str());
            let before = seen.entry(key).or_default();
            let mut digest = Sha256::new();
            for part in [key.0, key.1, key.2, &before.to_string()] {
                digest.update(part.as_bytes());
                digest.update([0]);
            }
            *before += 1;
            let digest = digest.finalize();
            digest
                .iter()
                .take(LENGTH)
                .fold(String::new(), |mut hex, byte| {
                    // A string takes everything.
                    let _ = write!(hex, "{byte:02x}");
                    hex
                })
        })
        .collect()
}
