//! The report on one file, and what all its diagnostics have in common.
//!
//! ```json
//! { "uri": "file:///w/.jp/config.toml", "diagnostics": [{ "source": "jp", "code": "unknown-key" }] }
//! ```

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use lsp_types::{CodeDescription, Diagnostic, DiagnosticSeverity, NumberOrString, Range};
use once_cell::sync::OnceCell;
use url::Url;

use super::documents::FileKey;
use crate::{disk::pages, published::public_page};

/// The name that every diagnostic carries as its source.
pub(crate) const SOURCE: &str = "jp";

/// A diagnostic that is no finding of the config.
pub(super) fn told(
    range: Range,
    severity: DiagnosticSeverity,
    code: &str,
    message: &str,
) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: message.to_owned(),
        ..Diagnostic::default()
    }
}

/// The diagnostics of one file, in positions of the negotiated encoding.
#[derive(Clone, Debug)]
pub struct FileReport {
    key: FileKey,
    uri: Url,
    diagnostics: Vec<Diagnostic>,
    result_id: OnceCell<String>,
}

impl FileReport {
    /// A report on one file.
    #[must_use]
    pub fn new(uri: Url, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            key: FileKey::of(&uri),
            uri,
            diagnostics,
            result_id: OnceCell::new(),
        }
    }

    /// What names the file.
    #[must_use]
    pub fn key(&self) -> &FileKey {
        &self.key
    }

    /// The URI to report under.
    #[must_use]
    pub fn uri(&self) -> &Url {
        &self.uri
    }

    /// The diagnostics.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Changes whenever the diagnostics do: equal diagnostics have equal ids.
    #[must_use]
    pub fn result_id(&self) -> &str {
        self.result_id.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            // Serializing these types cannot fail; were it to, the id would be one that no client holds for other diagnostics.
            serde_json::to_vec(&self.diagnostics)
                .unwrap_or_default()
                .hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        })
    }
}

/// The page that explains a code: on the public site, or while there is none, in the person's data folder.
///
/// Nothing where there is no such folder: a link that leads nowhere is worse than no link.
pub(crate) fn page(code: &str) -> Option<CodeDescription> {
    let href = match public_page(code) {
        Some(address) => Url::parse(&address).ok()?,
        None => Url::from_file_path(pages::file(code)?).ok()?,
    };
    Some(CodeDescription { href })
}

/// A URI for what has none.
#[expect(clippy::expect_used, reason = "the text is a constant URI")]
pub(crate) fn nowhere() -> Url {
    Url::parse("jp:nowhere").expect("a constant URI")
}
