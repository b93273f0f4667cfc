//! How many findings of one file are told.
//!
//! ```text
//! error[unknown-key]: unknown key `a998`, expected one of ...
//! error[unknown-key]: 380,001 more findings in this file: mend those above first
//! ```
//!
//! Nobody reads more, and describing each mistake of a hostile file takes a hundred times the file's size.

use std::collections::HashMap;

use jp_config::validate;

use crate::diagnostic::{Code, Diagnostic, Severity};

/// The most findings of one file; the last one counts the rest.
pub(crate) const MAXIMUM_FINDINGS: usize = 1_000;

/// The most notes of one kind in a file; the last one counts those like it.
///
/// What is true of every tool alike is read once, and a thousand of it would be sent with every key.
const MAXIMUM_ALIKE: usize = 20;

/// Findings that are counted and not told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Omitted {
    count: usize,
    /// The first of the worst among them.
    worst: Option<(Severity, Code)>,
}

/// The findings of a part of a file: some told, the rest counted.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) omitted: Omitted,
}

impl Omitted {
    /// `count` findings, the worst of them as given.
    pub(crate) fn new(count: usize, severity: Severity, code: Code) -> Self {
        Self {
            count,
            worst: (count > 0).then_some((severity, code)),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Counts one more.
    pub(crate) fn note(&mut self, severity: Severity, code: Code) {
        self.add(Self::new(1, severity, code));
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.worst = match (self.worst, other.worst) {
            (Some(own), Some(other)) if other.0 < own.0 => Some(other),
            (None, other) => other,
            (own, _) => own,
        };
    }
}

impl From<Vec<Diagnostic>> for Found {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self {
            findings,
            omitted: Omitted::default(),
        }
    }
}

impl Found {
    /// One finding, told only where there is room.
    pub(crate) fn one(room: usize, finding: Diagnostic) -> Self {
        match room {
            0 => Self {
                omitted: Omitted::new(1, finding.severity, finding.code),
                ..Self::default()
            },
            _ => vec![finding].into(),
        }
    }

    /// Adds a finding, told only where there is room.
    pub(crate) fn push(&mut self, room: usize, finding: Diagnostic) {
        if self.findings.len() < room {
            self.findings.push(finding);
        } else {
            self.omitted.note(finding.severity, finding.code);
        }
    }
}

impl From<validate::Omitted> for Omitted {
    fn from(omitted: validate::Omitted) -> Self {
        Self {
            count: omitted.count,
            worst: omitted
                .worst
                .map(|(severity, code)| (severity.into(), code.into())),
        }
    }
}

/// Ends the sorted findings of a file where there are too many: the last one counts the rest, and is as bad as they are.
pub(crate) fn close(found: &mut Vec<Diagnostic>, mut omitted: Omitted) {
    if found.len() <= MAXIMUM_FINDINGS && omitted.is_empty() {
        return;
    }
    let rest = found.split_off(found.len().min(MAXIMUM_FINDINGS - 1));
    for finding in &rest {
        omitted.note(finding.severity, finding.code);
    }
    let place = rest.first().or(found.last()).map(|finding| finding.place);
    let (Some(place), Some((severity, code))) = (place, omitted.worst) else {
        return;
    };
    let message = match omitted.count {
        1 => "1 more finding in this file: mend those above first".to_owned(),
        count => format!("{count} more findings in this file: mend those above first"),
    };
    found.push(Diagnostic::new(code, place, message).with_severity(severity));
}

/// Leaves out information that a file has many of with the same code, and lets the last one that stays count it.
///
/// Errors and warnings stay: each of them is to be mended.
pub(crate) fn thin(found: &mut Vec<Diagnostic>) {
    let is_note = |finding: &Diagnostic| finding.severity == Severity::Information;
    let mut counts: HashMap<Code, usize> = HashMap::new();
    for finding in found.iter().filter(|finding| is_note(finding)) {
        *counts.entry(finding.code).or_default() += 1;
    }
    counts.retain(|_, count| *count > MAXIMUM_ALIKE);
    if counts.is_empty() {
        return;
    }
    let mut told: HashMap<Code, usize> = HashMap::new();
    found.retain_mut(|finding| {
        let Some(count) = counts.get(&finding.code).filter(|_| is_note(finding)) else {
            return true;
        };
        let told = told.entry(finding.code).or_default();
        *told += 1;
        if *told == MAXIMUM_ALIKE {
            let rest = count - MAXIMUM_ALIKE;
            finding.message = format!("{}; {rest} more like it in this file", finding.message);
        }
        *told <= MAXIMUM_ALIKE
    });
}

#[cfg(test)]
#[path = "limit_tests.rs"]
mod tests;
