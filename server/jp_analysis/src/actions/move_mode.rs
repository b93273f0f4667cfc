//! `run` and `result` of a tool as part of its policy, where rules can join them (RFD D25).
//!
//! ```toml
//! run = "ask" # becomes `policy.run = "ask"`, or an entry of the table `policy` that is there
//! ```

use jp_config::{
    document::{Entry, Node, Span, Table, TableKind},
    graph::FileId,
    view::value_at,
};

use super::{action::Action, site::Site};
use crate::{
    Edit,
    text::text_edit::{line_start, remove_statement, span},
};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let keys = site.keys()?;
    let ["conversation", "tools", tool, key @ ("run" | "result")] = *keys.as_slice() else {
        return None;
    };
    let entry = site.entry()?;
    let Node::Str(mode) = entry.value() else {
        return None;
    };
    // Some layer's policy decides already, so moving the mode would change what does.
    let policy = ["conversation", "tools", tool, "policy", key];
    if site.view.effective(&policy).is_some() {
        return None;
    }
    let title = format!("Move `{key}` into `policy.{key}`");
    if let Some(other) = overruled(site, &["conversation", "tools", tool, key]) {
        let graph = site.view.graph();
        let path = graph.path(other);
        let path = path.strip_prefix(&graph.workspace).unwrap_or(path);
        let reason = format!("`{path}` sets `{key}` over this file, and would do so no more");
        return Some(site.refusal(title, reason));
    }
    let entry_text = format!("{key} = {}", mode.text());
    let policy = site.parent()?.get("policy").map(Entry::value);
    let edits = match policy {
        None => vec![site.edit(entry.key_span(), format!("policy.{key}"))],
        Some(Node::Table(policy)) => match policy.kind() {
            TableKind::Dotted => vec![site.edit(entry.key_span(), format!("policy.{key}"))],
            TableKind::Header => below_header(site, entry, policy, &entry_text)?,
            TableKind::Inline => in_braces(site, entry, policy, &entry_text)?,
            _ => return None,
        },
        Some(_) => return None,
    };
    Some(site.rewrite(title, edits))
}

/// A file that sets a key over this one, in this view or in that of a fragment.
fn overruled(site: &Site<'_>, path: &[&str]) -> Option<FileId> {
    let layers = site.view.layers().iter();
    let below: Vec<FileId> = layers
        .map(|layer| layer.file)
        .take_while(|file| *file != site.file)
        .collect();
    let files = site.view.graph().files.iter().enumerate();
    files
        .filter_map(|(index, file)| {
            let sets = value_at(file.content.as_ref()?, path).is_some();
            let id = FileId(u32::try_from(index).ok()?);
            (sets && id != site.file && !below.contains(&id)).then_some(id)
        })
        .next()
}

/// The mode as the first entry of `[….policy]`, with its comment.
fn below_header(
    site: &Site<'_>,
    entry: Entry<'_>,
    policy: Table<'_>,
    text: &str,
) -> Option<Vec<Edit>> {
    let header = policy.header_span()?.end;
    let (line, comment) = line_of(site, statement(site, entry)?)?;
    let rest = site.document.text().get(header as usize..)?;
    let first = rest.split('\n').next()?.trim_end_matches('\r');
    let at = header + u32::try_from(first.len()).ok()?;
    let space = if comment.is_empty() { "" } else { " " };
    let added = format!("{}{text}{space}{comment}", site.line_break());
    Some(vec![
        site.edit(line, ""),
        site.edit(Span::new(at, at), added),
    ])
}

/// The mode as the first entry of `policy = { … }`; its comment stays where it is.
fn in_braces(
    site: &Site<'_>,
    entry: Entry<'_>,
    policy: Table<'_>,
    text: &str,
) -> Option<Vec<Edit>> {
    let statement = statement(site, entry)?;
    let at = policy.span().start + 1;
    let separator = if policy.is_empty() { " " } else { "," };
    let removed = match line_of(site, statement) {
        Some((_, comment)) if !comment.is_empty() => {
            let rest = site.document.text().get(statement.end as usize..)?;
            let blank = rest.len() - rest.trim_start().len();
            let end = statement.end + u32::try_from(blank).ok()?;
            site.edit(Span::new(statement.start, end), "")
        }
        _ => remove_statement(site.document, site.file, statement)?,
    };
    let added = site.edit(Span::new(at, at), format!(" {text}{separator}"));
    Some(vec![removed, added])
}

/// The key, with all its segments, and the value.
fn statement(site: &Site<'_>, entry: Entry<'_>) -> Option<Span> {
    let position = site.document.at(entry.key_span().start as usize);
    Some(position.statement?.span)
}

/// The whole line of a statement that shares it with nothing but a comment, and that comment.
fn line_of<'a>(site: &Site<'a>, statement: Span) -> Option<(Span, &'a str)> {
    let text = site.document.text();
    let (start, end) = (statement.start as usize, statement.end as usize);
    let first = line_start(text, start);
    let rest = text.get(end..)?;
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let comment = rest.get(..length)?.trim();
    let is_alone = text.get(first..start)?.trim().is_empty()
        && (comment.is_empty() || comment.starts_with('#'));
    is_alone.then(|| (span(first..end + length), comment))
}
