//! Where this program is published, as `[workspace.package]` of the manifest says and nothing else does.
//!
//! ```toml
//! repository = "https://github.com/dcdpr/jp-lsp"
//! homepage = ""       # the site of the documents; empty while there is none
//! ```

/// The repository.
pub(crate) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The site that the documents are published on; empty while there is none.
const SITE: &str = env!("CARGO_PKG_HOMEPAGE");

/// The public page of a diagnostic; none while there is no site.
pub(crate) fn public_page(code: &str) -> Option<String> {
    let site = SITE.trim_end_matches('/');
    (!site.is_empty()).then(|| format!("{site}/diagnostics/{code}.html"))
}

/// Where a report that leaves this machine says that the page of a diagnostic is.
pub(crate) fn page_in_report(code: &str) -> String {
    public_page(code)
        .unwrap_or_else(|| format!("{REPOSITORY}/blob/main/docs/diagnostics/{code}.md"))
}
