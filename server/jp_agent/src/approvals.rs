//! Where rules with `external = true` may lead, as a person has approved it.
//!
//! The file is `approvals.json` in the user's data directory for the workspace, the one that `jp` keeps:
//!
//! ```json
//! {"mounts": [{"rule_path": "shared", "canonical_target": "/home/me/shared", "approved_at": "2026-01-02T03:04:05Z"}]}
//! ```
//!
//! It lies outside the workspace, since what comes with a repository must not approve itself, and is only read here.

use std::fs;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::ApprovedTargets;
use serde::Deserialize;

use crate::error::AgentError;

/// The largest file that is read, in bytes.
const MAXIMUM_SIZE: u64 = 1 << 20;

#[derive(Deserialize)]
struct Approvals {
    #[serde(default)]
    mounts: Vec<Mount>,
}

#[derive(Deserialize)]
struct Mount {
    rule_path: Utf8PathBuf,
    canonical_target: Utf8PathBuf,
}

/// Reads the approvals in `file`; without a file, or without a path to it, nothing is approved.
///
/// Of two entries for one path the first counts, as it does for `jp`.
///
/// # Errors
///
/// [`AgentError::Approvals`] for a file that cannot be read; nothing is approved then.
pub fn approved_targets(file: Option<&Utf8Path>) -> Result<ApprovedTargets, AgentError> {
    let Some(file) = file else {
        return Ok(ApprovedTargets::new());
    };
    let unusable = |problem: String| AgentError::Approvals {
        file: file.to_owned(),
        problem,
    };
    match fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ApprovedTargets::new()),
        Err(error) => return Err(unusable(error.to_string())),
        Ok(metadata) if !metadata.is_file() => return Err(unusable("it is no file".to_owned())),
        Ok(metadata) if metadata.len() > MAXIMUM_SIZE => {
            return Err(unusable(format!("it has more than {MAXIMUM_SIZE} bytes")));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
    let approvals: Approvals =
        serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    let mut targets = ApprovedTargets::new();
    for Mount {
        rule_path,
        canonical_target,
    } in approvals.mounts
    {
        targets.entry(rule_path).or_insert(canonical_target);
    }
    Ok(targets)
}

#[cfg(test)]
#[path = "approvals_tests.rs"]
mod tests;
