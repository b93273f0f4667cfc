use expect_test::{Expect, expect};
use jp_config::memory::MemoryFiles;

use super::refusal;
use crate::fixture::analyse;

#[expect(
    clippy::needless_pass_by_value,
    reason = "literals read best without a borrow at each of them"
)]
fn check(fixture: &str, expected: Expect) {
    let analysis = analyse(&MemoryFiles::from_fixture(fixture));
    let refusal = refusal(&analysis).map(|refusal| refusal.to_string());
    expected.assert_eq(refusal.as_deref().unwrap_or("none"));
}

const TOOL: &str = r#"[conversation.tools.edit]
source = "local"
command = "edit {{tool}}"
parameters.path.type = "path"
"#;

#[test]
fn a_rule_is_named_with_its_place() {
    let rules = "policy.run = [\n  { arg = \"/path\", prefix = \"src\", mode = \"ask\" },\n  { arg = \"/pth\", const = \"a\", mode = \"skip\" },\n]\n";
    check(
        &format!("//- /w/.jp/config.toml\n{TOOL}{rules}"),
        expect![
            "tool `edit`, rule 2 of policy.run, .jp/config.toml:7: `/pth` does not resolve: there is no parameter `pth`; did you mean `path`?"
        ],
    );
    // The number is that in the list as it is merged.
    let later = r#"[conversation.tools.edit]
policy.run = { strategy = "append", value = [
  { arg = "/path", prefix = 1, mode = "ask" },
] }
"#;
    let rules = "policy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"ask\" }]\n";
    check(
        &format!("//- /w/.jp/config.toml\n{TOOL}{rules}//- /w/.jp.toml\n{later}"),
        expect![[
            r#"tool `edit`, rule 2 of policy.run, .jp.toml:3: invalid type: integer `1`, expected a string; write `"1"`"#
        ]],
    );
    // What one file says on its own is about the same rule.
    check(
        &format!(
            "//- /w/.jp/config.toml\n{TOOL}{rules}//- /w/.jp.toml\n{}",
            later.replace("prefix = 1", "prefx = \"a\"")
        ),
        expect![
            "tool `edit`, rule 2 of policy.run, .jp.toml:3: unknown key `prefx`, did you mean `prefix`?"
        ],
    );
}

#[test]
fn rules_with_headers_and_in_json_are_named() {
    let rules = r#"
[[conversation.tools.edit.policy.result]]
mode = "ask"

[[conversation.tools.edit.policy.result]]
mode = "ask"
"#;
    check(
        &format!("//- /w/.jp/config.toml\n{TOOL}{rules}"),
        expect![
            "tool `edit`, rule 2 of policy.result, .jp/config.toml:9: this rule is redundant: rule 1 (the catch-all) already decides `ask` for every call it matches"
        ],
    );
    let json = r#"{ "conversation": { "tools": { "*": { "policy": { "run": [
        { "mode": "ask" }, { "mode": "skip" } ] } } } } }"#;
    check(
        &format!(
            "//- /w/.jp/config.toml\nextends = [\"rules.json\"]\n{TOOL}//- /w/.jp/rules.json\n{json}\n"
        ),
        expect![
            "tool defaults `'*'`, rule 2 of policy.run, .jp/rules.json:1: this rule never decides: rule 1 (the catch-all) decides every call it matches, with `ask` instead of `skip`"
        ],
    );
}

#[test]
fn other_errors_name_what_they_can() {
    check(
        &format!("//- /w/.jp/config.toml\n{TOOL}rn = \"ask\"\n"),
        expect!["tool `edit`, .jp/config.toml:5: unknown key `rn`, did you mean `run`?"],
    );
    check(
        "//- /w/.jp/config.toml\n\nassistant.nme = \"x\"\n",
        expect![".jp/config.toml:2: unknown key `nme`, did you mean `name`?"],
    );
    check(
        "//- /w/.jp/config.toml\n[conversation.tools.'*']\nrun = \"now\"\n",
        expect![
            "tool defaults `'*'`, .jp/config.toml:2: unknown variant `now`, expected one of `ask`, `unattended`, `edit`, `skip`"
        ],
    );
    check(
        "//- /w/.jp/config.toml\nassistant.name = \n",
        expect![".jp/config.toml:1: missing value: write a value after `=`"],
    );
}

#[test]
fn warnings_and_fragments_stop_nobody() {
    check(
        "//- /w/.jp/config.toml\nconfig_load_paths = [\".jp/parts\"]\n//- /w/.jp/parts/x.toml\n[assistant]\nnme = \"x\"\n",
        expect!["none"],
    );
    check(
        &format!(
            "//- /w/.jp/config.toml\n{TOOL}policy.run = [{{ arg = \"/path\", const = \"a\", mode = \"ask\" }}]\n"
        ),
        expect!["none"],
    );
}
