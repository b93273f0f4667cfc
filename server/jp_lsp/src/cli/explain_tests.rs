use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;

fn check(command: &str, input: &str, expect: &Expect) {
    let folder = TempDir::new().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    for directory in [".jp", "src", "secret"] {
        std::fs::create_dir(root.join(directory)).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", root.join("src/link")).unwrap();
    std::fs::write(
        root.join(".jp/config.toml"),
        "[conversation.tools.edit]\nsource = \"local\"\nparameters.path = { type = \"path\" }\n\
         policy.run = [{ arg = \"/path\", prefix = \"secret\", mode = \"skip\" }, { arg = \"/path\", prefix = \"src\", mode = \"unattended\" }]\n\
         access.fs = [{ path = \"src\", read = true }]\n",
    )
    .unwrap();
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: ExplainArguments,
    }
    let words = std::iter::once("explain").chain(command.split(' '));
    let words = words.chain(["--workspace", root.as_str()]);
    let line = <Line as clap::Parser>::try_parse_from(words).unwrap();
    let mut output = Vec::new();
    let result = run(&line.arguments, Some(input.as_bytes()), &mut output);
    let mut printed = String::from_utf8(output).unwrap();
    match result {
        Ok(code) => printed.push_str(&format!("exit {code}\n")),
        Err(error) => printed.push_str(&format!("{error}\nexit 2\n")),
    }
    expect.assert_eq(&printed.replace(root.as_str(), "<root>"));
}

#[test]
#[cfg(unix)]
fn calls_are_decided_on_the_paths_that_are_on_disk() {
    check(
        "policy --tool edit",
        "{\"path\":\"src/a\"}\n\n{\"path\":\"src/link/key\"}\n{\"path\":\"../x\"}\nnonsense\n{\"paht\":1}",
        &expect![[r#"
            {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":4},"values":["src/a"],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/a\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"matched","reason":"`\"src/a\"` at `/path` satisfies `prefix`"}]}
            {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":4},"values":["secret/key"],"trace":[{"index":0,"verdict":"matched","reason":"`\"secret/key\"` at `/path` satisfies `prefix`"},{"index":1,"verdict":"skipped","reason":"rule 1 decides before it"}]}
            {"mode":"ask","rule":null,"values":[],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"../x\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"not_matched","reason":"`\"../x\"` at `/path` does not satisfy `prefix`"}]}
            {"error":"invalid JSON: expected ident at line 1 column 2"}
            {"error":"invalid arguments: unknown argument `paht`, did you mean `path`"}
            exit 0
        "#]],
    );
}

#[test]
#[cfg(unix)]
fn accesses_are_decided_on_the_paths_that_are_on_disk() {
    check(
        "access --tool edit",
        "{\"fs\":{\"capability\":\"read\",\"path\":\"src/a\"}}\n{\"fs\":{\"capability\":\"read\",\"path\":\"src/link/a\"}}\n",
        &expect![[r#"
            {"allowed":true,"rule":{"index":0,"path":".jp/config.toml","line":5},"target":"src/a","reason":"the rule grants it"}
            {"allowed":false,"rule":null,"target":"secret/a","reason":"no rule matches, and declared rules deny everything else"}
            exit 0
        "#]],
    );
}

#[test]
fn a_config_path_is_one_line() {
    check(
        "config conversation.tools.edit.source",
        "",
        &expect![[r#"
        {"path":"conversation.tools.edit.source","value":"local","layers":[{"path":".jp/config.toml","line":2,"source":"workspace","value":"local"}]}
        exit 0
    "#]],
    );
    check(
        "config conversation.tolls",
        "",
        &expect![[r#"
        no config path `conversation.tolls`: there is no key `tolls`; did you mean `tools`?
        exit 2
    "#]],
    );
}

#[test]
fn an_unknown_tool_is_an_error() {
    check(
        "policy --tool edti",
        "{}\n",
        &expect![[r#"
        no tool `edti` is configured; did you mean `edit`?
        exit 2
    "#]],
    );
}

#[test]
#[cfg(unix)]
fn protected_places_take_a_rule_of_their_own() {
    let folder = TempDir::new().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    for directory in [".jp", "src", "conf"] {
        std::fs::create_dir(root.join(directory)).unwrap();
    }
    std::fs::write(root.join("conf/base.toml"), "").unwrap();
    std::os::unix::fs::symlink("../conf/base.toml", root.join("src/link")).unwrap();
    std::fs::write(
        root.join(".jp/config.toml"),
        "extends = [\"../conf/base.toml\"]\n[conversation.tools.edit]\nsource = \"local\"\n\
         access.fs = [{ path = \".\", write = true }, { path = \".jp/mcp\", write = true }]\n",
    )
    .unwrap();
    let mut answers = Vec::new();
    for (capability, path) in [
        ("update", ".jp/config.toml"),
        ("create", "src/.jp.toml"),
        ("create", ".jp/mcp/new.toml"),
        ("update", "conf/base.toml"),
        ("update", "src/link"),
        ("delete", "src/link"),
        ("delete", "src/.git"),
        ("create", "src/new.rs"),
    ] {
        let question =
            format!("{{\"fs\":{{\"capability\":\"{capability}\",\"path\":\"{path}\"}}}}");
        let words = ["explain", "access", "--tool", "edit", "--workspace"];
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: ExplainArguments,
        }
        let words = words.into_iter().chain([root.as_str()]);
        let line = <Line as clap::Parser>::try_parse_from(words).unwrap();
        let mut output = Vec::new();
        run(&line.arguments, Some(question.as_bytes()), &mut output).unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output).unwrap();
        answers.push(format!(
            "{capability} {path}: {} {} {}",
            answer["allowed"],
            answer["target"],
            answer["reason"].as_str().unwrap()
        ));
    }
    expect![[r#"
        update .jp/config.toml: false ".jp/config.toml" `.jp` is protected, and only a rule whose `path` lies at or below it grants that: `{ path = ".jp", update = true }`
        create src/.jp.toml: false "src/.jp.toml" `src/.jp.toml` is protected, and only a rule whose `path` lies at or below it grants that: `{ path = "src/.jp.toml", create = true }`
        create .jp/mcp/new.toml: true ".jp/mcp/new.toml" the rule grants it
        update conf/base.toml: false "conf/base.toml" `conf/base.toml` is protected, and only a rule whose `path` lies at or below it grants that: `{ path = "conf/base.toml", update = true }`
        update src/link: false "conf/base.toml" `conf/base.toml` is protected, and only a rule whose `path` lies at or below it grants that: `{ path = "conf/base.toml", update = true }`
        delete src/link: true "src/link" the rule grants it
        delete src/.git: false "src/.git" `src/.git` is protected, and only a rule whose `path` lies at or below it grants that: `{ path = "src/.git", delete = true }`
        create src/new.rs: true "src/new.rs" the rule grants it"#]]
    .assert_eq(&answers.join("\n"));
}

#[test]
#[cfg(unix)]
fn a_question_in_words_is_answered_in_words() {
    check(
        "policy --tool edit path=src/link/key",
        "",
        &expect![[r#"
        edit does not run, by rule 1 at .jp/config.toml:4.

        - src/link/key leads to secret/key

          #  matches    rule                                 why                       where
          1  yes        /path starts with "secret": skip     "secret/key" fits         .jp/config.toml:4
          2  not tried  /path starts with "src": unattended  rule 1 decides before it  .jp/config.toml:4
        exit 0
    "#]],
    );
    check(
        "policy --tool edit path=src/a --format json",
        "",
        &expect![[r#"
            {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":4},"values":["src/a"],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/a\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"matched","reason":"`\"src/a\"` at `/path` satisfies `prefix`"}]}
            exit 0
        "#]],
    );
    check(
        "policy --tool edit --format human",
        "{\"path\":\"src/a\"}\n{\"paht\":1}\nnonsense\n",
        &expect![[r#"
            edit runs without asking, by rule 2 at .jp/config.toml:4.

              #  matches  rule                                 why                   where
              1  no       /path starts with "secret": skip     "src/a" does not fit  .jp/config.toml:4
              2  yes      /path starts with "src": unattended  "src/a" fits          .jp/config.toml:4

            error: invalid arguments: unknown argument `paht`, did you mean `path`
            error: invalid JSON: expected ident at line 1 column 2
            exit 0
        "#]],
    );
    check(
        "policy --tool edit src",
        "",
        &expect![[r#"
        `src` is no argument: write `NAME=VALUE`, such as `path=src/lib.rs`
        exit 2
    "#]],
    );
    check(
        "access --tool edit read=src/a update=src/a env=HOME",
        "",
        &expect![[r#"
            edit may read src/a, by rule 1 of access.fs at .jp/config.toml:5 (the rule grants it).
            edit may not change src/a, by rule 1 of access.fs at .jp/config.toml:5 (the rule does not grant it).
            edit may read the variable HOME, because no rules are declared for this resource.
            exit 0
        "#]],
    );
    check(
        "config conversation.tools.edit.source --format human",
        "",
        &expect![[r#"
            conversation.tools.edit.source is "local", from .jp/config.toml:2.
            exit 0
        "#]],
    );
}
