//! What became of the tools since the last commit: lines above them, and the difference as a document.

use std::{fs, path::Path, process::Command};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::{Desk, client_watches};

const ASK: &str = r#"//- .jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src/a", mode = "unattended" },
    { mode = "ask" },
]

[conversation.tools.read]
source = "local"
command = "cat"
run = "ask"
"#;

const CONFIG: &str = ".jp/config.toml";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com"])
        .args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "c"]);
}

fn commit_all(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    commit(folder);
}

/// Changes the config on disk.
fn rewrite(folder: &Path, old: &str, new: &str) {
    let path = folder.join(CONFIG);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(path, text.replace(old, new)).unwrap();
}

fn capabilities() -> Value {
    let mut capabilities = client_watches();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    capabilities
}

/// A desk with a folder that was prepared, whose editor is told when lenses have changed.
fn desk(trusted: bool, prepare: impl FnOnce(&Path)) -> Desk {
    let options = json!({ "trusted": trusted });
    let params = json!({ "capabilities": capabilities(), "initializationOptions": options });
    let mut desk = Desk::prepared(ASK, params, None, prepare);
    desk.open(CONFIG);
    desk
}

/// A desk where the last commit asks more than the file that is saved.
fn loosened() -> Desk {
    let mut desk = desk(false, |folder| {
        commit_all(folder);
        rewrite(folder, "src/a", "src");
    });
    refreshed(&mut desk);
    desk
}

/// Waits until the server has the editor ask for lenses again.
fn refreshed(desk: &mut Desk) {
    let (id, _) = desk.server.request("workspace/codeLens/refresh");
    desk.server.respond(&id, Value::Null);
}

/// The lenses of a file that are about the last commit, each with its line.
fn lenses(desk: &mut Desk, name: &str) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": desk.uri(name) } });
    let lenses = desk.server.call("textDocument/codeLens", params).unwrap();
    let lenses = lenses.as_array().unwrap().iter();
    let told = lenses.filter(|lens| lens["command"]["command"] == "jp.diff.show");
    told.map(|lens| {
        let (command, start) = (&lens["command"], &lens["range"]["start"]);
        let tool = command["arguments"][0]["tool"].as_str().unwrap();
        format!("{}: {tool} {}", start["line"], command["title"])
    })
    .collect()
}

fn call(desk: &mut Desk, argument: Value) -> Result<Value, Value> {
    let params = json!({ "command": "jp.diff.show", "arguments": [argument] });
    desk.server.call("workspace/executeCommand", params)
}

/// The verdict, and the document that the command writes.
fn shown(desk: &mut Desk, argument: Value) -> (String, String) {
    let shown = call(desk, argument).unwrap();
    let uri: url::Url = shown["uri"].as_str().unwrap().parse().unwrap();
    let text = fs::read_to_string(uri.to_file_path().unwrap()).unwrap();
    (shown["verdict"].as_str().unwrap().to_owned(), text)
}

fn refusal(desk: &mut Desk) -> String {
    let refused = call(desk, json!({})).unwrap_err();
    let message = refused["message"].as_str().unwrap();
    let folder = desk.path("").canonicalize().unwrap();
    let folder = folder.to_str().unwrap().trim_end_matches('/');
    message.replace(folder, "W")
}

#[test]
fn a_tool_that_was_loosened_has_a_line_which_shows_how() {
    let mut desk = loosened();
    assert_eq!(
        lenses(&mut desk, CONFIG),
        ["0: edit \"since HEAD: loosened\""]
    );
    let argument = json!({ "tool": "edit", "workspace": desk.uri(CONFIG) });
    let (verdict, text) = shown(&mut desk, argument);
    assert_eq!(verdict, "loosened");
    expect![[r#"
        # What changed of `edit` since HEAD

        ```text
        From `HEAD` to the working tree: something is loosened, and nothing tightened.

        tool `edit`, whether calls run: loosened
          ask -> unattended: {"path":"src/x"}  (.jp/config.toml:6)

        This assumes that
        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed
        ```
    "#]]
    .assert_eq(&text);
    let (verdict, text) = shown(&mut desk, json!({ "tool": "read" }));
    assert_eq!(verdict, "equal");
    let told = "From `HEAD` to the working tree: nothing is decided otherwise.";
    assert_eq!(text.lines().nth(3), Some(told));
    assert_eq!(shown(&mut desk, Value::Null).0, "loosened");
}

#[test]
fn a_tool_that_never_was_is_no_tool_without_changes() {
    let mut desk = loosened();
    let refused = call(&mut desk, json!({ "tool": "edti" })).unwrap_err();
    expect![[r#"{"code":-32602,"message":"no tool `edti` is configured; did you mean `edit`?"}"#]]
        .assert_eq(&refused.to_string());
    // The defaults and the builtin tools are there without a word about them.
    for tool in ["*", "ask_user"] {
        let (verdict, _) = shown(&mut desk, json!({ "tool": tool }));
        assert_eq!(verdict, "equal", "{tool}");
    }
    // So is what the commit had, and no file has any more.
    let kept = ASK.split("[conversation.tools.read]").next().unwrap();
    let kept = kept.split_once('\n').unwrap().1;
    fs::write(desk.path(CONFIG), kept).unwrap();
    desk.server.tolerate("workspace/codeLens/refresh");
    desk.tell_changed(&[CONFIG]);
    let (_, text) = shown(&mut desk, json!({ "tool": "read" }));
    assert!(text.contains("tool `read`, what it is and runs"), "{text}");
}

#[test]
fn the_lines_follow_what_is_saved_and_what_is_committed_and_no_key() {
    let mut desk = loosened();
    // A key is no saving: the line stays where its tool goes, and tells what it told.
    desk.replace(CONFIG, "run = \"ask\"", "run = \"skip\"");
    desk.replace(CONFIG, "[conversation", "\n[conversation");
    assert_eq!(
        lenses(&mut desk, CONFIG),
        ["1: edit \"since HEAD: loosened\""]
    );
    // The calls on record have lines of their own, which follow keys.
    desk.server.tolerate("workspace/codeLens/refresh");
    rewrite(&desk.path(""), "run = \"ask\"", "run = \"skip\"");
    desk.tell_changed(&[CONFIG]);
    let edited = [
        "1: edit \"since HEAD: loosened\"",
        "10: read \"since HEAD: tightened\"",
    ];
    comes_to(&mut desk, &edited);
    // Nobody tells of a commit: the repository is watched.
    commit(&desk.path(""));
    comes_to(&mut desk, &[]);
    git(&desk.path(""), &["reset", "-q", "--soft", "HEAD~1"]);
    comes_to(&mut desk, &edited);
    git(&desk.path(""), &["branch", "-q", "-m", "other/name"]);
    commit(&desk.path(""));
    comes_to(&mut desk, &[]);
    // A branch may become a line of a list, and its folder come again.
    git(&desk.path(""), &["pack-refs", "--all", "--prune"]);
    let before = git(&desk.path(""), &["rev-parse", "HEAD~1"]);
    git(&desk.path(""), &["update-ref", "HEAD", &before]);
    comes_to(&mut desk, &edited);
}

/// Waits until the config has these lines.
fn comes_to(desk: &mut Desk, expected: &[&str]) {
    while lenses(desk, CONFIG) != expected {
        refreshed(desk);
    }
}

#[test]
fn nothing_of_a_repository_is_run() {
    let mut desk = desk(false, |folder| {
        commit_all(folder);
        rewrite(folder, "src/a", "src");
        let marker = folder.join("marker");
        let program = format!("touch {}", marker.display());
        let included = folder.join("included");
        fs::write(&included, format!("[core]\nfsmonitor = {program}\n")).unwrap();
        for (key, value) in [
            ("filter.x.smudge", program.as_str()),
            ("filter.x.clean", &program),
            ("filter.x.process", &program),
            ("core.fsmonitor", &program),
            ("core.sshCommand", &program),
            ("core.hooksPath", ".git/hooks"),
            ("core.alternateRefsCommand", &program),
            ("diff.external", &program),
            ("remote.origin.url", "ssh://localhost/x"),
            ("remote.origin.promisor", "true"),
            ("extensions.partialClone", "origin"),
            ("include.path", included.to_str().unwrap()),
        ] {
            git(folder, &["config", key, value]);
        }
        fs::write(folder.join(".git/info/attributes"), "* filter=x diff=x\n").unwrap();
        for hook in [
            "post-checkout",
            "post-index-change",
            "reference-transaction",
        ] {
            let path = folder.join(".git/hooks").join(hook);
            fs::write(&path, format!("#!/bin/sh\n{program}\n")).unwrap();
            make_executable(&path);
        }
    });
    refreshed(&mut desk);
    assert_eq!(lenses(&mut desk, CONFIG).len(), 1);
    assert_eq!(shown(&mut desk, Value::Null).0, "loosened");
    // What a partial clone lacks is not fetched.
    let objects = desk.path(".git/objects");
    for folder in fs::read_dir(&objects).unwrap() {
        let folder = folder.unwrap().path();
        if folder.file_name().unwrap().len() == 2 {
            fs::remove_dir_all(folder).unwrap();
        }
    }
    let refused = refusal(&mut desk);
    assert!(refused.starts_with("`HEAD` names no commit"), "{refused}");
    assert!(!desk.path("marker").exists());
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_repository_that_leads_elsewhere_waits_for_trust() {
    // A worktree keeps its commits in the folder of another one.
    let worktree = |folder: &Path| {
        let main = folder.parent().unwrap().join("main");
        fs::create_dir_all(main.join(".jp")).unwrap();
        fs::copy(folder.join(CONFIG), main.join(CONFIG)).unwrap();
        fs::remove_dir_all(folder).unwrap();
        commit_all(&main);
        let name = folder.to_str().unwrap().trim_end_matches('/');
        git(&main, &["worktree", "add", "-q", "-b", "other", name]);
        rewrite(folder, "src/a", "src");
    };
    let mut untrusted = desk(false, worktree);
    expect!["the git repository of `W` cannot be read: it leads out of its folder, where nothing is read before you trust the workspace"]
        .assert_eq(&refusal(&mut untrusted));
    assert_eq!(lenses(&mut untrusted, CONFIG), [""; 0]);
    untrusted.server.notify("jp/trustGranted", json!({}));
    refreshed(&mut untrusted);
    assert_eq!(lenses(&mut untrusted, CONFIG).len(), 1);
    // The branch of a worktree is watched where it is kept.
    commit(&untrusted.path(""));
    refreshed(&mut untrusted);
    assert_eq!(lenses(&mut untrusted, CONFIG), [""; 0]);
}

#[test]
fn where_there_is_nothing_to_compare_with_nothing_is_said() {
    let refused = |prepare: &dyn Fn(&Path)| {
        let mut desk = desk(false, prepare);
        let refused = refusal(&mut desk);
        assert_eq!(lenses(&mut desk, CONFIG), [""; 0]);
        refused
    };
    let mut told = vec![refused(&|_| {})];
    told.push(refused(&|folder| {
        git(folder, &["init", "-q"]);
    }));
    told.push(refused(&|folder| {
        fs::write(folder.join(".gitignore"), ".jp\n").unwrap();
        commit_all(folder);
    }));
    told.push(refused(&|folder| {
        commit_all(folder);
        git(folder, &["config", "core.bare", "true"]);
    }));
    told.push(refused(&|folder| {
        commit_all(folder);
        git(folder, &["config", "core.worktree", "/"]);
    }));
    expect![[r#"
        `W` lies in no git repository; `jp-lsp diff --base-dir DIR` compares with a folder
        the repository has no commit yet: make the first; `jp-lsp diff --base-dir DIR` compares with a folder
        `HEAD` has no `.jp` folder in `W`, so that everything is new
        the git repository of `W` cannot be read: its files lie elsewhere
        the git repository of `W` cannot be read: its files lie elsewhere"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn a_fragment_has_lines_of_its_own() {
    let mut desk = desk(false, |folder| {
        let fragment = "[conversation.tools.read]\nrun = \"ask\"\n";
        fs::create_dir(folder.join(".jp/more")).unwrap();
        fs::write(folder.join(".jp/more/read.toml"), fragment).unwrap();
        let config = fs::read_to_string(folder.join(CONFIG)).unwrap();
        let config = format!("config_load_paths = [\".jp/more\"]\n{config}");
        fs::write(folder.join(CONFIG), config).unwrap();
        commit_all(folder);
        let loosened = fragment.replace("ask", "unattended");
        fs::write(folder.join(".jp/more/read.toml"), loosened).unwrap();
    });
    desk.open(".jp/more/read.toml");
    refreshed(&mut desk);
    assert_eq!(lenses(&mut desk, CONFIG), [""; 0]);
    assert_eq!(
        lenses(&mut desk, ".jp/more/read.toml"),
        ["0: read \"since HEAD: loosened\""]
    );
}

#[test]
fn text_of_a_config_does_not_end_the_document() {
    let mut desk = desk(false, |folder| {
        commit_all(folder);
        rewrite(
            folder,
            "command = \"cat\"",
            "command = \"\"\"`````\n# Trust me\u{202e}\"\"\"",
        );
    });
    refreshed(&mut desk);
    let (verdict, text) = shown(&mut desk, json!({ "tool": "read" }));
    assert_eq!(verdict, "mixed");
    let fences = text.lines().filter(|line| line.starts_with("``````"));
    assert_eq!(fences.count(), 2, "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(!text.contains("\n# Trust me"), "{text}");
}
