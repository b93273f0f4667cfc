//! `run` and `result` of a tool as part of its policy, where rules can join them (RFD D25).

use jp_config::document::{Entry, Node, Span, Table, TableKind};

use super::{Action, Site};

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
    if site
        .view
        .effective(&["conversation", "tools", tool, "policy", key])
        .is_some()
    {
        return None;
    }
    let title = format!("Move `{key}` into `policy.{key}`");
    let policy = site.parent()?.get("policy");
    match policy.map(Entry::value) {
        None => {
            let edit = site.edit(entry.key_span(), format!("policy.{key}"));
            Some(site.rewrite(title, vec![edit]))
        }
        Some(Node::Table(policy)) if policy.kind() == TableKind::Header => {
            let header = own_header(policy)?;
            let line = line_of(site, entry.key_span().start, mode.span().end)?;
            let insertion = format!("{}{key} = {}", site.line_break(), mode.text());
            let end = line_end(site, header)?;
            Some(site.rewrite(
                title,
                vec![
                    site.edit(line, ""),
                    site.edit(Span::new(end, end), insertion),
                ],
            ))
        }
        Some(_) => None,
    }
}

/// The end of the header that begins the table.
fn own_header(table: Table<'_>) -> Option<u32> {
    Some(table.header_span()?.end)
}

/// The end of the line, without its line break.
fn line_end(site: &Site<'_>, from: u32) -> Option<u32> {
    let rest = site.document.text().get(from as usize..)?;
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest.get(..length)?.trim_end_matches('\r');
    Some(from + u32::try_from(line.len()).ok()?)
}

/// The whole line of a statement that shares it with nothing but a comment.
fn line_of(site: &Site<'_>, start: u32, end: u32) -> Option<Span> {
    let text = site.document.text();
    let before = text.get(..start as usize)?;
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(end as usize..)?;
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let is_alone = before.get(first..)?.trim().is_empty() && rest.get(..length)?.trim().is_empty();
    let last = end as usize + length;
    is_alone.then_some(Span::new(
        u32::try_from(first).ok()?,
        u32::try_from(last).ok()?,
    ))
}
