#[path = "actions_tests/comments.rs"]
mod comments;
#[path = "actions_tests/create_file.rs"]
mod create_file;
#[path = "actions_tests/decisions.rs"]
mod decisions;
#[path = "actions_tests/everywhere.rs"]
mod everywhere;
#[path = "actions_tests/extract_tool.rs"]
mod extract_tool;
#[path = "actions_tests/source.rs"]
mod source;

use std::fmt::Write as _;

use camino::Utf8Path;
use expect_test::{Expect, expect};
use jp_config::{
    document::{Document, Node, Span},
    graph::FileId,
    memory::MemoryFiles,
    merge::{LayerId, Located},
    view::View,
};
use pretty_assertions::assert_eq;

use super::{Action, ActionKind, actions, fix_all};
use crate::{Analysis, Code, fixture::analyse};

const CONFIG: &str = "/w/.jp/config.toml";

fn analysis_of(text: &str) -> (Analysis, FileId) {
    let mut files = MemoryFiles::default();
    files.insert(CONFIG, text);
    let analysis = analyse(&files);
    let id = analysis.graph().file_at(Utf8Path::new(CONFIG)).unwrap();
    (analysis, id)
}

fn at(text: &str, offset: usize) -> Vec<Action> {
    let (analysis, id) = analysis_of(text);
    ask(&analysis, id, offset)
}

fn ask(analysis: &Analysis, id: FileId, offset: usize) -> Vec<Action> {
    let view = View::new(analysis.graph().clone());
    let offset = u32::try_from(offset).unwrap();
    let mut found = actions(analysis, &view, id, Span::new(offset, offset));
    found.extend(fix_all(analysis, id));
    found
}

/// The actions at the `$0` of a text.
fn offered(marked: &str) -> (String, Vec<Action>) {
    let offset = marked.find("$0").expect("a cursor");
    let text = marked.replacen("$0", "", 1);
    let found = at(&text, offset);
    (text, found)
}

fn applied(text: &str, action: &Action) -> String {
    let mut edits = action.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
    let mut text = text.to_owned();
    let mut end = text.len();
    for edit in edits {
        assert!(
            edit.place.span.end as usize <= end,
            "{action:?} overlaps itself"
        );
        end = edit.place.span.start as usize;
        text.replace_range(edit.place.span.range(), &edit.text);
    }
    text
}

/// Compares the titles on offer.
#[track_caller]
fn check_titles(marked: &str, expected: &Expect) {
    let mut out = String::new();
    for action in offered(marked).1 {
        writeln!(out, "{:?}: {}", action.kind, action.title).unwrap();
    }
    expected.assert_eq(&out);
}

/// Compares the text after an action whose title begins like this.
#[track_caller]
fn check(marked: &str, title: &str, expected: &Expect) {
    let (text, found) = offered(marked);
    let action = found.iter().find(|action| action.title.starts_with(title));
    let action = action.unwrap_or_else(|| panic!("no `{title}` in {found:#?}"));
    expected.assert_eq(&applied(&text, action));
}

fn has_none(marked: &str, title: &str) {
    let (_, found) = offered(marked);
    let action = found.iter().find(|action| action.title.starts_with(title));
    assert_eq!(action, None);
}

#[test]
fn enable_becomes_a_table() {
    check(
        "[conversation.tools.a]\nena$0ble = \"explicit\" # why\n",
        "Write `enable`",
        &expect![[r#"
            [conversation.tools.a]
            enable = { state = false, allow_toggle = "if_named" } # why
        "#]],
    );
    check(
        "conversation.tools.'*'.enable = tr$0ue",
        "Write `enable`",
        &expect![[r#"conversation.tools.'*'.enable = { state = true, allow_toggle = "any" }"#]],
    );
    has_none(
        "conversation.tools.a.enable = { $0state = true }",
        "Write `enable`",
    );
}

#[test]
fn a_mode_moves_into_the_policy() {
    check(
        "[conversation.tools.a]\nsource = \"local\"\nr$0un = \"ask\" # why\n",
        "Move",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            policy.run = "ask" # why
        "#]],
    );
    check(
        "[conversation.tools.a]\nresult = \"$0ask\"\nsource = \"local\"\n\n[conversation.tools.a.policy] # rules\nrun = \"ask\"\n",
        "Move",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [conversation.tools.a.policy] # rules
            result = "ask"
            run = "ask"
        "#]],
    );
    has_none(
        "[conversation.tools.a]\nru$0n = \"ask\"\npolicy.run = \"skip\"\n",
        "Move",
    );
    check(
        "[conversation.tools.a]\n\"run\"$0 = \"ask\" # why\nsource = \"local\"\n[conversation.tools.a.policy]\n# rules\nresult = \"ask\"\n",
        "Move",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            [conversation.tools.a.policy]
            run = "ask" # why
            # rules
            result = "ask"
        "#]],
    );
    check(
        "conversation.tools.a.policy.result = \"ask\"\nconversation.tools.a.r$0un = \"skip\" # why\n",
        "Move",
        &expect![[r#"
            conversation.tools.a.policy.result = "ask"
            conversation.tools.a.policy.run = "skip" # why
        "#]],
    );
    check(
        "[conversation.tools.a]\n  r$0un = \"ask\" # why\npolicy = { result = \"ask\" }\n",
        "Move",
        &expect![[r#"
            [conversation.tools.a]
              # why
            policy = { run = "ask", result = "ask" }
        "#]],
    );
    check(
        "conversation.tools.a = { policy = {}, r$0un = \"ask\" }\n",
        "Move",
        &expect![[r#"
            conversation.tools.a = { policy = { run = "ask" } }
        "#]],
    );
}

#[test]
fn a_mode_becomes_a_list_of_rules() {
    check(
        "[conversation.tools.a]\npolicy.run = 'as$0k'\n",
        "Write the mode",
        &expect![[r#"
            [conversation.tools.a]
            policy.run = [{ mode = 'ask' }]
        "#]],
    );
}

#[test]
fn a_parameter_becomes_a_path() {
    check(
        "[conversation.tools.a.parameters.file]\ntype = \"str$0ing\"\n",
        "Declare",
        &expect![[r#"
            [conversation.tools.a.parameters.file]
            type = "path"
        "#]],
    );
    has_none(
        "[conversation.tools.a.parameters.file]\ntype = \"str$0ing\"\nenum = [\"a\"]\n",
        "Declare",
    );
    check(
        "[conversation.tools.a.parameters.fi$0le]\ntype = \"string\" # é\n",
        "Declare",
        &expect![[r#"
            [conversation.tools.a.parameters.file]
            type = "path" # é
        "#]],
    );
    check(
        "conversation.tools.a.parameters = { type = { type = \"array\", items = { type = \"string\" } }, b.ty$0pe = \"string\" }\n",
        "Declare",
        &expect![[r#"
            conversation.tools.a.parameters = { type = { type = "array", items = { type = "string" } }, b.type = "path" }
        "#]],
    );
    has_none(
        "conversation.tools.a.para$0meters = { type = { type = \"string\" } }\n",
        "Declare",
    );
}

#[test]
fn stricter_rules_come_first() {
    let rules = "[conversation.tools.a.policy]\nrun = [\n  { arg = \"/p\", prefix = \"a\", mode = \"unattended\" },\n  { arg = \"/p\", prefix = \"b\", mode = \"$0ask\" },\n  { arg = \"/q\", const = 1, mode = \"skip\" },\n  { mode = \"unattended\" },\n]\n";
    check(
        rules,
        "Sort rules",
        &expect![[r#"
            [conversation.tools.a.policy]
            run = [
              { arg = "/q", const = 1, mode = "skip" },
              { arg = "/p", prefix = "b", mode = "ask" },
              { arg = "/p", prefix = "a", mode = "unattended" },
              { mode = "unattended" },
            ]
        "#]],
    );
    has_none(
        "conversation.tools.a.policy.run = [{ mode = \"unattended\" }, { arg = \"/p\", const = 1, mode = \"$0ask\" }]",
        "Sort rules",
    );
}

#[test]
fn a_list_that_says_how_it_merges_lacks_what_a_wrapper_lacks() {
    check(
        "[[conversation.tools.a.policy.run$0]]\n",
        "Add the required",
        &expect![[r#"
            [[conversation.tools.a.policy.run]]
            mode = "ask"
        "#]],
    );
    check(
        "[conversation.tools.a.policy.run$0]\nstrategy = \"append\"\n",
        "Add the required",
        &expect![[r#"
            [conversation.tools.a.policy.run]
            value = []
            strategy = "append"
        "#]],
    );
    has_none(
        "[conversation.tools.a.policy.run$0]\nvalue = []\n",
        "Add the required",
    );
}

#[test]
fn equal_rules_merge() {
    check(
        "conversation.tools.a.policy.run = [{ arg = \"/k\", $0const = 1, mode = \"ask\" }, { arg = \"/k\", enum = [1], mode = \"ask\" }]\n",
        "Merge 2 equal rules into one",
        &expect![[r#"
            conversation.tools.a.policy.run = [{ arg = "/k", const = 1, mode = "ask" }]
        "#]],
    );
}

#[test]
fn neighbouring_rules_merge() {
    check(
        "[conversation.tools.a.policy]\nrun = [\n  { arg = \"/k\", const = \"x$0\", mode = \"ask\" },\n  { arg = \"/k\", enum = ['y', \"x\"], mode = \"ask\" },\n  { arg = \"/k\", const = \"z\", mode = \"skip\" },\n]\n",
        "Merge 2 rules",
        &expect![[r#"
            [conversation.tools.a.policy]
            run = [
              { arg = "/k", enum = ["x", 'y'], mode = "ask" },
              { arg = "/k", const = "z", mode = "skip" },
            ]
        "#]],
    );
    has_none(
        "conversation.tools.a.policy.run = [{ arg = \"/k\", const = \"x$0\", mode = \"ask\" }, { arg = \"/l\", const = \"y\", mode = \"ask\" }]",
        "Merge",
    );
}

#[test]
fn a_path_is_written_as_it_is_compared() {
    check(
        "[[conversation.tools.a.access.fs]]\npath = \"./src//$0lib/\"\nread = true\n",
        "Write the path",
        &expect![[r#"
            [[conversation.tools.a.access.fs]]
            path = "src/lib"
            read = true
        "#]],
    );
    check(
        "[conversation.tools.a]\nparameters.files = { type = \"array\", items.type = \"path\" }\npolicy.run = [{ arg = \"/files\", enum = [\"./a$0\"], mode = \"ask\" }]\n",
        "Write the path",
        &expect![[r#"
            [conversation.tools.a]
            parameters.files = { type = "array", items.type = "path" }
            policy.run = [{ arg = "/files", enum = ["a"], mode = "ask" }]
        "#]],
    );
}

#[test]
fn required_keys_are_filled_in() {
    check(
        "[[conversation.tools.a.access.$0fs]] # here\nread = true\n",
        "Add the required `path`",
        &expect![[r#"
            [[conversation.tools.a.access.fs]] # here
            path = "."
            read = true
        "#]],
    );
    check(
        "conversation.tools.a.policy.run = [$0{ arg = \"/x\", const = 1 }]\n",
        "Add the required `mode`",
        &expect![[r#"
            conversation.tools.a.policy.run = [{ mode = "ask", arg = "/x", const = 1 }]
        "#]],
    );
    check_titles(
        "[[conversation.tools.a.access.fs$0]]\nread = true\n",
        &expect![[r#"
            QuickFix: Add the required `path`
        "#]],
    );
}

#[test]
fn braces_become_a_section_and_back() {
    check(
        "[conversation.tools.a]\nsty$0le = { hidden = true, error.inline_results = \"off\" }\nsource = \"local\"\n\n[assistant]\n",
        "Write the table as",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [conversation.tools.a.style]
            hidden = true
            error.inline_results = "off"

            [assistant]
        "#]],
    );
    check(
        "[conversation.tools.a]\nsource = \"local\"\nstyle = $0{ hidden = true }",
        "Write the table as",
        &expect![[r#"
            [conversation.tools.a]
            source = "local"

            [conversation.tools.a.style]
            hidden = true"#]],
    );
    check(
        "[conversation.tools.a]\nsource = \"local\" # x\n\n[conversation.tools.a.st$0yle]\nhidden = true\nerror.inline_results = \"off\"\n\n[assistant]\nname = \"x\"\n",
        "Write the table in braces",
        &expect![[r#"
            [conversation.tools.a]
            source = "local" # x
            style = { hidden = true, error.inline_results = "off" }

            [assistant]
            name = "x"
        "#]],
    );
}

#[test]
fn a_rewrite_that_cannot_be_says_why() {
    let reason = |marked: &str, title: &str| {
        let (_, found) = offered(marked);
        let action = found
            .into_iter()
            .find(|action| action.title.starts_with(title))
            .unwrap();
        assert_eq!(action.edits, []);
        action.disabled.unwrap()
    };
    assert_eq!(
        reason(
            "[conversation.tools.a]\n[conversation.tools.a.st$0yle]\n[conversation.tools.a.style.error]\n",
            "Write the table in braces",
        ),
        "other headers hold parts of `conversation.tools.a.style`"
    );
}

#[test]
fn a_mode_that_another_file_overrules_stays() {
    let own = "extends = [{ path = \"other.toml\", strategy = \"STRATEGY\" }]\n[conversation.tools.a]\nsource = \"local\"\nrun = \"ask\"\n";
    for (strategy, expected) in [
        ("before", None),
        (
            "after",
            Some("`.jp/other.toml` sets `run` over this file, and would do so no more"),
        ),
    ] {
        let mut files = MemoryFiles::default();
        let text = own.replace("STRATEGY", strategy);
        files.insert(CONFIG, &text);
        files.insert(
            "/w/.jp/other.toml",
            "conversation.tools.a.run = \"unattended\"\n",
        );
        let analysis = analyse(&files);
        let id = analysis.graph().file_at(Utf8Path::new(CONFIG)).unwrap();
        let found = ask(&analysis, id, text.find("run =").unwrap());
        let action = found
            .iter()
            .find(|action| action.title.starts_with("Move"))
            .unwrap();
        assert_eq!(action.disabled.as_deref(), expected);
        assert_eq!(action.edits.is_empty(), expected.is_some());
    }
}

#[test]
fn a_selected_line_is_what_stands_on_it() {
    let text = "[conversation.tools.a]\n    enable = true\n";
    let (analysis, id) = analysis_of(text);
    let view = View::new(analysis.graph().clone());
    let end = u32::try_from(text.len()).unwrap();
    let found = actions(&analysis, &view, id, Span::new(23, end));
    let titles: Vec<&str> = found.iter().map(|action| action.title.as_str()).collect();
    assert!(titles.contains(&"Write `enable` as a table"), "{titles:?}");
}

#[test]
fn every_finding_of_a_range_is_answered() {
    let tool = |index: usize| format!("[conversation.tools.t{index}]\nsummery = \"x\"\n");
    let text: String = (0..30).map(tool).collect();
    let (analysis, id) = analysis_of(&text);
    let view = View::new(analysis.graph().clone());
    let all = Span::new(0, u32::try_from(text.len()).unwrap());
    let found = actions(&analysis, &view, id, all);
    let fixes = found
        .iter()
        .filter(|action| action.title == "Write `summary`");
    let answered: Vec<_> = fixes.map(|action| action.diagnostic).collect();
    assert_eq!(answered.len(), 30);
    assert!(answered.is_sorted());
}

#[test]
fn all_safe_fixes_apply_at_once() {
    check(
        "$0[assistent]\nname = \"x\"\n\n[conversation.tools.a]\nsummery = \"x\"\n",
        "Fix all 2 problems",
        &expect![[r#"
            [assistant]
            name = "x"

            [conversation.tools.a]
            summary = "x"
        "#]],
    );
}

#[test]
fn a_word_that_is_like_no_legal_one_may_become_any_of_them() {
    check_titles(
        "conversation.tools.a.policy.result = \"some$0times\"\n",
        &expect![[r#"
            QuickFix: Write `"unattended"`
            QuickFix: Write `"ask"`
            QuickFix: Write `"edit"`
            QuickFix: Write `"skip"`
            Rewrite: Write the mode as a list of rules
        "#]],
    );
    check(
        "conversation.tools.a.policy.result = \"some$0times\" # why\n",
        "Write `\"skip\"`",
        &expect![[r#"
            conversation.tools.a.policy.result = "skip" # why
        "#]],
    );
    check_titles(
        "conversation.tools.a.enable = \"some$0times\"\n",
        &expect![[r#"
            QuickFix: Write `"on"`
            QuickFix: Write `"off"`
            QuickFix: Write `"explicit"`
            QuickFix: Write `"always"`
        "#]],
    );
    check_titles(
        "conversation.tools.a.policy.result = \"s$0kpi\"\n",
        &expect![[r#"
            QuickFix: Write `"skip"`
            Rewrite: Write the mode as a list of rules
            FixAll: Fix the one problem with a safe fix
        "#]],
    );
}

#[test]
fn a_finding_is_allowed_where_it_stands() {
    check(
        "[conversation.tools.x]\nsource = \"local\"\n\n[conversation.tools.y]\n  source = \"lo$0cal\"\n",
        "Allow `command-missing`",
        &expect![[r#"
            [conversation.tools.x]
            source = "local"

            [conversation.tools.y]
              # jp-lsp: allow(command-missing)
              source = "local"
        "#]],
    );
    check(
        "[conversation.tools.x]\nsource = \"local\"\ncommand = \"x\"\npolicy.run = [\n\t{ arg = \"/line\", maximum = 5, mode = \"ask\" },\n\t{ arg = \"/line\", maximum = 3, mode = $0\"unattended\" },\n\t{ mode = \"ask\" },\n]\n[conversation.tools.x.parameters]\nline = { type = \"integer\" }\n",
        "Allow `rule-shadowed`",
        &expect![[r#"
            [conversation.tools.x]
            source = "local"
            command = "x"
            policy.run = [
            	{ arg = "/line", maximum = 5, mode = "ask" },
            	# jp-lsp: allow(rule-shadowed)
            	{ arg = "/line", maximum = 3, mode = "unattended" },
            	{ mode = "ask" },
            ]
            [conversation.tools.x.parameters]
            line = { type = "integer" }
        "#]],
    );
    check(
        "[conversation.tools.x]\nsource = \"local\"\ncommand = \"x\"\npolicy.r$0un = [{ arg = \"/line\", maximum = 5, mode = \"ask\" }]\n[conversation.tools.x.parameters]\nline = { type = \"integer\" }\n",
        "Allow `missing-catch-all`",
        &expect![[r#"
            [conversation.tools.x]
            source = "local"
            command = "x"
            # jp-lsp: allow(missing-catch-all)
            policy.run = [{ arg = "/line", maximum = 5, mode = "ask" }]
            [conversation.tools.x.parameters]
            line = { type = "integer" }
        "#]],
    );
    has_none("summ$0ery = 1\n", "Allow");
}
