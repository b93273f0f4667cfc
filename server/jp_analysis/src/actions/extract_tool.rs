//! The tables of a tool in a file of their own.
//!
//! ```toml
//! extends = ["tools/*.toml"]
//! [conversation.tools.grep] # "Move the tool to `.jp/tools/grep.toml`"
//! ```
//!
//! Offered only where the merge gives the same tools, wherever among what the file builds on the new one comes to stand.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    content::{Content, ContentFormat},
    document::{Place as At, SectionRef, Span},
    graph::{Extends, FileId, Graph, LoaderKeys},
    paths::normalize,
    view::{View, value_at},
};
use serde_json::Value;

use super::{
    action::{Action, NewFile},
    site::Site,
};
use crate::{
    Edit,
    text::{
        list_edit::ListText,
        text_edit::{comments_above, section_ranges},
        toml_text,
    },
    tool::{DEFAULTS, TOOLS},
};

/// The folder for tools where no glob names another.
const FOLDER: &str = ".jp/tools";

/// Moves the tool whose header is at the place.
pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let At::Header { .. } = site.position.place else {
        return None;
    };
    let keys = site.keys()?;
    let [first, second, tool] = keys.as_slice() else {
        return None;
    };
    if [*first, *second] != TOOLS || !is_file_name(tool) {
        return None;
    }
    let graph = site.view.graph();
    let own = LoaderKeys::of(graph.content(site.file)?).extends;
    let Target { path, entry } = target(site, &own, tool)?;
    let shown = path.strip_prefix(&graph.workspace).ok()?.to_owned();
    if graph.file_at(&path).is_some() || is_loaded_elsewhere(site, &path) {
        return None;
    }
    let (text, mut edits) = moved(site, &keys)?;
    if !is_same(site, &keys, &edits, &path, &text) {
        return None;
    }
    for edit in entry
        .iter()
        .map(|entry| extended(site, entry))
        .collect::<Option<Vec<_>>>()?
        .concat()
    {
        // What begins where a table goes takes its place.
        match edits
            .iter_mut()
            .find(|other| other.place.span.start == edit.place.span.start)
        {
            Some(other) if edit.place.span.is_empty() => other.text = edit.text,
            _ => edits.push(edit),
        }
    }
    Some(Action {
        creates: Some(NewFile { path, text }),
        ..site.rewrite(format!("Move the tool to `{shown}`"), edits)
    })
}

/// Whether a name is one that every system and every menu takes for a file as it is.
fn is_file_name(tool: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    tool != DEFAULTS && !tool.is_empty() && tool.len() <= 64 && tool.chars().all(is_plain)
}

/// Where a tool goes.
struct Target {
    path: Utf8PathBuf,
    /// What `extends` has to name for it; none where a glob covers it.
    entry: Option<String>,
}

fn target(site: &Site<'_>, own: &[Extends], tool: &str) -> Option<Target> {
    let graph = site.view.graph();
    let folder = graph.path(site.file).parent()?;
    let name = format!("{tool}.toml");
    let covering = own.iter().filter(|entry| !entry.after).find_map(|entry| {
        let folder = entry.path.strip_suffix("/*.toml")?;
        let folder = folder.strip_suffix("/**").unwrap_or(folder);
        (!folder.contains(['*', '?', '[', ']'])).then_some(folder)
    });
    if let Some(covering) = covering {
        let path = normalize(&folder.join(covering).join(name));
        return path
            .starts_with(&graph.workspace)
            .then_some(Target { path, entry: None });
    }
    let path = graph.workspace.join(FOLDER).join(name);
    let entry = path.strip_prefix(folder).ok()?.to_string();
    Some(Target {
        path,
        entry: Some(entry),
    })
}

/// Whether a glob of another file may bring the new one in as well.
fn is_loaded_elsewhere(site: &Site<'_>, path: &Utf8Path) -> bool {
    let graph = site.view.graph();
    let own = graph.path(site.file);
    graph.files.iter().any(|file| {
        let keys = file.content.as_ref().map(|content| LoaderKeys::of(content));
        let folder = file.path.parent().unwrap_or(Utf8Path::new(""));
        let globs = keys.map(|keys| keys.extends).unwrap_or_default();
        let reaching = globs.into_iter().filter(|entry| {
            let literal = entry.path.split(['*', '?', '[']).next().unwrap_or_default();
            let start = literal.rsplit_once('/').map_or("", |(start, _)| start);
            literal.len() < entry.path.len() && path.starts_with(normalize(&folder.join(start)))
        });
        // What the file itself has is the glob that covers the new one.
        reaching.count() > usize::from(file.path == own)
    })
}

/// The text of the new file, and what takes it out of this one.
fn moved(site: &Site<'_>, keys: &[&str]) -> Option<(String, Vec<Edit>)> {
    let line_break = site.line_break();
    let mut parts: Vec<&str> = Vec::new();
    let mut edits = Vec::new();
    for section in site.document.sections() {
        if !begins_with(section, keys) {
            continue;
        }
        if site.is_broken(section.span()) {
            return None;
        }
        let (statements, whole) = section_ranges(site.document, section)?;
        let start = comments_above(site.document, statements.start);
        parts.push(site.document.text().get(start..statements.end)?);
        let removed = Span::new(u32::try_from(start).ok()?, u32::try_from(whole.end).ok()?);
        edits.push(site.edit(removed, ""));
    }
    let text = parts.join(&line_break.repeat(2));
    Some((format!("{text}{line_break}"), edits))
}

fn begins_with(section: SectionRef<'_>, keys: &[&str]) -> bool {
    let header = section.header();
    header.len() >= keys.len()
        && keys
            .iter()
            .zip(&header)
            .all(|(key, own)| *key == own.text())
}

/// Whether the merge gives the same tools with the new file, at both ends of where it may come to stand.
fn is_same(site: &Site<'_>, keys: &[&str], edits: &[Edit], path: &Utf8Path, text: &str) -> bool {
    let mut left = site.document.text().to_owned();
    for edit in edits.iter().rev() {
        left.replace_range(edit.place.span.range(), &edit.text);
    }
    let left = Arc::new(Content::parse(ContentFormat::Toml, &left));
    // A part of the tool that stands elsewhere in the file would stay behind.
    if value_at(&left, keys).is_some() {
        return false;
    }
    let graph = site.view.graph();
    let moved = Arc::new(Content::parse(ContentFormat::Toml, text));
    let before = tools(graph, site.file);
    [false, true].into_iter().all(|is_lowest| {
        let graph = graph
            .with_content(site.file, Arc::clone(&left))
            .with_file_below(site.file, is_lowest, path.to_owned(), Arc::clone(&moved));
        tools(&Arc::new(graph), site.file) == before
    })
}

/// The tools of a workspace, and those with each of its fragments that the file is a part of.
fn tools(graph: &Arc<Graph>, file: FileId) -> Vec<Option<Value>> {
    let fragments = graph.fragments.iter().enumerate();
    let own = fragments.filter(|(_, it)| it.layers.iter().any(|layer| layer.file == file));
    let own = own.map(|(index, _)| View::with_fragment(graph.clone(), index));
    let views = std::iter::once(View::new(graph.clone())).chain(own);
    views
        .map(|view| view.effective(&TOOLS).map(|tools| tools.to_json()))
        .collect()
}

/// Names a file in `extends`.
fn extended(site: &Site<'_>, path: &str) -> Option<Vec<Edit>> {
    let entry = toml_text::string(path);
    let graph = site.view.graph();
    if value_at(graph.content(site.file)?, &["extends"]).is_some() {
        let list = ListText::of_layer(site.view, site.file, &["extends"])?;
        return list.append_values(&[entry]);
    }
    let line_break = site.line_break();
    let at = u32::try_from(start_of_statements(site.document.text())).ok()?;
    let text = format!("extends = [{entry}]{line_break}{line_break}");
    Some(vec![site.edit(Span::new(at, at), text)])
}

/// Behind the comments at the head of a file, unless they belong to what follows them.
fn start_of_statements(text: &str) -> usize {
    let mut start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut offset = start;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            break;
        }
        offset += line.len();
        if content.is_empty() || content.starts_with("#:") {
            start = offset;
        }
    }
    start
}
