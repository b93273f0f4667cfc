//! `jp-lsp check --fix`: the preferred fixes, applied until none is left.
//!
//! ```text
//! mended 2 problems in .jp/config.toml
//! ```
//!
//! Only files of the workspace are written; a fix that grants more than before is never preferred.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{Edit, actions::fix_preferred};
use jp_config::graph::{FileId, Graph};

use super::{CheckError, Question};

/// How often the fixes of one file may make room for further ones; fixes that undo one another would go on for ever.
const ROUNDS: usize = 50;

/// Texts by file, and how many problems were mended for them.
type Change = (BTreeMap<Utf8PathBuf, String>, usize);

/// Applies the preferred fixes of what is asked for; `mended` counts them by the file that the problems were in.
///
/// # Errors
///
/// A file cannot be written; what was written before stays.
pub(super) fn apply(
    question: &Question<'_>,
    mended: &mut BTreeMap<Utf8PathBuf, usize>,
) -> Result<(), CheckError> {
    let mut rounds: BTreeMap<Utf8PathBuf, usize> = BTreeMap::new();
    loop {
        let analysis = question.analysis();
        let graph = analysis.graph();
        let mut files = analysis.all_diagnostics().map(|(file, _)| file);
        let next = files.find_map(|file| {
            let is_told = |finding: &_| question.severities.of(finding).is_some();
            let before = rounds.get(graph.path(file)).copied().unwrap_or_default();
            let wanted = question.wants(graph, file) && before < ROUNDS;
            let (edits, count) = wanted.then(|| fix_preferred(&analysis, file, is_told))??;
            let change = change(question.workspace, graph, &edits)?;
            Some((file, (change, count)))
        });
        let Some((file, (texts, count))): Option<(FileId, Change)> = next else {
            return Ok(());
        };
        for (path, text) in texts {
            replace(&path, &text).map_err(|problem| CheckError::Fix { path, problem })?;
        }
        let path = graph.path(file).to_owned();
        *rounds.entry(path.clone()).or_default() += 1;
        *mended.entry(path).or_default() += count;
    }
}

/// The texts after some edits; none where one of them is not the workspace's own, or is not as it was read.
fn change(
    workspace: &Utf8Path,
    graph: &Graph,
    edits: &[Edit],
) -> Option<BTreeMap<Utf8PathBuf, String>> {
    let workspace = workspace.canonicalize_utf8().ok()?;
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| std::cmp::Reverse(edit.place));
    let mut texts: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    for edit in sorted {
        let path = graph.path(edit.place.file);
        if !texts.contains_key(path) {
            let real = path.canonicalize_utf8().ok()?;
            let read = graph
                .content(edit.place.file)?
                .document()?
                .text()
                .to_owned();
            let is_same = fs::read_to_string(path).is_ok_and(|text| text == read);
            if !real.starts_with(&workspace) || !is_same {
                return None;
            }
            texts.insert(path.to_owned(), read);
        }
        let text = texts.get_mut(path)?;
        let range = edit.place.span.range();
        text.get(range.clone())?;
        text.replace_range(range, &edit.text);
    }
    Some(texts)
}

/// Puts a text in place of a file's, whole or not at all; behind a link the file that it leads to.
///
/// Permissions stay, and so does the owner where the system lets it.
fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize_utf8()?;
    // A file that may not be written is not replaced either.
    let before = fs::OpenOptions::new().write(true).open(&path)?.metadata()?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .tempfile_in(path.parent().unwrap_or(&path))?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let _ = fchown(file.as_file(), Some(before.uid()), Some(before.gid()));
    }
    file.as_file().set_permissions(before.permissions())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}
