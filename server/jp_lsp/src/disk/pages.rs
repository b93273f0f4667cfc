//! The pages of the diagnostics as files, for editors to open while there is no public site.
//!
//! ```text
//! <data>/pages/0.1.0-5f3a1c2e9b7d4860/rule-shadowed.md
//! ```
//!
//! They come out of the binary, so they say what this version of it does.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::Code;

use super::data::{data_directory, write_whole};

/// The page of the one diagnostic that is no finding: a prompt that waits.
pub(crate) const PENDING_PROMPT: (&str, &str) = (
    "pending-prompt",
    include_str!("../../../../docs/diagnostics/pending-prompt.md"),
);

/// The list of all pages, which is written last.
const CONTENTS: (&str, &str) = (
    "README",
    include_str!("../../../../docs/diagnostics/README.md"),
);

/// The names of the pages and their texts.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let codes = Code::ALL.iter().map(|code| (code.as_str(), code.page()));
    codes.chain([PENDING_PROMPT, CONTENTS])
}

/// The file of a page; none where this machine names no folder for data.
///
/// It is there once [`write`] has been called.
pub(crate) fn file(name: &str) -> Option<Utf8PathBuf> {
    Some(folder()?.join(format!("{name}.md")))
}

/// Writes the pages, unless they are there.
///
/// # Errors
///
/// What the system says.
pub(crate) fn write() -> std::io::Result<()> {
    let Some(folder) = folder() else {
        return Ok(());
    };
    if folder.join(format!("{}.md", CONTENTS.0)).is_file() {
        return Ok(());
    }
    for (name, text) in all() {
        write_whole(&folder.join(format!("{name}.md")), text)?;
    }
    Ok(())
}

/// The folder of the pages of this version.
fn folder() -> Option<&'static Utf8Path> {
    static FOLDER: OnceLock<Option<Utf8PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        all().for_each(|page| page.hash(&mut hasher));
        let version = concat!(env!("CARGO_PKG_VERSION"), "-");
        let name = format!("{version}{:016x}", hasher.finish());
        Some(data_directory().ok()?.join("pages").join(name))
    });
    folder.as_deref()
}
