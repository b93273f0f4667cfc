//! When a change is large or blind enough that somebody has to look at it.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! options.apply_changes_trigger = "heuristics"       # or "always", the default
//! options.auto_approve_max_changed_files = 2
//! options.auto_approve_max_changed_lines = 10
//! options.auto_approve_max_changed_ratio_percent = 20
//! ```

use serde_json::{Map, Value};

use crate::error::Error;

/// Files with fewer lines are never called broadly changed.
const MIN_LINES_FOR_BROAD: usize = 10;

/// How much of a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The lines of the file before the change.
    pub(super) lines_before: usize,
    /// The lines taken away.
    pub(super) removed: usize,
    /// The lines put in.
    pub(super) inserted: usize,
}

impl Extent {
    /// Whether more than half of the lines of a file of some size change.
    pub(super) fn is_broad(self) -> bool {
        self.lines_before >= MIN_LINES_FOR_BROAD
            && self.removed.saturating_mul(2) > self.lines_before
    }

    fn changed(self) -> usize {
        self.removed.max(self.inserted)
    }

    fn exceeds_percent(self, percent: u64) -> bool {
        let changed = as_u64(self.changed()).saturating_mul(100);
        changed > as_u64(self.lines_before).saturating_mul(percent)
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Whether a regular expression matches any text at all, so that it says nothing about what it replaces.
///
/// Anchors, groups, flags and laziness do not make it any more telling.
pub(super) fn is_catch_all(pattern: &str) -> bool {
    const ANYTHING: [&str; 7] = [
        ".", r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]",
    ];
    let mut core = pattern;
    loop {
        let before = core;
        for prefix in ["^", r"\A", "(?s)", "(?m)", "(?i)", "(?sm)", "(?ms)"] {
            core = core.strip_prefix(prefix).unwrap_or(core);
        }
        for suffix in ["$", r"\z", r"\Z", r"\n", r"\n?"] {
            core = core.strip_suffix(suffix).unwrap_or(core);
        }
        for opening in ["(?:", "(?s:", "("] {
            core = core
                .strip_prefix(opening)
                .and_then(|rest| rest.strip_suffix(')'))
                .unwrap_or(core);
        }
        if core == before {
            break;
        }
    }
    let core = core
        .strip_suffix(['?', '+'])
        .filter(|rest| rest.ends_with(['*', '+']))
        .unwrap_or(core);
    core.strip_suffix(['*', '+'])
        .is_some_and(|unit| ANYTHING.contains(&unit))
}

/// When the question `apply_changes` is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// For every change.
    Always,
    /// For a change above any of these limits.
    Heuristics {
        /// Files that may change without a question.
        max_files: u64,
        /// Lines that may change, over all files.
        max_lines: u64,
        /// The share of a file's lines that may change.
        max_percent: u64,
    },
}

impl Trigger {
    /// Reads the options; `always` by default.
    pub(super) fn from_options(options: &Map<String, Value>) -> Result<Self, Error> {
        // Read even where they have no effect, so that a mistake in them shows at once.
        let heuristics = Self::Heuristics {
            max_files: limit(options, "auto_approve_max_changed_files", 2)?,
            max_lines: limit(options, "auto_approve_max_changed_lines", 10)?,
            max_percent: limit(options, "auto_approve_max_changed_ratio_percent", 20)?,
        };
        match options.get("apply_changes_trigger") {
            None | Some(Value::Null) => Ok(Self::Always),
            Some(Value::String(trigger)) if trigger == "always" => Ok(Self::Always),
            Some(Value::String(trigger)) if trigger == "heuristics" => Ok(heuristics),
            Some(_) => Err(Error::Option {
                name: "apply_changes_trigger".to_owned(),
                problem: "write `\"always\"` or `\"heuristics\"`".to_owned(),
            }),
        }
    }

    /// Whether these changes call for the question.
    pub(super) fn applies(self, extents: impl Iterator<Item = Extent>) -> bool {
        let Self::Heuristics {
            max_files,
            max_lines,
            max_percent,
        } = self
        else {
            return true;
        };
        let mut files = 0_u64;
        let mut lines = 0_u64;
        let mut is_large_share = false;
        for extent in extents {
            files = files.saturating_add(1);
            lines = lines.saturating_add(as_u64(extent.changed()));
            is_large_share |= extent.exceeds_percent(max_percent);
        }
        files > max_files || lines > max_lines || is_large_share
    }
}

fn limit(options: &Map<String, Value>, name: &str, default: u64) -> Result<u64, Error> {
    match options.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => value.as_u64().ok_or_else(|| Error::Option {
            name: name.to_owned(),
            problem: "write a whole number, 0 or larger".to_owned(),
        }),
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
