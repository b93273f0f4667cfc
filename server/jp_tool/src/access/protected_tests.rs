use std::{fs, os::unix::fs::symlink};

use camino::{Utf8Path, Utf8PathBuf};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::{AccessPolicy, Action, Context, FsAccessError, FsCapability, FsRule, linked_places};

struct Workspace {
    _directory: TempDir,
    root: Utf8PathBuf,
}

fn workspace(directories: &[&str], files: &[&str], links: &[(&str, &str)]) -> Workspace {
    let directory = TempDir::new().unwrap();
    let root = Utf8Path::from_path(directory.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    for path in directories {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    for path in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "").unwrap();
    }
    for (path, target) in links {
        symlink(target, root.join(path)).unwrap();
    }
    Workspace {
        _directory: directory,
        root,
    }
}

impl Workspace {
    fn context(&self, rules: impl IntoIterator<Item = FsRule>) -> Context {
        Context::new(self.root.clone(), Action::Run).with_access(AccessPolicy {
            fs: rules.into_iter().collect(),
            ..AccessPolicy::default()
        })
    }

    /// The protected place for which the path is refused, or `-`.
    fn place(&self, context: &Context, capability: FsCapability, path: &str) -> String {
        match context.check_fs(capability, path.into()) {
            Ok(_) => "-".to_owned(),
            Err(FsAccessError::Protected { place, .. }) => place.into_string(),
            Err(error) => error.to_string(),
        }
    }
}

fn everything() -> [FsRule; 1] {
    [FsRule::new(".").with_read(true).with_write(true)]
}

#[test]
fn a_wide_grant_and_none_at_all_open_no_protected_place() {
    let workspace = workspace(&["src", ".git/hooks"], &[".jp/config.toml"], &[]);
    let cases = [
        (".jp/config.toml", ".jp"),
        (".jp", ".jp"),
        (".jp.toml", ".jp.toml"),
        ("src/.jp.yml", "src/.jp.yml"),
        ("new/deep/.jp.json", "new/deep/.jp.json"),
        ("src/.jp.yaml", "src/.jp.yaml"),
        (".git/hooks/pre-commit", ".git"),
        ("vendor/lib/.git", "vendor/lib/.git"),
        ("vendor/lib/.git/.jp/x", "vendor/lib/.git"),
        (".vscode/tasks.json", ".vscode"),
        (".idea/workspace.xml", ".idea"),
        ("src/.envrc", "src/.envrc"),
        ("src/../.jp/x", ".jp"),
        // Spellings that a file system takes for the same.
        (".JP/config.toml", ".JP"),
        (".Git/config", ".Git"),
        (".g\u{200c}it/config", ".g\u{200c}it"),
        (".git. /config", ".git. "),
        (".git::$INDEX_ALLOCATION/config", ".git::$INDEX_ALLOCATION"),
        (".v\u{17f}code/tasks.json", ".v\u{17f}code"),
        // Near misses.
        ("src/lib.rs", "-"),
        (".jpx/config.toml", "-"),
        (".jp.tom", "-"),
        ("jp/.jp.toml.bak", "-"),
        (".gitignore", "-"),
        (".github/workflows/ci.yml", "-"),
        (".env", "-"),
        ("git/config", "-"),
        ("..jp", "-"),
    ];
    let open = Context::new(workspace.root.clone(), Action::Run);
    for context in [workspace.context(everything()), open] {
        for (path, place) in cases {
            for capability in [
                FsCapability::Create,
                FsCapability::Update,
                FsCapability::Delete,
            ] {
                let found = workspace.place(&context, capability, path);
                assert_eq!(found, place, "{capability} {path}");
            }
            assert_eq!(workspace.place(&context, FsCapability::Read, path), "-");
        }
    }
}

#[test]
fn a_rule_at_or_below_the_place_opens_it() {
    let workspace = workspace(&[".git"], &[".jp/config.toml"], &[]);
    let context = workspace.context([
        FsRule::new(".").with_write(true),
        FsRule::new(".jp/mcp").with_create(true),
        FsRule::new("vendor/.git").with_write(true),
        FsRule::new("src/.envrc").with_update(true),
    ]);
    let place = |capability, path| workspace.place(&context, capability, path);
    assert_eq!(place(FsCapability::Create, ".jp/mcp/tools/a.toml"), "-");
    assert_eq!(place(FsCapability::Create, ".jp/config.toml"), ".jp");
    assert_eq!(place(FsCapability::Delete, "vendor/.git/.jp/x"), "-");
    assert_eq!(place(FsCapability::Update, "src/.envrc"), "-");
    assert_eq!(
        place(FsCapability::Update, ".jp/mcp/a.toml"),
        "access denied: update on .jp/mcp/a.toml"
    );
    assert_eq!(
        context
            .check_create(".git/config".into())
            .unwrap_err()
            .to_string(),
        "access denied: create on .git/config, which is protected since it decides what runs; only a rule at or below \
         the place grants it: { path = \".git\", create = true }"
    );
}

#[test]
fn links_and_repositories_under_other_names_are_seen() {
    let workspace = workspace(
        &[
            "data/objects",
            "data/refs",
            "tree",
            "sub/real",
            "conf",
            "objects",
            "half/objects",
            "half/refs",
        ],
        &["data/HEAD", "tree/HEAD", "tree/commondir", "refs/HEAD"],
        &[
            (".jp", "conf"),
            ("sub/.vscode", "real"),
            ("docs", ".git"),
            (".git", "data"),
        ],
    );
    let context = workspace.context(everything());
    let place = |path| workspace.place(&context, FsCapability::Create, path);
    assert_eq!(place("conf/new.toml"), "conf");
    assert_eq!(place(".jp/new.toml"), "conf");
    assert_eq!(place("data/hooks/post-commit"), "data");
    assert_eq!(place("docs/hooks/post-commit"), "data");
    assert_eq!(place("tree/config.worktree"), "tree");
    assert_eq!(place("sub/.vscode/tasks.json"), "sub/real");
    // The file that makes a repository's data of a directory is the last one that may be missing.
    assert_eq!(place("half/HEAD"), "half");
    assert_eq!(place("half/config"), "-");
    assert_eq!(place("refs/x"), "-");
    assert_eq!(place("objects/x"), "-");
    // The link itself has the name.
    assert_eq!(
        workspace.place(&context, FsCapability::Delete, ".jp"),
        ".jp"
    );
}

#[test]
fn links_deep_in_a_protected_place_are_followed() {
    let workspace = workspace(
        &[".jp/tools/more", "shared/tools", "elsewhere"],
        &[".jp/config.toml", ".jp/tools/a.toml", "shared/tools/b.toml"],
        &[
            (".jp/tools/more/c.toml", "../../../shared/c.toml"),
            (".jp/tools/shared", "../../shared/tools"),
            ("shared/tools/on", "../../elsewhere"),
        ],
    );
    let mut places = linked_places(&workspace.root);
    places.sort();
    assert_eq!(places, ["elsewhere", "shared/c.toml", "shared/tools"]);
}

#[test]
fn what_the_host_lists_is_protected() {
    let workspace = workspace(&[], &["conf/base.toml"], &[("base.toml", "conf/base.toml")]);
    let mut context = workspace.context(everything());
    context.protected = vec![
        workspace.root.join("base.toml"),
        workspace.root.join("conf/base.toml"),
    ];
    let place = |capability, path| workspace.place(&context, capability, path);
    assert_eq!(
        place(FsCapability::Update, "conf/base.toml"),
        "conf/base.toml"
    );
    assert_eq!(
        place(FsCapability::Create, "conf/BASE.toml"),
        "conf/BASE.toml"
    );
    assert_eq!(place(FsCapability::Update, "base.toml"), "conf/base.toml");
    assert_eq!(place(FsCapability::Delete, "base.toml"), "base.toml");
    assert_eq!(place(FsCapability::Create, "conf/other.toml"), "-");

    symlink("conf", workspace.root.join("way")).unwrap();
    context.protected.push(workspace.root.join("way/base.toml"));
    let place = |capability, path| workspace.place(&context, capability, path);
    assert_eq!(place(FsCapability::Delete, "way"), "way");
    assert_eq!(place(FsCapability::Delete, "conf"), "-");
}

#[test]
fn removing_acts_on_the_link_and_changing_on_what_it_leads_to() {
    let workspace = workspace(
        &["in"],
        &["out/file"],
        &[("in/link", "../out/file"), ("in/leave", "/etc/passwd")],
    );
    let context = workspace.context([FsRule::new("in").with_write(true)]);
    let path = |capability, path: &str| match context.check_fs(capability, path.into()) {
        Ok(path) => path.strip_prefix(&workspace.root).unwrap().to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(path(FsCapability::Delete, "in/link"), "in/link");
    assert_eq!(path(FsCapability::Delete, "in/leave"), "in/leave");
    assert_eq!(path(FsCapability::Delete, "in/x/../link"), "in/link");
    assert_eq!(
        path(FsCapability::Update, "in/link"),
        "access denied: update on out/file"
    );
    assert_eq!(
        path(FsCapability::Update, "in/leave"),
        "path escapes the workspace: in/leave"
    );
}
