//! What makes a linter pleasant, through the real binary: allowed findings, chosen severities, applied fixes, other formats, pages.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;
mod sarif;
mod workspace;

use std::{collections::BTreeSet, fs, path::Path};

use camino::Utf8Path;
use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use workspace::{command, workspace};

/// What a command says in a workspace, and how it exits.
fn said(root: &Utf8Path, arguments: &[&str]) -> String {
    let output = command(root, arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    let home = root.parent().unwrap();
    format!(
        "{}exit {}\n",
        text.replace(home.as_str(), "HOME"),
        output.status.code().unwrap()
    )
}

fn check(fixture: &str, options: &[&str], expected: &Expect) {
    let (_home, root) = workspace(fixture);
    let options = [&["check", "--format", "github"], options].concat();
    expected.assert_eq(&said(&root, &options));
}

/// A warning, an error, and a rule that is shadowed on purpose.
const MIXED: &str = r#"//- .jp/config.toml
summery = 1
[conversation.tools.edit]
source = "local"
command = "edit {{tool}}"
[conversation.tools.edit.policy]
run = [
    { arg = "/line", maximum = 5, mode = "ask" },
    # jp-lsp: allow(rule-shadowed) shown in a talk
    { arg = "/line", maximum = 3, mode = "unattended" },
]
[conversation.tools.edit.parameters]
line = { type = "integer" }
"#;

#[test]
fn a_comment_allows_a_finding() {
    check(
        MIXED,
        &[],
        &expect![[r#"
        ::error file=.jp/config.toml,line=1,col=1,endLine=1,endColumn=8,title=unknown-key::unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        ::warning file=.jp/config.toml,line=6,col=1,endLine=6,endColumn=4,title=missing-catch-all::no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
        exit 1
    "#]],
    );
}

#[test]
fn severities_are_chosen() {
    let raised = ["--severity", "missing-catch-all=error"];
    check(
        MIXED,
        &raised,
        &expect![[r#"
        ::error file=.jp/config.toml,line=1,col=1,endLine=1,endColumn=8,title=unknown-key::unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        ::error file=.jp/config.toml,line=6,col=1,endLine=6,endColumn=4,title=missing-catch-all::no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
        exit 1
    "#]],
    );
    let lowered = [
        "--severity=missing-catch-all=off",
        "--severity=unknown-key=off",
    ];
    check(
        MIXED,
        &lowered,
        &expect![[r#"
        ::error file=.jp/config.toml,line=1,col=1,endLine=1,endColumn=8,title=unknown-key::unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        exit 1
    "#]],
    );
    check(
        MIXED,
        &["--severity", "missing-catch-al=off"],
        &expect![[r#"
            jp-lsp: --severity: unknown code `missing-catch-al`, did you mean `missing-catch-all`?
            exit 2
        "#]],
    );
}

#[test]
fn a_repository_chooses_severities() {
    let settings = "//- .jp/lsp.toml\n[severity]\nmissing-catch-all = \"hint\"\n";
    check(
        &format!("{MIXED}{settings}"),
        &[],
        &expect![[r#"
        ::error file=.jp/config.toml,line=1,col=1,endLine=1,endColumn=8,title=unknown-key::unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        ::notice file=.jp/config.toml,line=6,col=1,endLine=6,endColumn=4,title=missing-catch-all::no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
        exit 1
    "#]],
    );
    // The command line is stronger, and the settings are no config.
    check(
        &format!("{MIXED}{settings}"),
        &["--severity", "missing-catch-all=information", ".jp"],
        &expect![[r#"
            ::error file=.jp/config.toml,line=1,col=1,endLine=1,endColumn=8,title=unknown-key::unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
            ::notice file=.jp/config.toml,line=6,col=1,endLine=6,endColumn=4,title=missing-catch-all::no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
            exit 1
        "#]],
    );
    check(
        "//- .jp/config.toml\n//- .jp/lsp.toml\n[severity]\n\nmissing-catch-al = \"off\"\n",
        &[],
        &expect![[r#"
            jp-lsp: HOME/w/.jp/lsp.toml:3: unknown code `missing-catch-al`, did you mean `missing-catch-all`?
            exit 2
        "#]],
    );
}

#[test]
fn fixes_are_applied_until_none_is_left() {
    let (_home, root) = workspace(
        r#"//- .jp/config.toml
extends = ["tools.toml"]
asistant.name = "Ada" # kept
bogus = 1
//- .jp/tools.toml
# jp-lsp: allow(command-missing)
[conversation.tools.edit]
sorce = "local"
command = "edit {{tool}}"
[conversation.tools.edit.policy]
run = [{ arg = "/line", maximum = 5, mode = "ask" }]
[conversation.tools.edit.parameters]
line = { type = "intger" }
"#,
    );
    expect![[r#"
        mended 1 problem in .jp/config.toml
        mended 4 problems in .jp/tools.toml
        error[unknown-key]: unknown key `bogus`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
         --> .jp/config.toml:3:1
          |
        3 | bogus = 1
          | ^^^^^

        1 error, 0 warnings
        note: no model is set in `HOME/w`: write `assistant.model.id = "provider/name"` into its config, or ask with `--model`
        exit 1
    "#]].assert_eq(&said(&root, &["check", "--fix"]));
    let text = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    expect![[r#"
        extends = ["tools.toml"]
        assistant.name = "Ada" # kept
        bogus = 1
        ---
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        [conversation.tools.edit.policy]
        run = [{ arg = "/line", maximum = 5, mode = "ask" }, { mode = "ask" }]
        [conversation.tools.edit.parameters]
        line = { type = "integer" }
    "#]]
    .assert_eq(&(text(".jp/config.toml") + "---\n" + &text(".jp/tools.toml")));
    // What is left needs a person.
    let again = said(&root, &["check", "--fix", "--format", "github"]);
    expect![[r#"
        ::error file=.jp/config.toml,line=3,col=1,endLine=3,endColumn=6,title=unknown-key::unknown key `bogus`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        exit 1
    "#]].assert_eq(&again);
}

/// Every file below a folder, with its text.
fn texts(folder: &Path) -> Vec<(std::path::PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

#[test]
fn the_workspace_of_mistakes_is_mended_as_far_as_it_goes() {
    let source = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/workspaces/mistakes"
    ));
    let (_home, root) = workspace("//- .jp/empty.toml\n");
    fs::remove_file(root.join(".jp/empty.toml")).unwrap();
    for (path, text) in texts(source) {
        let path = root.as_std_path().join(path.strip_prefix(source).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    expect![[r#"
        ::warning file=.jp/config.toml,line=2,col=28,endLine=2,endColumn=48,title=extends-missing::no file stands at `.jp/tools/missing.toml`, so this entry adds nothing%0Apaths in `extends` are relative to the file that holds them
        ::error file=.jp/config.toml,line=12,col=23,endLine=12,endColumn=29,title=matcher-type::`prefix` does not apply to `/force`, which is a boolean; use `const`, `enum`
        ::error file=.jp/tools/edit_file.toml,line=13,col=8,endLine=13,endColumn=22,title=fs-path-escapes::access path `../elsewhere` leaves the workspace; write a path below the workspace root
        ::error file=.jp/tools/edit_file.toml,line=23,col=9,endLine=23,endColumn=13,title=sensitive-write::tool `edit_file` grants `write = true` to path `conversation.tools`, which overlaps the sensitive path `conversation.tools.*.access`; use `write = "insecure_allow"` to explicitly acknowledge this grant%0Athrough this path the tool can grant itself any access
        exit 1
    "#]].assert_eq(&said(&root, &["check", "--fix", "--format", "github"]));
    let before = texts(root.as_std_path());
    said(&root, &["check", "--fix"]);
    assert_eq!(texts(root.as_std_path()), before);
}

#[test]
fn nothing_outside_the_workspace_is_mended() {
    let (_home, root) =
        workspace("//- .jp/config.toml\n//- ../none/config.toml\nasistant.name = \"Ada\"\n");
    let before = texts(root.parent().unwrap().as_std_path());
    said(&root, &["check", "--fix"]);
    let after = texts(root.parent().unwrap().as_std_path());
    assert_eq!(after, before);
}

#[test]
fn no_fix_lets_something_run_that_a_person_did_not_write() {
    let (_home, root) = workspace(
        r#"//- .jp/config.toml
[conversation.tools.a]
source = "local"
command = "a {{tool}}"
access.config = [{ path = "conversation.tools.a.access", write = "secure_allow" }]
policy.run = [{ arg = "/x", const = "a", mode = "attended" }, { mode = "unatended" }]
parameters.x.type = "string"
"#,
    );
    let before = texts(root.as_std_path());
    expect![[r#"
        ::error file=.jp/config.toml,line=4,col=66,endLine=4,endColumn=80,title=invalid-value::unknown variant `secure_allow`, expected a boolean or `insecure_allow`; did you mean `insecure_allow`?
        ::error file=.jp/config.toml,line=5,col=49,endLine=5,endColumn=59,title=invalid-value::unknown variant `attended`, expected one of `ask`, `unattended`, `edit`, `skip`; did you mean `unattended`?
        ::error file=.jp/config.toml,line=5,col=72,endLine=5,endColumn=83,title=invalid-value::unknown variant `unatended`, expected one of `ask`, `unattended`, `edit`, `skip`; did you mean `unattended`?
        exit 1
    "#]].assert_eq(&said(&root, &["check", "--fix", "--format", "github"]));
    assert_eq!(texts(root.as_std_path()), before);
}

#[cfg(unix)]
#[test]
fn a_mended_file_is_replaced_as_a_whole_and_stays_what_it_is() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let (_home, root) = workspace("//- .jp/.keep\n//- real/config.toml\n");
    let real = root.join("real/config.toml");
    let text = "\u{feff}# é\r\n[conversation.tools.a]\r\nsorce = \"local\"\r\ncommand = \"a\"\r\npolicy.run = [\r\n  { arg = \"/x\", const = 1, mode = \"ask\" },\r\n]\r\nparameters.x.type = \"integer\"\r\n";
    fs::write(&real, text).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(&real, root.join("before.toml")).unwrap();
    symlink("../real/config.toml", root.join(".jp/config.toml")).unwrap();
    said(&root, &["check", "--fix"]);
    let mended = text.replace("sorce", "source").replace(
        "mode = \"ask\" },\r\n",
        "mode = \"ask\" },\r\n  { mode = \"ask\" },\r\n",
    );
    assert_eq!(fs::read_to_string(&real).unwrap(), mended);
    // What was there is not written over, so nothing is half written when a write is cut off.
    let before = fs::read_to_string(root.join("before.toml")).unwrap();
    assert_eq!(before, text);
    let mode = fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(root.join(".jp/config.toml").is_symlink());
    assert_eq!(fs::read_dir(root.join("real")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn names_of_files_and_keys_steer_nothing_that_shows_a_report() {
    let (_home, root) = workspace(
        "//- .jp/config.toml\nconfig_load_paths = [\"frag\"]\n\"k\\u001b[2J\\u202e\" = 2\r\n",
    );
    let name = "frag/a\u{1b}[2Jb\nerror: c.toml";
    fs::create_dir(root.join("frag")).unwrap();
    fs::write(root.join(name), "assistant.name = 1\n").unwrap();
    let report = said(&root, &["check"]);
    expect![[r#"
        error[unknown-key]: unknown key `k [2J\u{202e}`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
         --> .jp/config.toml:2:1
          |
        2 | "k\u001b[2J\u202e" = 2
          | ^^^^^^^^^^^^^^^^^^

        error[type-mismatch]: invalid type: integer `1`, expected a string; write `"1"`
         --> frag/a␛[2Jb␊error: c.toml:1:18
          |
        1 | assistant.name = 1
          |                  ^

        2 errors, 0 warnings
        note: no model is set in `HOME/w`: write `assistant.model.id = "provider/name"` into its config, or ask with `--model`
        exit 1
    "#]].assert_eq(&report);
    let report = said(&root, &["check", "--format", "github"]);
    expect![[r#"
        ::error file=.jp/config.toml,line=2,col=1,endLine=2,endColumn=19,title=unknown-key::unknown key `k [2J\u{202e}`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
        ::error file=frag/a␛[2Jb%0Aerror%3A c.toml,line=1,col=18,endLine=1,endColumn=19,title=type-mismatch::invalid type: integer `1`, expected a string; write `"1"`
        exit 1
    "#]].assert_eq(&report);
    let report = said(&root, &["check", "--format", "junit"]);
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="jp-lsp check" tests="2" failures="2">
          <testsuite name=".jp/config.toml" tests="1" failures="1">
            <testcase classname="unknown-key" name="2:1 unknown key `k [2J\u{202e}`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`" file=".jp/config.toml" line="2">
              <failure type="error" message="unknown key `k [2J\u{202e}`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`">.jp/config.toml:2:1: unknown key `k [2J\u{202e}`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`</failure>
            </testcase>
          </testsuite>
          <testsuite name="frag/a␛[2Jb&#10;error: c.toml" tests="1" failures="1">
            <testcase classname="type-mismatch" name="1:18 invalid type: integer `1`, expected a string; write `&quot;1&quot;`" file="frag/a␛[2Jb&#10;error: c.toml" line="1">
              <failure type="error" message="invalid type: integer `1`, expected a string; write `&quot;1&quot;`">frag/a␛[2Jb&#10;error: c.toml:1:18: invalid type: integer `1`, expected a string; write `&quot;1&quot;`</failure>
            </testcase>
          </testsuite>
        </testsuites>
        exit 1
    "#]].assert_eq(&report);
    let output = command(&root, &["check", "--format", "sarif"])
        .output()
        .unwrap();
    let log = sarif::log(&output.stdout);
    let at = "/runs/0/results/1/locations/0/physicalLocation/artifactLocation/uri";
    assert_eq!(
        log.pointer(at),
        Some(&json!("frag/a%1B%5B2Jb%0Aerror%3A%20c.toml"))
    );
}

#[test]
fn build_servers_get_their_formats() {
    let fixture =
        "//- .jp/config.toml\nsummery = \"<&\\u0007\\\">\"\nextends = [\"a]]>&b.toml\"]\n";
    let (_home, root) = workspace(fixture);
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="jp-lsp check" tests="2" failures="2">
          <testsuite name=".jp/config.toml" tests="2" failures="2">
            <testcase classname="unknown-key" name="1:1 unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`" file=".jp/config.toml" line="1">
              <failure type="error" message="unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`">.jp/config.toml:1:1: unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`</failure>
            </testcase>
            <testcase classname="extends-missing" name="2:12 no file stands at `.jp/a]]&gt;&amp;b.toml`, so this entry adds nothing" file=".jp/config.toml" line="2">
              <failure type="warning" message="no file stands at `.jp/a]]&gt;&amp;b.toml`, so this entry adds nothing">.jp/config.toml:2:12: no file stands at `.jp/a]]&gt;&amp;b.toml`, so this entry adds nothing&#10;paths in `extends` are relative to the file that holds them</failure>
            </testcase>
          </testsuite>
        </testsuites>
        exit 1
    "#]].assert_eq(&said(&root, &["check", "--format", "junit"]));
    expect![[r#"
        [{"description":"unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`","check_name":"unknown-key","fingerprint":"b5a9f96fb07c9a07b8591d438ca286c6","severity":"major","location":{"path":".jp/config.toml","lines":{"begin":1,"end":1}}},{"description":"no file stands at `.jp/a]]>&b.toml`, so this entry adds nothing\npaths in `extends` are relative to the file that holds them","check_name":"extends-missing","fingerprint":"b13d7ec7abaf1c5d73e2740f82bfe2a4","severity":"minor","location":{"path":".jp/config.toml","lines":{"begin":2,"end":2}}}]
        exit 1
    "#]].assert_eq(&said(&root, &["check", "--format", "gitlab"]));
    let (_home, clean) = workspace("//- .jp/config.toml\n");
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="jp-lsp check" tests="1" failures="0">
          <testsuite name="jp-lsp check" tests="1" failures="0">
            <testcase classname="jp-lsp" name="nothing found"/>
          </testsuite>
        </testsuites>
        exit 0
    "#]]
    .assert_eq(&said(&clean, &["check", "--format", "junit"]));
    expect![[r#"
        []
        exit 0
    "#]]
    .assert_eq(&said(&clean, &["check", "--format", "gitlab"]));
}

#[test]
fn sarif_says_all_there_is_to_say() {
    let (_home, root) = workspace("//- .jp/config.toml\nsummery = 1\nsummery2 = 1\n");
    let output = command(&root, &["check", "--format", "sarif"])
        .output()
        .unwrap();
    let log = sarif::log(&output.stdout);
    let at = |pointer: &str| log.pointer(pointer).unwrap();
    let rule = "/runs/0/tool/driver/rules/0";
    let page = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/diagnostics/unknown-key.md"
    ));
    assert_eq!(at(&format!("{rule}/help/markdown")), page.unwrap().as_str());
    let uri = at(&format!("{rule}/helpUri")).as_str().unwrap();
    assert!(
        uri.starts_with("https://") && uri.contains("diagnostics/unknown-key"),
        "{uri}"
    );
    assert!(at("/runs/0/tool/driver/informationUri").is_string());
    let results = at("/runs/0/results").as_array().unwrap();
    let fingerprints = |results: &[Value]| -> Vec<String> {
        let fingerprint = |result: &Value| {
            let value = result.pointer("/partialFingerprints/jpLspFinding~1v1");
            value.unwrap().as_str().unwrap().to_owned()
        };
        results.iter().map(fingerprint).collect()
    };
    let before = fingerprints(results);
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 2);
    // A finding that has moved is the same finding.
    fs::write(
        root.join(".jp/config.toml"),
        "\n\nsummery = 1\nsummery2 = 1\n",
    )
    .unwrap();
    let output = command(&root, &["check", "--format", "sarif"])
        .output()
        .unwrap();
    let log = sarif::log(&output.stdout);
    let moved = log.pointer("/runs/0/results").unwrap();
    assert_eq!(fingerprints(moved.as_array().unwrap()), before);
}

#[test]
fn a_sarif_log_is_one_for_every_path_and_for_no_finding() {
    // What a URI escapes, and a finding with a related one.
    let (_home, root) = workspace(
        "//- frag/ä 100% #1?.toml\n[assistant]\nsummery = 1\n//- .jp/config.toml\nconfig_load_paths = [\"frag\"]\n[conversation.tools.edit]\nsource = \"local\"\nparameters.path.type = \"path\"\npolicy.run = [{ mode = \"ask\" }, { arg = \"/path\", const = \"a\", mode = \"skip\" }]\n",
    );
    let output = command(&root, &["check", "--format", "sarif"])
        .output()
        .unwrap();
    let found = sarif::log(&output.stdout);
    let results = found.pointer("/runs/0/results").unwrap();
    for result in results.as_array().unwrap() {
        let rule = format!("/runs/0/tool/driver/rules/{}/id", result["ruleIndex"]);
        assert_eq!(found.pointer(&rule), result.get("ruleId"));
    }
    let related = |result: &Value| result["relatedLocations"] != json!([]);
    assert!(results.as_array().unwrap().iter().any(related), "{found:#}");
    let at = "/locations/0/physicalLocation/artifactLocation/uri";
    let uris = results.as_array().unwrap().iter();
    let uris: BTreeSet<&str> = uris
        .map(|result| result.pointer(at).unwrap().as_str().unwrap())
        .collect();
    expect![[r#"{".jp/config.toml", "frag/%C3%A4%20100%25%20%231%3F.toml"}"#]]
        .assert_eq(&format!("{uris:?}"));

    let (_home, root) = workspace("//- .jp/config.toml\n");
    let output = command(&root, &["check", "--format", "sarif"])
        .output()
        .unwrap();
    let none = sarif::log(&output.stdout);
    assert_eq!(none.pointer("/runs/0/results"), Some(&json!([])));

    let place = "/runs/0/results/0/locations/0/physicalLocation";
    let faults = [
        ("/version".to_owned(), json!("2.0.0")),
        ("/runs/0/results/0/level".to_owned(), json!("fatal")),
        ("/runs/0/results/0/message".to_owned(), json!({})),
        (format!("{place}/artifactLocation/uri"), json!("a b")),
        (format!("{place}/region/startLine"), json!(0)),
    ];
    for (pointer, value) in faults {
        let mut broken = found.clone();
        *broken.pointer_mut(&pointer).unwrap() = value;
        assert_eq!(sarif::mistakes(&broken).len(), 1, "{pointer}");
    }
}

#[test]
fn the_page_of_a_code_is_in_the_binary() {
    let (_home, root) = workspace("//- .jp/config.toml\n");
    for code in ["rule-shadowed", "allow-unused", "pending-prompt"] {
        let page = format!(
            "{}/../../docs/diagnostics/{code}.md",
            env!("CARGO_MANIFEST_DIR")
        );
        let page = fs::read_to_string(page).unwrap();
        assert_eq!(
            said(&root, &["explain", code]),
            format!("{}\nexit 0\n", page.trim_end())
        );
    }
    expect![[r#"
        jp-lsp: `rule-shadwed` is no topic and no code of a finding, did you mean `rule-shadowed`?: `jp-lsp explain codes` lists the codes
        exit 2
    "#]].assert_eq(&said(&root, &["explain", "rule-shadwed"]));
    let list = said(&root, &["explain", "codes"]);
    expect![[r#"
        toml-syntax                error        the text is not valid TOML, JSON or YAML
        unknown-key                error        a key that the config does not have
        type-mismatch              error        a value of the wrong type"#]]
    .assert_eq(&list.lines().take(3).collect::<Vec<_>>().join("\n"));
}
