//! `fs_list_files`: the files of the workspace, or of some of its directories.
//!
//! ```json
//! {"prefixes": ["crates/jp_cli/src", "docs/rfd/D"], "extensions": ["rs", "md"]}
//! ```
//!
//! ```text
//! <files>
//! crates/jp_cli/src/lib.rs
//! docs/rfd/D25-policy.md
//! </files>
//! ```
//!
//! `.ignore` files keep build output and the like out of a listing, `.gitignore` files do not, and hidden files are
//! listed.
//! A directory or file that is named outright is listed even if it is ignored.
//! What the grants or the `suppress` option withhold is left out, and said in a note if it was asked for by name.

use jp_tool::Tool;
use serde::Deserialize;

use crate::{
    access::OpenWorkspace,
    error::Error,
    invocation::{self, OneOrMany},
    listing::{Listing, list},
    reply::Reply,
    suppress::Suppress,
    text,
};

/// The most files that one answer names.
const MAX_FILES: usize = 5000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    prefixes: Option<OneOrMany>,
    extensions: Option<OneOrMany>,
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let suppress = Suppress::from_options(&tool.options)?;
    let listing = list(
        workspace,
        &suppress,
        arguments.prefixes.as_ref().map(OneOrMany::as_slice),
        arguments.extensions.as_ref().map(OneOrMany::as_slice),
    )?;
    Ok(Reply::Done(render(&listing)))
}

fn render(listing: &Listing) -> String {
    let mut output = if listing.files.is_empty() {
        "No files found.".to_owned()
    } else {
        let mut output = "<files>\n".to_owned();
        for file in listing.files.iter().take(MAX_FILES) {
            output.push_str(&text::visible_line(file.path().as_str()));
            output.push('\n');
        }
        output.push_str("</files>");
        output
    };
    let count = listing.files.len();
    let cut = (count > MAX_FILES).then(|| {
        format!(
            "Showing {MAX_FILES}/{count} files. Narrow the listing with `prefixes` or `extensions`."
        )
    });
    let notes: Vec<_> = listing.notes.iter().chain(&cut).collect();
    if !notes.is_empty() {
        output.push_str("\n<notes>\n");
        for note in notes {
            output.push_str(note);
            output.push('\n');
        }
        output.push_str("</notes>");
    }
    output
}

#[cfg(test)]
#[path = "list_files_tests.rs"]
mod tests;
