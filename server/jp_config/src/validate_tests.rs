use std::fmt::Write as _;

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{
    At, Code, Extent, Omitted, Severity, Violation, missing_global, missing_required,
    rejected_by_released, unknown_key, validate, validate_table, validate_up_to,
};
use crate::{
    document::{Document, Node},
    merge::{LayerId, Located},
    schema::schema,
};

fn show(text: &str, violations: &[Violation<Node<'_>>]) -> String {
    let mut out = String::new();
    for violation in violations {
        let (what, span) = match &violation.at {
            At::Key(entry) => ("key", entry.key_span()),
            At::Value(value) => ("value", value.span()),
        };
        let at = text.get(span.start as usize..span.end as usize).unwrap();
        let at = at.lines().next().unwrap_or_default();
        write!(
            out,
            "{} {:?} {} @ {what} `{at}`\n    {}\n",
            violation.code, violation.severity, violation.path, violation.message
        )
        .unwrap();
        if let Some(suggestion) = &violation.suggestion {
            writeln!(out, "    write: {suggestion}").unwrap();
        }
    }
    out
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn check(text: &str, expected: Expect) {
    let document = Document::parse(text);
    let found = validate(schema(), schema().root(), Node::Table(document.root()), "");
    expected.assert_eq(&show(text, &found));
}

#[test]
fn a_rich_valid_file_has_no_mistake() {
    check(include_str!("validate/valid.toml"), expect![[r#""#]]);
}

#[test]
fn options_are_free_in_a_tool_and_unknown_in_the_defaults() {
    check(
        r#"
conversation.tools.t.options = { any = 1, "with.dots" = [{ deep = true }], null_like = "" }
conversation.tools.'*'.options = { any = 1 }
"#,
        expect![[r#"
            unknown-key Error conversation.tools.*.options @ key `options`
                unknown key `options`: options belong to one tool: write `conversation.tools.<name>.options`
        "#]],
    );
}

#[test]
fn unknown_keys_are_marked_alone_and_name_what_was_meant() {
    check(
        r#"
assistent.name = "x"
mcp.servers = {}
[conversation.tools.'*']
access.fs = []
[conversation.tools.t]
summery = "x"
hidden = true
zzz = 1
parameters.p = { type = "string", oneOf = [] }
access.nett = []
policy.run = [{ arg = "/p", exclusiveMinimum = 1, mode = "ask" }]
[assistant.model]
idd = "x"
id = { provider = "openai", nam = "x" }
parameters.temprature = 1
[conversation.attachments]
value = []
dedupe = true
[providers.mcp.s]
type = "stdio"
args = []
"#,
        expect![[r#"
            unknown-key Error assistent @ key `assistent`
                unknown key `assistent`, did you mean `assistant`?
                write: assistant
            unknown-key Error mcp @ key `mcp`
                unknown key `mcp`: write `providers.mcp`
            unknown-key Error conversation.tools.*.access @ key `access`
                unknown key `access`: access is granted per tool: write `conversation.tools.<name>.access`
            unknown-key Error conversation.tools.t.summery @ key `summery`
                unknown key `summery`, did you mean `summary`?
                write: summary
            unknown-key Error conversation.tools.t.hidden @ key `hidden`
                unknown key `hidden`, did you mean `style.hidden`?
                write: style.hidden
            unknown-key Error conversation.tools.t.zzz @ key `zzz`
                unknown key `zzz`, expected one of `source`, `enable`, `command`, `summary`, `description`, `examples`, `parameters`, `run`, `format`, `result`, `policy`, `cancellation_response`, `style`, `questions`, `options`, `access`
            unknown-key Error conversation.tools.t.parameters.p.oneOf @ key `oneOf`
                unknown key `oneOf`: write a list of types: `type = ["string", "object"]`
            unknown-key Error conversation.tools.t.access.nett @ key `nett`
                unknown key `nett`, did you mean `net`?
                write: net
            unknown-key Error conversation.tools.t.policy.run.0.exclusiveMinimum @ key `exclusiveMinimum`
                unknown key `exclusiveMinimum`: write `exclusive_minimum`
                write: exclusive_minimum
            unknown-key Warning conversation.attachments.dedupe @ key `dedupe`
                unknown key `dedupe` is silently ignored, did you mean `dedup`?
                write: dedup
            unknown-key Warning assistant.model.idd @ key `idd`
                unknown key `idd` is silently ignored, did you mean `id`?
                write: id
            unknown-key Warning assistant.model.id.nam @ key `nam`
                unknown key `nam` is silently ignored, did you mean `name`?
                write: name
            unknown-key Warning assistant.model.parameters.temprature @ key `temprature`
                unknown key `temprature` is silently ignored, did you mean `temperature`?
                write: temperature
            unknown-key Error providers.mcp.s.args @ key `args`
                unknown key `args`: write `arguments`
                write: arguments
        "#]],
    );
}

#[test]
fn wrong_types_say_what_is_expected() {
    check(
        r#"
inherit = "yes"
extends = "config.d/*.toml"
user.name = 3
[conversation.tools.t]
enable = 1
run = ["ask"]
command = 4
parameters = []
parameters.p.required = "true"
style.inline_results = 10
access.fs = ["src"]
questions.q.target = true
[assistant]
tool_choice = true
model.parameters.max_tokens = "4096"
model.parameters.reasoning.effort = 12
system_prompt = 1979-05-27
[style]
reasoning.display = 100
"#,
        expect![[r#"
            type-mismatch Error inherit @ value `"yes"`
                invalid type: string `yes`, expected a boolean; write `true`
                write: true
            type-mismatch Error extends @ value `"config.d/*.toml"`
                invalid type: string `config.d/*.toml`, expected a list; write `["config.d/*.toml"]`
                write: ["config.d/*.toml"]
            type-mismatch Error user.name @ value `3`
                invalid type: integer `3`, expected a string; write `"3"`
                write: "3"
            type-mismatch Error conversation.tools.t.enable @ value `1`
                invalid type: integer `1`, expected a boolean, one of `on`, `off`, `explicit`, `always`, or a table with `state` or `allow_toggle`
            type-mismatch Error conversation.tools.t.run @ value `["ask"]`
                invalid type: list, expected one of `ask`, `unattended`, `edit`, `skip`
            type-mismatch Error conversation.tools.t.command @ value `4`
                invalid type: integer `4`, expected a command line or a table with `program`, `args` or `shell`
            type-mismatch Error conversation.tools.t.parameters @ value `[]`
                invalid type: list, expected a table
            type-mismatch Error conversation.tools.t.style.inline_results @ value `10`
                invalid type: integer `10`, expected a boolean, one of `off`, `full`, a whole number in quotes such as `"10"`, or a table with `truncate`; write `"10"`
                write: "10"
            type-mismatch Error conversation.tools.t.access.fs.0 @ value `"src"`
                invalid type: string `src`, expected a table with `path`; write `{ path = "src" }`
                write: { path = "src" }
            type-mismatch Error conversation.tools.t.questions.q.target @ value `true`
                invalid type: boolean `true`, expected one of `user`, `assistant`, or a table
            type-mismatch Error assistant.tool_choice @ value `true`
                invalid type: boolean `true`, expected one of `auto`, `none`, `required`, or the name of a tool
            type-mismatch Error assistant.model.parameters.max_tokens @ value `"4096"`
                invalid type: string `4096`, expected a whole number from 0 to 4294967295; write `4096`
                write: 4096
            type-mismatch Error assistant.model.parameters.reasoning.effort @ value `12`
                invalid type: integer `12`, expected one of `none`, `auto`, `max`, `xhigh`, `high`, `medium`, `low`, `xlow`, or a table with `absolute`; write `{ absolute = 12 }`
                write: { absolute = 12 }
            type-mismatch Error assistant.system_prompt @ value `1979-05-27`
                invalid type: datetime, expected a string
            type-mismatch Error style.reasoning.display @ value `100`
                invalid type: integer `100`, expected one of `hidden`, `summary`, `static`, `progress`, `timer`, `full`, or a table with `truncate`; write `{ truncate = { characters = 100 } }`
                write: { truncate = { characters = 100 } }
        "#]],
    );
}

#[test]
fn wrong_values_name_the_legal_ones() {
    check(
        r##"
[conversation.tools.t]
enable = "onn"
source = "remote"
run = "Ask"
result = "unatended"
policy.run = "always"
policy.result = [{ mode = "aks" }, { arg = "/p" }]
parameters.p.type = "pth"
parameters.q.type = ["string", "bool"]
access.config = [{ path = "a", write = "insecure", apply = "auto" }]
[[conversation.tools.t.access.net]]
host = "x"
port = 70000
[assistant]
request.stream_idle_timeout_secs = 5
request.cache = "medium"
request.max_retries = -1
model.id = "bogus/x"
model.parameters.reasoning = "high"
[conversation]
attachments = ["a.rs", "cmd:git diff"]
labels.1team = "x"
labels."a b" = "x"
compaction.rules = [{ keep_first = "@0", keep_last = "-2", tool_calls = "sres" }]
[style]
typewriter.text_delay = "3"
inline_code.background = "#12"
reasoning.background = 256
[providers.mcp.s]
command = "x"
"##,
        expect![[r##"
            invalid-value Error conversation.tools.t.enable @ value `"onn"`
                unknown variant `onn`, expected a boolean, one of `on`, `off`, `explicit`, `always`, or a table with `state` or `allow_toggle`; did you mean `on`?
                write: "on"
            source-invalid Error conversation.tools.t.source @ value `"remote"`
                unknown tool source `remote`, must be one of: `builtin`, `local`, `mcp`
            invalid-value Error conversation.tools.t.run @ value `"Ask"`
                unknown variant `Ask`, expected one of `ask`, `unattended`, `edit`, `skip`; did you mean `ask`?
                write: "ask"
            invalid-value Error conversation.tools.t.result @ value `"unatended"`
                unknown variant `unatended`, expected one of `unattended`, `ask`, `edit`, `skip`; did you mean `unattended`?
                write: "unattended"
            invalid-value Error conversation.tools.t.policy.run @ value `"always"`
                unknown variant `always`, expected one of `ask`, `unattended`, `edit`, `skip`, or a list of tables
            invalid-value Error conversation.tools.t.policy.result.0.mode @ value `"aks"`
                unknown variant `aks`, expected one of `unattended`, `ask`, `edit`, `skip`; did you mean `ask`?
                write: "ask"
            missing-required Error conversation.tools.t.policy.result.1.mode @ value `{ arg = "/p" }`
                missing required value for `conversation.tools.t.policy.result.1.mode`
            parameter-type-unknown Error conversation.tools.t.parameters.p.type @ value `"pth"`
                unknown parameter type `pth`, expected one of `string`, `path`, `integer`, `number`, `boolean`, `array`, `object`, `null`, or a list of strings; did you mean `path`?
                write: "path"
            parameter-type-unknown Error conversation.tools.t.parameters.q.type.1 @ value `"bool"`
                unknown parameter type `bool`, expected one of `string`, `path`, `integer`, `number`, `boolean`, `array`, `object`, `null`; did you mean `boolean`?
                write: "boolean"
            invalid-value Error conversation.tools.t.access.config.0.write @ value `"insecure"`
                unknown variant `insecure`, expected a boolean or `insecure_allow`; did you mean `insecure_allow`?
                write: "insecure_allow"
            invalid-value Error conversation.tools.t.access.config.0.apply @ value `"auto"`
                unknown variant `auto`, expected one of `ask`, `unattended`
            invalid-value Error conversation.tools.t.access.net.0.port @ value `70000`
                integer `70000` is out of range, expected a value from 0 to 65535
            invalid-value Error conversation.attachments.0 @ value `"a.rs"`
                `a.rs` is not an absolute URL; write `file://a.rs` for a file
                write: "file://a.rs"
            invalid-value Error conversation.labels.1team @ key `1team`
                label key `1team` starts with `1`: a label starts with a letter and holds only letters, digits, `_` and `-`
            invalid-value Error conversation.labels."a b" @ key `"a b"`
                label key `a b` contains ` `: a label starts with a letter and holds only letters, digits, `_` and `-`
            invalid-value Error conversation.compaction.rules.0.keep_first @ value `"@0"`
                invalid value: string `@0`, expected `last-compaction` or a bound such as `"3"`, `"@3"`, `"-3"` or `"5h"`
            invalid-value Error assistant.request.stream_idle_timeout_secs @ value `5`
                invalid value: integer `5`, expected a whole number from 10 to 4294967295 or `0`
            invalid-value Error assistant.request.cache @ value `"medium"`
                invalid value: string `medium`, expected one of `off`, `short`, `long`, or a duration such as `10m` or `500us`
            invalid-value Error assistant.request.max_retries @ value `-1`
                integer `-1` is out of range, expected a value from 0 to 4294967295
            model-id-invalid Error assistant.model.id @ value `"bogus/x"`
                unknown provider `bogus`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
            invalid-value Error assistant.model.parameters.reasoning @ value `"high"`
                unknown variant `high`, expected one of `off`, `auto`, or a table with `effort` or `exclude`; write `{ effort = "high" }`
                write: { effort = "high" }
            invalid-value Error style.typewriter.text_delay @ value `"3"`
                `3` is not a duration, expected a duration such as `10m` or `500us`; did you mean `3s`?
                write: "3s"
            invalid-value Error style.inline_code.background @ value `"#12"`
                `#12` is not a colour, expected a colour such as `#1e1e2e`
            invalid-value Error style.reasoning.background @ value `256`
                integer `256` is out of range, expected a value from 0 to 255
            missing-required Error providers.mcp.s.type @ value `[providers.mcp.s]`
                missing required value for `providers.mcp.s.type`
        "##]],
    );
}

/// The released `jp` drops such a table in silence, which leaves the tool unrestricted.
#[test]
fn an_element_without_its_list_is_no_merge_wrapper() {
    check(
        r#"
[conversation.tools.t.access.fs]
path = "src"
read = true
[conversation.tools.u.policy.run]
arg = "/path"
mode = "ask"
"#,
        expect![[r#"
            type-mismatch Error conversation.tools.t.access.fs @ value `[conversation.tools.t.access.fs]`
                invalid type: table, expected a list of tables; write `[[...]]` for an element, or name a `strategy` and a `value`
            type-mismatch Error conversation.tools.u.policy.run @ value `[conversation.tools.u.policy.run]`
                invalid type: table, expected one of `ask`, `unattended`, `edit`, `skip`, or a list of tables; write `[[...]]` for an element, or name a `strategy` and a `value`
        "#]],
    );
}

#[test]
fn merge_wrappers_are_checked_inside() {
    check(
        r#"
[conversation.tools.t.access.fs]
strategy = "overwrite"
dedup = "yes"
value = [{ path = "src", reed = true }]
[conversation.tools.t.policy.run]
strategy = "append"
[conversation.labels]
strategy = "deep"
value = { 1a = "x" }
[assistant.system_prompt]
value = "x"
strategy = "prepend"
seperator = "line"
"#,
        expect![[r#"
            invalid-value Error conversation.tools.t.access.fs.strategy @ value `"overwrite"`
                unknown variant `overwrite`, expected one of `append`, `prepend`, `replace`
            invalid-value Error conversation.tools.t.access.fs.dedup @ value `"yes"`
                unknown variant `yes`, expected a boolean or `inherit`
            unknown-key Error conversation.tools.t.access.fs.value.0.reed @ key `reed`
                unknown key `reed`, did you mean `read`?
                write: read
            missing-required Error conversation.tools.t.policy.run.value @ value `[conversation.tools.t.policy.run]`
                missing required value for `conversation.tools.t.policy.run.value`
            invalid-value Error conversation.labels.strategy @ value `"deep"`
                unknown variant `deep`, expected one of `deep_merge`, `merge`, `keep`, `replace`; did you mean `keep`?
                write: "keep"
            invalid-value Error conversation.labels.value.1a @ key `1a`
                label key `1a` starts with `1`: a label starts with a letter and holds only letters, digits, `_` and `-`
            unknown-key Error assistant.system_prompt.seperator @ key `seperator`
                unknown key `seperator`, did you mean `separator`?
                write: separator
        "#]],
    );
}

#[test]
fn what_is_still_being_typed_is_left_to_the_syntax_errors() {
    check(
        "[conversation.tools.t]\nsumm\nrun =\naccess.\n",
        expect![[""]],
    );
}

#[test]
fn a_section_is_checked_alone() {
    let text = "[providers.mcp.s.checksum]\nvalu = \"x\"\n[providers.mcp.s]\ntype = \"stdio\"\n";
    let document = Document::parse(text);
    let mut out = String::new();
    for section in document.sections().skip(1) {
        let keys: Vec<_> = section.header().iter().map(|key| key.text()).collect();
        let node = schema().lookup_header(keys.iter().copied()).unwrap().node;
        let table = Node::Table(section.body());
        let found = validate_table(schema(), node, table, &keys.join("."), Extent::Part);
        out += &show(text, &found);
    }
    expect![[r#"
        unknown-key Error providers.mcp.s.checksum.valu @ key `valu`
            unknown key `valu`, did you mean `value`?
            write: value
    "#]]
    .assert_eq(&out);
}

#[test]
fn json_is_checked_like_toml_and_null_sets_nothing() {
    let value = json!({
        "inherit": null,
        "assistant": { "model": { "id": "x/y", "parameters": { "top_k": 1.5, "max_tokens": 18_446_744_073_709_551_615_u64 } } },
        "conversation": { "tools": { "a.b": { "run": "x", "access": { "fs": [{ "path": null }] } } } },
    });
    let mut out = String::new();
    for violation in validate(schema(), schema().root(), &value, "") {
        writeln!(out, "{}: {}", violation.path, violation.message).unwrap();
    }
    expect![[r#"
        assistant.model.id: unknown provider `x`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
        assistant.model.parameters.top_k: invalid type: float `1.5`, expected a whole number from 0 to 4294967295
        assistant.model.parameters.max_tokens: integer is out of range, expected a value from 0 to 4294967295
        conversation.tools."a.b".run: unknown variant `x`, expected one of `ask`, `unattended`, `edit`, `skip`
        conversation.tools."a.b".access.fs.0.path: invalid type: null, expected a path; leave the key out to set nothing
    "#]].assert_eq(&out);
}

#[test]
fn merged_config_lacks_what_no_layer_sets() {
    let merged = json!({
        "conversation": {
            "title": { "generate": { "model": { "id": { "name": "x" } } } },
            "tools": {
                "*": { "result": "ask" },
                "t": { "enable": true },
                "u": { "source": "local" },
            },
            "labels": { "a": { "value": { "cmd": null } } },
        },
        "providers": { "mcp": { "s": { "checksum": {} } } },
    });
    let required = missing_required(schema(), schema().root(), &merged, "");
    let paths = |found: &[Violation<&Value>]| -> Vec<String> {
        found
            .iter()
            .map(|violation| violation.path.clone())
            .collect()
    };
    assert_eq!(
        paths(&required),
        [
            "conversation.title.generate.model.id.provider",
            "conversation.tools.t.source",
            "conversation.labels.a.value.cmd",
            "providers.mcp.s.checksum.value",
        ]
    );
    assert_eq!(
        paths(&missing_global(&merged)),
        ["assistant.model.id", "conversation.tools.*.run"]
    );
    let complete = json!({
        "assistant": { "model": { "id": "haiku" } },
        "conversation": { "tools": { "*": { "policy": { "run": "ask" } } } },
    });
    assert_eq!(paths(&missing_global(&complete)), Vec::<String>::new());
}

#[test]
fn the_released_dialect_rejects_each_outermost_key_once() {
    let text = r#"
[conversation.tools.'*'.policy]
run = "ask"
[conversation.tools.t]
questions.q.prompt_label = "x"
[[conversation.tools.t.access.net]]
host = "a"
[[conversation.tools.t.access.net]]
host = "b"
[[conversation.tools.t.access.fs]]
path = "."
"#;
    let document = Document::parse(text);
    let root = Node::Table(document.root());
    let found = rejected_by_released(schema(), schema().root(), root, "");
    expect![[r#"
        released-jp-rejects Warning conversation.tools.*.policy @ key `policy`
            the released `jp` rejects `policy` (RFD D25) and refuses to load the file
        released-jp-rejects Warning conversation.tools.t.questions.q.prompt_label @ key `prompt_label`
            the released `jp` rejects `prompt_label` (RFD 083) and refuses to load the file
        released-jp-rejects Warning conversation.tools.t.access.net @ key `net`
            the released `jp` rejects `net` (RFD 076) and refuses to load the file
    "#]].assert_eq(&show(text, &found));
}

#[test]
fn a_header_is_told_what_an_entry_is_told() {
    let path = ["mcp", "servers", "x"];
    let error = schema().lookup_header(path).unwrap_err();
    let unknown = unknown_key(schema(), error.parent, path[error.index]).unwrap();
    assert_eq!(unknown.message, "unknown key `mcp`: write `providers.mcp`");
    assert_eq!(unknown.suggestion, None);
    let name = schema().lookup(["user", "name"]).unwrap().node;
    assert_eq!(unknown_key(schema(), name, "x"), None);
}

#[test]
fn what_merged_config_lacks_is_found_where_it_comes_from() {
    let text = "[conversation.tools.a]\nsource =\n[conversation.tools.b]\nrun = \"ask\"\n";
    let document = Document::parse(text);
    let merged = Located::from_node(Node::Table(document.root()), LayerId(0));
    let found = missing_required(schema(), schema().root(), &merged, "");
    let places: Vec<_> = found
        .iter()
        .map(|violation| match violation.at {
            At::Value(table) => (violation.path.as_str(), table.origin().unwrap().span),
            At::Key(_) => panic!("a missing key has no place"),
        })
        .map(|(path, span)| (path, text.get(span.start as usize..span.end as usize)))
        .collect();
    assert_eq!(
        places,
        [(
            "conversation.tools.b.source",
            Some("[conversation.tools.b]")
        )]
    );
}

#[test]
fn of_what_is_only_counted_the_first_of_the_worst_is_kept() {
    let mut omitted = Omitted::default();
    let mut noted = |severity, code| {
        omitted.note(severity, code);
        (omitted.count, omitted.worst)
    };
    let warning = Some((Severity::Warning, Code::UnknownKey));
    assert_eq!(noted(Severity::Warning, Code::UnknownKey), (1, warning));
    assert_eq!(noted(Severity::Warning, Code::InvalidValue), (2, warning));
    let error = Some((Severity::Error, Code::InvalidValue));
    assert_eq!(noted(Severity::Error, Code::InvalidValue), (3, error));
    assert_eq!(noted(Severity::Error, Code::TypeMismatch), (4, error));
    assert_eq!(noted(Severity::Warning, Code::UnknownKey), (5, error));
}

#[test]
fn only_a_table_in_place_of_a_list_of_tables_lacks_brackets() {
    let lacks = |text: &str| -> Vec<bool> {
        let document = Document::parse(text);
        let root = Node::Table(document.root());
        let found = validate(schema(), schema().root(), root, "");
        found.iter().map(Violation::lacks_brackets).collect()
    };
    let rule = "[conversation.tools.t.access.fs]\npath = \"src\"\n";
    assert_eq!(lacks(rule), [true]);
    assert_eq!(lacks("conversation.tools.t.access.fs = 1\n"), [false]);
    assert_eq!(lacks("assistant.nmae = \"x\"\n"), [false]);
}

#[test]
fn a_misspelt_source_comes_with_the_one_that_is_meant() {
    let suggested = |source: &str| {
        let text = format!("conversation.tools.t.source = \"{source}\"\n");
        let document = Document::parse(&text);
        let root = Node::Table(document.root());
        let found = validate(schema(), schema().root(), root, "");
        format!("{source}: {:?}", found[0].suggestion)
    };
    let sources = [
        "lokal",
        "lokal.name",
        "local.",
        "mpc.gh.search",
        "fax",
        "fax.",
    ];
    expect![[r#"
        lokal: Some("\"local\"")
        lokal.name: Some("\"local.name\"")
        local.: Some("\"local\"")
        mpc.gh.search: Some("\"mcp.gh.search\"")
        fax: None
        fax.: None"#]]
    .assert_eq(&sources.map(suggested).join("\n"));
}

#[test]
fn beyond_the_limit_mistakes_are_counted() {
    let document = Document::parse("assistant.nmae = 1\nuser.nmae = 1\neditor.nmae = 1\n");
    let root = Node::Table(document.root());
    let id = schema().root();
    let (found, omitted) = validate_up_to(2, schema(), id, root, "", Extent::Whole);
    let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["assistant.nmae", "user.nmae"]);
    assert_eq!(
        (omitted.count, omitted.worst),
        (1, Some((Severity::Error, Code::UnknownKey)))
    );
}

#[test]
fn a_model_name_of_its_own_is_read_like_one_behind_a_provider() {
    check(
        "assistant.model.id = { provider = \"openai\", name = \" gpt-5 \" }\nconversation.title.generate.model.id = { provider = \"openai\", name = \"gpt 5\" }\n",
        expect![[r#"
            model-id-invalid Error assistant.model.id.name @ value `" gpt-5 "`
                model name ` gpt-5 ` contains ` `: only letters, digits and `_`, `-`, `.`, `:`, `/`, `~` are legal
                write: "gpt-5"
            model-id-invalid Error conversation.title.generate.model.id.name @ value `"gpt 5"`
                model name `gpt 5` contains ` `: only letters, digits and `_`, `-`, `.`, `:`, `/`, `~` are legal
        "#]],
    );
}
