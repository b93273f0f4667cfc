//! The required keys that a table lacks, with values to change.

use jp_config::document::Span;

use super::{
    action::{Action, ActionKind},
    site::Site,
};
use crate::completion;

pub(super) fn action(site: &Site<'_>, diagnostic: Option<usize>) -> Option<Action> {
    let missing = completion::missing_entries(
        site.view,
        site.file,
        site.document,
        site.range.start as usize,
        site.options,
    )?;
    let names: Vec<String> = missing.keys.iter().map(|key| format!("`{key}`")).collect();
    let at = Span::new(missing.at, missing.at);
    let mut action = site.rewrite(
        format!("Add the required {}", names.join(" and ")),
        vec![site.edit(at, missing.text)],
    );
    if diagnostic.is_some() {
        action.kind = ActionKind::QuickFix;
        action.diagnostic = diagnostic;
    }
    Some(action)
}
