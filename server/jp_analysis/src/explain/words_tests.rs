use super::{
    words::{
        Style, access, arguments_from_words, config, policy, question_from_words, summarize,
        summary,
    },
    *,
};
use crate::text::markup::MarkupKind;

/// What is said about a call that is written in words; without words, about the tool.
fn said(graph: &Arc<Graph>, tool: &str, question: PolicyQuestion, call: &str) -> String {
    let view = view_of_tool(graph, tool).unwrap();
    let words: Vec<String> = call.split_whitespace().map(str::to_owned).collect();
    let arguments = (!words.is_empty()).then(|| arguments_from_words(&view, tool, &words));
    let told = arguments.transpose().and_then(|arguments| {
        let arguments = arguments.as_ref();
        let style = Style::PLAIN;
        policy(&view, tool, question, arguments, None, &Paths, style)
    });
    format!("{}\n", told.unwrap_or_else(|error| error.to_string()))
}

fn check(tool: &str, calls: &[&str], expect: &Expect) {
    let graph = graph();
    let said = calls
        .iter()
        .map(|call| said(&graph, tool, PolicyQuestion::Run, call));
    expect.assert_eq(&said.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_decision_is_a_sentence_and_a_table() {
    check(
        "edit",
        &[
            "path=src/a.rs",
            "path=README.md",
            "path=link/secret",
            "path=../x",
            "path=src/a.rs paths=src/b.rs paths=README.md",
        ],
        &expect![[r#"
            edit runs without asking, by rule 2 at .jp/config.toml:8.

              #  matches    rule                                   why                       where
              1  no         /path starts with "real/secret": skip  "src/a.rs" does not fit   .jp/config.toml:7
              2  yes        /path starts with "src": unattended    "src/a.rs" fits           .jp/config.toml:8
              3  not tried  /path starts with "link": unattended   rule 2 decides before it  .jp/config.toml:9

            edit asks before it runs, because no rule matches.

              #  matches  rule                                   why                       where
              1  no       /path starts with "real/secret": skip  "README.md" does not fit  .jp/config.toml:7
              2  no       /path starts with "src": unattended    "README.md" does not fit  .jp/config.toml:8
              3  no       /path starts with "link": unattended   "README.md" does not fit  .jp/config.toml:9
                 yes      otherwise: ask

            edit does not run, by rule 1 at .jp/config.toml:7.

            - link/secret leads to real/secret

              #  matches    rule                                   why                       where
              1  yes        /path starts with "real/secret": skip  "real/secret" fits        .jp/config.toml:7
              2  not tried  /path starts with "src": unattended    rule 1 decides before it  .jp/config.toml:8
              3  not tried  /path starts with "link": unattended   rule 1 decides before it  .jp/config.toml:9

            edit asks before it runs, because ../x leads out of the workspace.

              #  matches  rule                                   why                  where
              1  no       /path starts with "real/secret": skip  "../x" does not fit  .jp/config.toml:7
              2  no       /path starts with "src": unattended    "../x" does not fit  .jp/config.toml:8
              3  no       /path starts with "link": unattended   "../x" does not fit  .jp/config.toml:9
                 yes      otherwise: ask

            edit asks before it runs, because no rule matches.

            Each path is decided on its own, and the strictest decision counts:

            - src/a.rs runs without asking (rule 2)
            - src/b.rs asks before it runs
            - README.md asks before it runs

              #  matches  rule                                   why                                                   where
              1  no       /path starts with "real/secret": skip  without the other paths, the call has no value there  .jp/config.toml:7
              2  no       /path starts with "src": unattended    without the other paths, the call has no value there  .jp/config.toml:8
              3  no       /path starts with "link": unattended   without the other paths, the call has no value there  .jp/config.toml:9
                 yes      otherwise: ask
        "#]],
    );
}

#[test]
fn a_mode_needs_no_table() {
    check(
        "plain",
        &["x=1", ""],
        &expect![[r#"
        invalid arguments: unknown argument `x`

        plain asks before it runs, by run of the tool defaults at .jp/config.toml:3.
    "#]],
    );
    let graph = graph();
    let result = said(&graph, "edit", PolicyQuestion::Result, "path=src");
    expect![[r#"
        The result of edit is delivered after you have edited it, by result at .jp/tools/edit.toml:3.
    "#]].assert_eq(&result);
}

#[test]
fn the_rules_of_a_tool_come_with_calls_that_reach_them() {
    check(
        "edit",
        &[""],
        &expect![[r#"
        edit has 3 rules; the first that matches a call decides.

          #  rule                                   reached by                where
          1  /path starts with "real/secret": skip  {"path":"real/secret/x"}  .jp/config.toml:7
          2  /path starts with "src": unattended    {"path":"src/x"}          .jp/config.toml:8
          3  /path starts with "link": unattended   {"path":"link/x"}         .jp/config.toml:9
    "#]],
    );
}

#[test]
fn words_that_are_no_arguments_are_refused() {
    check(
        "edit",
        &[
            "src",
            "path=a path=b",
            "paht=a path=a",
            "path=a count=x",
            "path=a count=7",
        ],
        &expect![[r#"
            `src` is no argument: write `NAME=VALUE`, such as `path=src/lib.rs`

            `path` is given twice, and it is no list

            invalid arguments: unknown argument `paht`, did you mean `path`

            invalid arguments: `count` must be integer, not string

            edit asks before it runs, because no rule matches.

              #  matches  rule                                   why               where
              1  no       /path starts with "real/secret": skip  "a" does not fit  .jp/config.toml:7
              2  no       /path starts with "src": unattended    "a" does not fit  .jp/config.toml:8
              3  no       /path starts with "link": unattended   "a" does not fit  .jp/config.toml:9
                 yes      otherwise: ask
        "#]],
    );
}

#[test]
fn a_broken_rule_is_told_and_left_out() {
    let files = MemoryFiles::from_fixture(
        r#"
//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path" }
policy.run = [
    { arg = "/pth", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "doc" },
    { mode = "ask" },
]
"#
        .trim_start(),
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let said = |call| said(&graph, "edit", PolicyQuestion::Run, call);
    expect![[r#"
        edit runs without asking, by rule 2 at .jp/config.toml:7.

        Rule 1 is broken and left out; once it is mended, it may decide this call: /pth does not resolve: there is no parameter pth; did you mean path?

        Rule 3 is broken and left out: the rule has no mode; add one of ask, unattended, edit, skip

          #  matches    rule                                 why                       where
          1  broken     (broken)                             it cannot be used         .jp/config.toml:6
          2  yes        /path starts with "src": unattended  "src/a" fits              .jp/config.toml:7
          3  broken     (broken)                             rule 2 decides before it  .jp/config.toml:8
          4  not tried  every call: ask                      rule 2 decides before it  .jp/config.toml:9
    "#]].assert_eq(&said("path=src/a"));
    expect![[r#"
        edit has 4 rules; the first that matches a call decides.

        Rule 1 is broken and left out: /pth does not resolve: there is no parameter pth; did you mean path?

        Rule 3 is broken and left out: the rule has no mode; add one of ask, unattended, edit, skip

          #  rule                                 reached by         where
          1  (broken)                             no call was found  .jp/config.toml:6
          2  /path starts with "src": unattended  {"path":"src/x"}   .jp/config.toml:7
          3  (broken)                             no call was found  .jp/config.toml:8
          4  every call: ask                      {}                 .jp/config.toml:9
    "#]].assert_eq(&said(""));
}

#[test]
fn markdown_links_places_and_shows_hostile_text_as_code() {
    let files = MemoryFiles::from_fixture(
        r#"
//- /w/.jp/config.toml
[conversation.tools."a|[x](command:evil)"]
source = "local"
command = "a"
parameters.path = { type = "string" }
policy.run = [{ arg = "/path", const = "`|<img src=x>", mode = "skip" }, { mode = "ask" }]
"#
        .trim_start(),
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let tool = "a|[x](command:evil)";
    let view = view_of_tool(&graph, tool).unwrap();
    let link = |path: &Utf8Path, line| Some(format!("file:///w/{path}#L{line}"));
    let style = Style {
        kind: MarkupKind::Markdown,
        link: &link,
    };
    let call = json!({"path": "![x](http://evil)`|\u{202e}"});
    let said = policy(
        &view,
        tool,
        PolicyQuestion::Run,
        Some(&call),
        None,
        &Paths,
        style,
    );
    expect![[r#"
        `a|[x](command:evil)` asks before it runs, by rule 2 at [`.jp/config.toml:5`](<file:///w/.jp/config.toml#L5>).

        | # | matches | rule | why | where |
        | --- | --- | --- | --- | --- |
        | 1 | no | `/path` is ``"`\|<img src=x>"``: `skip` | ``"![x](http://evil)`\|\u{202e}"`` does not fit | [`.jp/config.toml:5`](<file:///w/.jp/config.toml#L5>) |
        | 2 | yes | every call: `ask` | it has no condition | [`.jp/config.toml:5`](<file:///w/.jp/config.toml#L5>) |"#]].assert_eq(&said.unwrap());
}

#[test]
fn accesses_are_told_in_a_sentence() {
    let graph = graph();
    let view = View::new(graph);
    let explainer = AccessExplainer::new(&view, "edit", &Paths).unwrap();
    let said = |word: &&str| {
        let question = question_from_words(word)?;
        access(&explainer, "edit", &question, &Paths, Style::PLAIN)
    };
    let lines = [
        "read=README.md",
        "update=src/lib.rs",
        "delete=README.md",
        "fs.execute=src",
        "read=../x",
        "net=https://example.org/a",
        "net=https://example.com/a",
        "env=AWS_KEY",
        "config.write=assistant.model.id",
        "config.delete=assistant.model.id",
        "config.read=nonsense",
        "write=src",
        "src",
    ];
    let lines: Vec<String> = lines
        .iter()
        .map(|word| said(word).unwrap_or_else(|error| error.to_string()))
        .collect();
    expect![[r#"
        edit may read README.md, by rule 1 of access.fs at .jp/tools/edit.toml:8 (the rule grants it).
        edit may change src/lib.rs, by rule 2 of access.fs at .jp/tools/edit.toml:12 (the rule grants it).
        edit may not remove README.md, by rule 1 of access.fs at .jp/tools/edit.toml:8 (the rule does not grant it).
        edit may not run src, by rule 2 of access.fs at .jp/tools/edit.toml:12 (the rule does not grant it).
        edit may not read ../x, because path escapes the workspace: ../x.
        edit may send requests to https://example.org/a, by rule 1 of access.net at .jp/tools/edit.toml:21 (the rule grants it).
        edit may not send requests to https://example.com/a, because no rule matches, and declared rules deny everything else.
        edit may not read the variable AWS_KEY, by rule 1 of access.env at .jp/tools/edit.toml:25 (the rule does not grant it).
        edit may change the config at assistant.model.id, by rule 1 of access.config at .jp/tools/edit.toml:16 (the rule grants it). A person confirms the change first.
        edit may not unset the config at assistant.model.id, by rule 1 of access.config at .jp/tools/edit.toml:16 (the rule does not grant it).
        no config path `nonsense`: there is no key `nonsense`
        `write=src` is no question about access: write `read=PATH`, `create=PATH`, `update=PATH`, `delete=PATH`, `execute=PATH`, `net=URL`, `env=NAME`, `config.read=CONFIG_PATH`, `config.write=CONFIG_PATH` or `config.delete=CONFIG_PATH`
        `src` is no question about access: write `read=PATH`, `create=PATH`, `update=PATH`, `delete=PATH`, `execute=PATH`, `net=URL`, `env=NAME`, `config.read=CONFIG_PATH`, `config.write=CONFIG_PATH` or `config.delete=CONFIG_PATH`"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn a_value_is_told_with_its_source() {
    let view = View::new(graph());
    let lines: Vec<String> = [
        "conversation.tools.edit.result",
        "conversation.tools.edit.run",
        "assistant.model.id",
        "conversation.tools.edit.enable",
    ]
    .iter()
    .map(|path| config(&crate::explain::config(&view, path).unwrap(), Style::PLAIN))
    .collect();
    expect![[r#"
        conversation.tools.edit.result is "edit", from .jp/tools/edit.toml:3.
        conversation.tools.edit.run is "ask", inherited from conversation.tools.*.run at .jp/config.toml:3.
        assistant.model.id is not set, and has no default.
        conversation.tools.edit.enable is not set, and has no default."#]].assert_eq(&lines.join("\n"));
}

#[test]
fn a_summary_says_what_runs_unasked_and_what_is_touched() {
    let files = MemoryFiles::from_fixture(
        r#"
//- /w/.jp/config.toml
[conversation.tools.'*']
run = "ask"
[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path" }
parameters.kind = { type = "string", enum = ["a", "b"] }
policy.run = [
    { arg = "/path", prefix = "src/keys", mode = "skip" },
    { arg = "/path", prefix = "doc", mode = "ask" },
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "src/lib", mode = "ask" },
    { arg = "/kind", const = "a", mode = "unattended" },
    { arg = "/pth", const = "a", mode = "unattended" },
]
access.fs = [{ path = ".", read = true }, { path = "src", read = true, write = true }]
access.net = [{ host = "docs.rs", allow = true }]
access.config = [{ path = "assistant.model", write = true }]
[conversation.tools.free]
source = "local"
command = "free"
run = "unattended"
[conversation.tools.off]
source = "mcp.server.tool"
enable = false
policy.run = [{ arg = "/x", const = 1, mode = "unattended" }, { mode = "skip" }]
"#
        .trim_start(),
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let view = View::new(graph);
    let tools = summarize(&view);
    expect![[r#"
        Runs without a question, whatever the call: free.

        Runs without a question for some calls: edit.

        edit, a local tool

        - does not run when /path starts with "src/keys" (rule 1 at .jp/config.toml:9)
        - asks before it runs when /path starts with "doc" (rule 2 at .jp/config.toml:10)
        - runs without asking when /path starts with "src" (rule 3 at .jp/config.toml:11), except when /path starts with "src/keys"
        - runs without asking when /kind is "a" (rule 5 at .jp/config.toml:13), except when /path starts with "src/keys" or when /path starts with "doc"
        - asks before it runs in every other case
        - no turn starts: rule 6: /pth does not resolve: there is no parameter pth; did you mean path?
        - decides each path of a call on its own, the strictest counts, and asks for every path that leads out of the workspace
        - may read files in the whole workspace
        - may read, create, change and remove files at and below src
        - may send requests to docs.rs
        - sees every variable but the keys of models: no access.env says otherwise
        - may change config at and below assistant.model

        free, a local tool

        - runs without asking, whatever the call (.jp/config.toml:22)
        - may touch every file that you can: no access.fs says otherwise
        - may send requests anywhere: no access.net says otherwise
        - sees every variable but the keys of models: no access.env says otherwise

        off, an MCP tool, off

        - runs without asking when /x is 1 (rule 1 at .jp/config.toml:26)
        - does not run in every other case (rule 2 at .jp/config.toml:26)
        - may touch whatever its server does: grants are for local tools"#]].assert_eq(&summary(&tools, Style::PLAIN));
    expect![[r#"{"tool":"free","enabled":true,"source":"local","runs":[{"mode":"unattended","when":null,"except":[],"rule":{"index":0,"path":".jp/config.toml","line":22},"example":{}}],"broken":[],"touches":["may touch every file that you can: no access.fs says otherwise","may send requests anywhere: no access.net says otherwise","sees every variable but the keys of models: no access.env says otherwise"]}"#]].assert_eq(&tools[1].to_json().to_string());
    expect!["No tool is configured."].assert_eq(&summary(&[], Style::PLAIN));
    let off = summary(&tools[2..], Style::PLAIN);
    assert_eq!(off.lines().next(), Some("None of these tools is on."));
}
