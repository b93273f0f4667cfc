//! What `.ignore` files leave out of a listing.
//!
//! ```text
//! .ignore          docs/dist/
//! docs/.ignore     !dist/keep.txt      what stands deeper decides first
//! ```
//!
//! The files are read through the handle of their directory: no link is followed, nothing but a regular file is opened,
//! and neither a huge one nor many of them take the tool's memory.

use std::{io, rc::Rc};

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::tree::Tree;

/// The name of such a file.
const NAME: &str = ".ignore";
/// The largest one that is applied.
const MAX_BYTES: u64 = 1024 * 1024;
/// The most lines of one that is applied.
const MAX_LINES: usize = 10_000;

/// The rules that hold in a directory: its own, and those of the directories above it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ignored(Option<Rc<Level>>);

#[derive(Debug)]
struct Level {
    directory: Utf8PathBuf,
    rules: Gitignore,
    above: Ignored,
}

impl Ignored {
    /// The rules below `directory`, whose handle is `tree`, and the file that could not be applied, if there is one.
    pub(crate) fn below(&self, directory: &Utf8Path, tree: &Tree) -> (Self, Option<Utf8PathBuf>) {
        match read(tree) {
            Ok(None) => (self.clone(), None),
            Ok(Some(rules)) => {
                let level = Level {
                    directory: directory.to_owned(),
                    rules,
                    above: self.clone(),
                };
                (Self(Some(Rc::new(level))), None)
            }
            Err(_) => (self.clone(), Some(directory.join(NAME))),
        }
    }

    /// Whether an entry below is left out; what it lies in is not looked at.
    pub(crate) fn hides(&self, path: &Utf8Path, is_directory: bool) -> bool {
        let mut rules = self;
        while let Some(level) = &rules.0 {
            let inner = path.strip_prefix(&level.directory).unwrap_or(path);
            match level.rules.matched(inner, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => rules = &level.above,
            }
        }
        false
    }
}

/// The rules of one directory; none if it has no file for them.
fn read(tree: &Tree) -> io::Result<Option<Gitignore>> {
    let place = tree.place(Utf8Path::new(NAME))?;
    if place.kind()?.is_none() {
        return Ok(None);
    }
    let (bytes, _) = place.read(MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.lines().nth(MAX_LINES).is_some() {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut builder = GitignoreBuilder::new("");
    for line in text.lines() {
        // A line that is no pattern hides nothing, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().map(Some).map_err(io::Error::other)
}
