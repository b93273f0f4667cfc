//! The documents hold together: every link leads somewhere, every page can be reached from the top, every RFD that is named is linked.

#![expect(
    clippy::unwrap_used,
    reason = "a document that cannot be read fails the test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::LazyLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

/// Folders that hold what others wrote, or what is built.
const FOREIGN: [&str; 4] = ["target", "node_modules", "dist", ".git"];

static LINK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\]\(([^)\s]+)\)").unwrap());
static HEADING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^#{1,6} +(.+)$").unwrap());
static FENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?ms)^```.*?^```").unwrap());
static RFD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bRFD (D?\d+)\b").unwrap());

fn root() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize_utf8()
        .unwrap()
}

/// Every file below `directory` with one of the extensions, and its text.
fn read(directory: &Utf8Path, extensions: &[&str], files: &mut BTreeMap<Utf8PathBuf, String>) {
    for entry in directory.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        // Links into `node_modules` and the like are not ours.
        if FOREIGN.contains(&entry.file_name()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            read(path, extensions, files);
        } else if path.extension().is_some_and(|it| extensions.contains(&it)) {
            files.insert(path.to_owned(), fs::read_to_string(path).unwrap());
        }
    }
}

fn pages() -> BTreeMap<Utf8PathBuf, String> {
    let mut pages = BTreeMap::new();
    read(&root(), &["md"], &mut pages);
    pages
}

/// The links of a page to this repository, without those in code: where to, and to which heading.
fn links(page: &Utf8Path, text: &str) -> Vec<(Utf8PathBuf, Option<String>)> {
    let text = FENCE.replace_all(text, "");
    let targets = LINK.captures_iter(&text).map(|link| link[1].to_owned());
    targets
        .filter(|target| !target.contains("://") && !target.starts_with("command:"))
        .map(|target| {
            let (path, heading) = match target.split_once('#') {
                Some((path, heading)) => (path, Some(heading.to_owned())),
                None => (target.as_str(), None),
            };
            let path = match path {
                "" => page.to_owned(),
                path => page.parent().unwrap().join(path),
            };
            (path, heading)
        })
        .collect()
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let text = FENCE.replace_all(text, "");
    let headings = HEADING.captures_iter(&text);
    headings
        .map(|heading| {
            let lower = heading[1].trim().to_lowercase().replace(' ', "-");
            lower
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
                .collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        for (target, heading) in links(&page, &text) {
            let Ok(found) = target.canonicalize_utf8() else {
                broken.push(format!("{page}: {target}"));
                continue;
            };
            if let Some(heading) = heading
                && found.extension() == Some("md")
                && !anchors(&fs::read_to_string(&found).unwrap()).contains(&heading)
            {
                broken.push(format!("{page}: {target}#{heading}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

/// Tests of VS Code take them; the site, which holds `docs` alone, has its own copies.
#[test]
fn the_pictures_of_the_site_are_those_of_the_extension() {
    let pictures = root().join("docs/pictures");
    let media = root().join("vscode-extension/media");
    let mut names: Vec<String> = pictures
        .read_dir_utf8()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["run.png", "squiggle.png"]);
    for name in names {
        let [ours, theirs] =
            [&pictures, &media].map(|folder| fs::read(folder.join(&name)).unwrap());
        assert!(ours == theirs, "{name}");
    }
}

#[test]
fn every_page_of_the_documents_is_reached_from_the_top() {
    let pages = pages();
    let mut reached = BTreeSet::new();
    let mut pending = vec![root().join("README.md")];
    while let Some(page) = pending.pop() {
        let Some(text) = pages.get(&page) else {
            continue;
        };
        if reached.insert(page.clone()) {
            let targets = links(&page, text).into_iter();
            pending.extend(targets.filter_map(|(target, _)| target.canonicalize_utf8().ok()));
        }
    }
    let documents = root().join("docs");
    let lost: Vec<_> = pages
        .keys()
        .filter(|page| page.starts_with(&documents) && !reached.contains(*page))
        .collect();
    assert_eq!(lost, Vec::<&Utf8PathBuf>::new());
}

#[test]
fn the_summary_lists_every_page() {
    let documents = root().join("docs");
    let summary = documents.join("SUMMARY.md");
    let pages = pages();
    let listed: Vec<Utf8PathBuf> = links(&summary, &pages[&summary])
        .into_iter()
        .map(|(target, _)| target.canonicalize_utf8().unwrap())
        .collect();
    let lost: Vec<_> = pages
        .keys()
        .filter(|page| page.starts_with(&documents) && **page != summary && !listed.contains(page))
        .collect();
    assert_eq!(lost, Vec::<&Utf8PathBuf>::new());
}

#[test]
fn every_rfd_that_is_named_is_linked() {
    let mut files = pages();
    for directory in ["server", "tests", "vscode-extension/src", "neovim-plugin"] {
        read(&root().join(directory), &["rs", "ts", "lua"], &mut files);
    }
    let index = &files[&root().join("docs/rfds.md")];
    let unlinked: BTreeSet<_> = files
        .iter()
        .flat_map(|(path, text)| {
            RFD.captures_iter(text)
                .map(move |rfd| (rfd[1].to_owned(), path))
        })
        .filter(|(number, _)| !index.contains(&format!("| [{number}](https://")))
        .collect();
    assert_eq!(unlinked, BTreeSet::new());
}
