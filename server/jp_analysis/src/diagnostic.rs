//! Findings, and the codes under which they are known.
//!
//! ```text
//! error[rule-shadowed]: this rule is never reached: rule 1 already decides every call that it matches
//! ```

mod code;
mod origin;

use jp_config::refusal::Subject;

pub use self::code::Code;
use crate::fix::Fix;
pub use crate::place::Place;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The config does not do what it says, or does not load.
    Error,
    /// The config probably does not do what its author means.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion.
    Hint,
}

impl Severity {
    /// The word for the severity in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// Another place that a finding talks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub place: Place,
    /// What stands there.
    pub message: String,
}

/// How an editor may show the span of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Faded: it has no effect.
    Unnecessary,
    /// Struck through: something else is to be written.
    Deprecated,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is at fault.
    pub place: Place,
    /// What is wrong: lower case, user text in backticks, no final period.
    pub message: String,
    /// What to write instead, where the message does not say it.
    pub help: Option<String>,
    /// Other places that it talks about.
    pub related: Vec<Related>,
    /// How the span may be shown.
    pub tag: Option<Tag>,
    /// The changes that answer it.
    pub fixes: Vec<Fix>,
    /// What it is about, if that is a tool and not only what one file says.
    pub subject: Option<Box<Subject>>,
}

impl Diagnostic {
    /// A finding with the code's own severity.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            place,
            message: message.into(),
            help: None,
            related: Vec::new(),
            tag: None,
            fixes: Vec::new(),
            subject: None,
        }
    }

    /// The same finding, about a tool or a rule of it.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Self {
        self.subject = Some(Box::new(subject));
        self
    }

    /// The same finding with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same finding with a word on what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with another place that it talks about.
    #[must_use]
    pub fn with_related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related.push(Related {
            place,
            message: message.into(),
        });
        self
    }

    /// The same finding with a tag.
    #[must_use]
    pub fn with_tag(mut self, tag: Tag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// The same finding with a change that answers it.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// The same finding with changes that answer it, of which a person picks one.
    #[must_use]
    pub fn with_fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    /// Calls `visit` with every place that the finding mentions, always in the same order.
    pub fn visit_places(&mut self, visit: &mut dyn FnMut(&mut Place)) {
        visit(&mut self.place);
        for related in &mut self.related {
            visit(&mut related.place);
        }
        for fix in &mut self.fixes {
            for edit in &mut fix.edits {
                visit(&mut edit.place);
            }
        }
    }
}
