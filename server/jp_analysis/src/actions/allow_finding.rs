//! A finding that stays as it is gets a comment that says so.
//!
//! ```toml
//! # jp-lsp: allow(command-template)
//! command = "make {{tool}}"
//! ```

use super::{
    action::{Action, ActionKind},
    site::Site,
};
use crate::{
    Code, Diagnostic, Severity, allow,
    text::text_edit::{edit, line_break},
};

/// The comment that allows a finding; none for an error, which no comment allows, and for a comment itself.
pub(super) fn action(site: &Site<'_>, index: usize, diagnostic: &Diagnostic) -> Option<Action> {
    let is_open = diagnostic.severity != Severity::Error && diagnostic.code != Code::AllowUnused;
    // Where the text is broken, what a comment holds for is anyone's guess.
    if !is_open || site.document.error_count() > 0 {
        return None;
    }
    let (line, indent) = allow::site(site.document, diagnostic.place.span)?;
    let code = diagnostic.code;
    let end = line_break(site.document.text());
    let comment = format!("{indent}# jp-lsp: allow({code}){end}");
    Some(Action {
        title: format!("Allow `{code}` here"),
        kind: ActionKind::QuickFix,
        preferred: false,
        diagnostic: Some(index),
        edits: vec![edit(site.file, line..line, comment)],
        creates: None,
        disabled: None,
    })
}
