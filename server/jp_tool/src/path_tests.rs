use std::{fs, os::unix::fs::symlink};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A workspace `ws` with a directory `out` beside it, and a link `alias` to the workspace.
struct Layout {
    _directory: TempDir,
    base: Utf8PathBuf,
    root: Utf8PathBuf,
}

impl Layout {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let base = Utf8Path::from_path(directory.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let root = base.join("ws");
        fs::create_dir_all(root.join("src/generated")).unwrap();
        fs::create_dir_all(root.join("manual")).unwrap();
        fs::create_dir_all(base.join("out/deep")).unwrap();
        fs::write(root.join("src/lib.rs"), "").unwrap();
        fs::write(base.join("out/secret"), "").unwrap();
        symlink("ws", base.join("alias")).unwrap();
        Self {
            _directory: directory,
            base,
            root,
        }
    }

    fn link(&self, target: &str, link: &str) {
        symlink(target, self.root.join(link)).unwrap();
    }

    /// The relative form, or the error with the temporary directory replaced by `$`.
    fn relative(&self, input: &str) -> String {
        self.relative_to(&self.root, input)
    }

    fn relative_to(&self, root: &Utf8Path, input: &str) -> String {
        match canonicalize(root, Utf8Path::new(input)) {
            Ok(canonical) => {
                let joined = if canonical.relative == "." {
                    self.root.clone()
                } else {
                    self.root.join(&canonical.relative)
                };
                assert_eq!(canonical.absolute, joined);
                canonical.relative.into_string()
            }
            Err(error) => error.to_string().replace(self.base.as_str(), "$"),
        }
    }
}

#[test]
fn redundant_parts_are_removed() {
    let layout = Layout::new();
    for (input, expected) in [
        ("src/lib.rs", "src/lib.rs"),
        ("./src//lib.rs", "src/lib.rs"),
        ("src/./lib.rs", "src/lib.rs"),
        ("src/", "src"),
        ("src/generated/../lib.rs", "src/lib.rs"),
        ("missing/../src", "src"),
        (".", "."),
        ("", "."),
        ("src/..", "."),
        ("*/?", "*/?"),
    ] {
        assert_eq!(layout.relative(input), expected, "{input}");
    }
}

#[test]
fn lexical_escapes_are_rejected() {
    let layout = Layout::new();
    for input in [
        "..",
        "../out/secret",
        "src/../../out",
        "src/../../../../../../../../etc/passwd",
    ] {
        assert_eq!(
            layout.relative(input),
            format!("path escapes the workspace: {input}")
        );
    }
}

#[test]
fn a_path_that_leaves_and_returns_by_name_is_inside() {
    let layout = Layout::new();
    assert_eq!(layout.relative("../ws/src"), "src");
    assert_eq!(layout.relative("src/../../ws/src/lib.rs"), "src/lib.rs");
    assert_eq!(
        layout.relative("../ws-other/src"),
        "path escapes the workspace: ../ws-other/src"
    );
}

#[test]
fn absolute_paths_are_accepted_below_the_root_only() {
    let layout = Layout::new();
    let root = layout.root.clone();
    assert_eq!(layout.relative(&format!("{root}/src/lib.rs")), "src/lib.rs");
    assert_eq!(layout.relative(root.as_str()), ".");
    assert_eq!(
        layout.relative(&format!("{root}-other/x")),
        "path is outside the workspace: $/ws-other/x"
    );
    assert_eq!(
        layout.relative("/etc/passwd"),
        "path is outside the workspace: /etc/passwd"
    );
    assert_eq!(
        layout.relative(&format!("{root}/../out/secret")),
        "path escapes the workspace: $/ws/../out/secret"
    );
}

#[test]
fn the_root_may_be_a_link() {
    let layout = Layout::new();
    let alias = layout.base.join("alias");
    assert_eq!(layout.relative_to(&alias, "src/lib.rs"), "src/lib.rs");
    assert_eq!(layout.relative_to(&alias, &format!("{alias}/src")), "src");
    assert_eq!(
        layout.relative_to(&alias, &format!("{}/src", layout.root)),
        "src"
    );
}

#[test]
fn the_root_must_be_absolute_and_exist() {
    let layout = Layout::new();
    assert_eq!(
        layout.relative_to(Utf8Path::new("ws"), "src"),
        "workspace root is not an absolute path: ws"
    );
    assert_eq!(
        layout.relative_to(&layout.base.join("nowhere"), "src"),
        "failed to resolve path $/nowhere: No such file or directory (os error 2)"
    );
}

#[test]
fn links_are_followed_on_every_existing_ancestor() {
    let layout = Layout::new();
    layout.link("manual", "docs");
    layout.link("../src/lib.rs", "manual/code");
    layout.link("docs/code", "short");
    for (input, expected) in [
        ("docs", "manual"),
        ("docs/new/page.md", "manual/new/page.md"),
        ("docs/code", "src/lib.rs"),
        ("short", "src/lib.rs"),
    ] {
        assert_eq!(layout.relative(input), expected, "{input}");
    }
}

#[test]
fn parent_segments_are_resolved_before_links() {
    let layout = Layout::new();
    layout.link("src/generated", "link");
    // The kernel would say `src/lib.rs`.
    assert_eq!(layout.relative("link/../lib.rs"), "lib.rs");
}

#[test]
fn links_out_of_the_workspace_are_rejected() {
    let layout = Layout::new();
    layout.link("../out", "relative");
    symlink(layout.base.join("out/secret"), layout.root.join("absolute")).unwrap();
    for input in ["relative", "relative/secret", "relative/new", "absolute"] {
        assert_eq!(
            layout.relative(input),
            format!("path escapes the workspace: {input}")
        );
    }
}

#[test]
fn a_link_may_pass_through_the_outside() {
    let layout = Layout::new();
    symlink(&layout.root, layout.base.join("out/back")).unwrap();
    layout.link("../out/back/src", "around");
    assert_eq!(layout.relative("around/lib.rs"), "src/lib.rs");
}

#[test]
fn a_dangling_link_exists() {
    let layout = Layout::new();
    layout.link("../out/new", "escape");
    layout.link("../nowhere/new", "escape-without-parent");
    layout.link("later", "inside");
    layout.link("missing/../../out/new", "through-missing");
    assert_eq!(
        layout.relative("escape"),
        "path escapes the workspace: escape"
    );
    assert_eq!(
        layout.relative("escape-without-parent"),
        "path escapes the workspace: escape-without-parent"
    );
    assert_eq!(layout.relative("inside/file"), "later/file");
    assert_eq!(
        layout.relative("through-missing"),
        "failed to resolve path through-missing: entity not found"
    );
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let layout = Layout::new();
    layout.link("src", "link1");
    for index in 2..=MAX_SYMLINKS + 1 {
        layout.link(&format!("link{}", index - 1), &format!("link{index}"));
    }
    assert_eq!(layout.relative("link40/lib.rs"), "src/lib.rs");
    assert!(fs::metadata(layout.root.join("link40")).is_ok());
    assert_eq!(
        layout.relative("link41/lib.rs"),
        "failed to resolve path link41/lib.rs: too many levels of symbolic links"
    );
    assert!(fs::metadata(layout.root.join("link41")).is_err());
}

#[test]
fn a_loop_is_an_error() {
    let layout = Layout::new();
    layout.link("b", "a");
    layout.link("a", "b");
    assert_eq!(
        layout.relative("a"),
        "failed to resolve path a: too many levels of symbolic links"
    );
}

#[test]
fn below_a_file_nothing_is_resolved() {
    let layout = Layout::new();
    layout.link("src/lib.rs/..", "odd");
    assert_eq!(layout.relative("src/lib.rs/x/y"), "src/lib.rs/x/y");
    assert_eq!(
        layout.relative("odd"),
        "failed to resolve path odd: not a directory"
    );
}

#[test]
fn names_that_no_file_has_are_errors() {
    let layout = Layout::new();
    assert_eq!(
        layout.relative("missing/a\0b"),
        "failed to resolve path missing/a\0b: invalid input parameter"
    );
    let long = "x".repeat(300);
    assert_eq!(
        layout.relative(&long),
        format!("failed to resolve path {long}: File name too long (os error 36)")
    );
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", ".."];

fn path_strategy() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(NAMES.to_vec()), 1..5)
        .prop_map(|names| names.join("/"))
}

/// Where `openat2` ends up when it may not leave the root; `None` if it does not get anywhere.
#[cfg(target_os = "linux")]
fn opened_beneath(root: &Utf8Path, input: &str) -> Option<Utf8PathBuf> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

    let directory = openat(CWD, root.as_std_path(), OFlags::PATH, Mode::empty()).unwrap();
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let file = openat2(
        directory,
        input,
        flags,
        Mode::empty(),
        ResolveFlags::BENEATH,
    )
    .ok()?;
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    Utf8Path::new(&link).read_link_utf8().ok()
}

proptest! {
    /// On whatever exists, the walk and the kernel agree; what does not exist, it resolves like its nearest ancestor.
    #[test]
    fn the_walk_agrees_with_the_kernel(
        directories in prop::collection::vec(path_strategy(), 0..4),
        links in prop::collection::vec((path_strategy(), path_strategy(), any::<bool>()), 0..6),
        inputs in prop::collection::vec(path_strategy(), 1..12),
    ) {
        let layout = Layout::new();
        let inside = |path: &str| !path.split('/').any(|name| name == "..");
        for directory in directories.iter().filter(|path| inside(path)) {
            // What cannot be made because something is in the way is not part of the layout.
            let _ = fs::create_dir_all(layout.root.join(directory));
        }
        for (link, target, absolute) in links.iter().filter(|(link, ..)| inside(link)) {
            let target = if *absolute { layout.root.join(target) } else { target.into() };
            let _ = symlink(target, layout.root.join(link));
        }
        for input in inputs.iter().filter(|input| inside(input)) {
            let found = canonicalize(&layout.root, Utf8Path::new(input));
            #[cfg(target_os = "linux")]
            if let Some(opened) = opened_beneath(&layout.root, input) {
                prop_assert_eq!(&found.as_ref().unwrap().absolute, &opened);
            }
            match layout.root.join(input).canonicalize_utf8() {
                Ok(real) => match real.strip_prefix(&layout.root) {
                    Ok(relative) => prop_assert_eq!(found.unwrap().relative, dot_if_empty(relative)),
                    Err(_) => prop_assert_eq!(found, Err(FsAccessError::Escape(input.into()))),
                },
                Err(_) => if let Ok(canonical) = found {
                    // Nothing on the way to the missing part is a link that still could lead elsewhere.
                    for ancestor in canonical.absolute.ancestors() {
                        prop_assert!(!ancestor.is_symlink(), "{} of {}", ancestor, input);
                    }
                    prop_assert!(canonical.absolute.starts_with(&layout.root));
                },
            }
        }
    }

    /// A result can be checked again and stays what it is.
    #[test]
    fn canonical_paths_are_fixed_points(input in path_strategy()) {
        let layout = Layout::new();
        layout.link("src", "a");
        layout.link("../manual", "src/b");
        if let Ok(canonical) = canonicalize(&layout.root, Utf8Path::new(&input)) {
            prop_assert_eq!(&canonicalize(&layout.root, &canonical.relative).unwrap(), &canonical);
            prop_assert_eq!(&canonicalize(&layout.root, &canonical.absolute).unwrap(), &canonical);
        }
    }

    /// No input panics.
    #[test]
    fn any_text_gets_an_answer(input in any::<String>()) {
        let layout = Layout::new();
        if let Ok(canonical) = canonicalize(&layout.root, Utf8Path::new(&input)) {
            prop_assert!(canonical.absolute.starts_with(&layout.root));
        }
    }
}

#[test]
fn the_spellings_of_a_path_end_at_the_resolved_one() {
    let directory = tempfile::TempDir::new().unwrap();
    let root = Utf8Path::from_path(directory.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    std::fs::create_dir_all(root.join("settings/deep")).unwrap();
    std::fs::write(root.join("settings/base.toml"), "").unwrap();
    std::os::unix::fs::symlink("conf/base.toml", root.join("base.toml")).unwrap();
    std::os::unix::fs::symlink("settings/deep/..", root.join("conf")).unwrap();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
    let shown = |path: &str| -> Vec<String> {
        spellings(&root.join(path))
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string())
            .collect()
    };
    assert_eq!(
        shown("base.toml"),
        ["base.toml", "conf/base.toml", "settings/base.toml"]
    );
    assert_eq!(shown("settings/new.toml"), ["settings/new.toml"]);
    assert_eq!(shown("loop/x").len(), MAX_SYMLINKS + 1);
}
