use std::collections::BTreeMap;

use expect_test::expect;
use jp_config::{graph::Roots, memory::MemoryFiles};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

const CONFIG: &str = r#"//- /w/.jp/config.toml
[conversation.tools.read]
source = "local"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]
[conversation.tools.plain]
run = "ask"
[conversation.tools.bare]
source = "local"
[conversation.tools.'*']
run = "ask"
"#;

struct Record(BTreeMap<String, RecordedTool>);

impl Recorded for Record {
    fn tool(&self, name: &str) -> Option<&RecordedTool> {
        self.0.get(name)
    }
}

struct Opened {
    graph: Arc<Graph>,
    record: Record,
}

impl Opened {
    /// The config, with what is on record judged by it.
    fn new(edit: Option<&RecordedEdit>) -> Self {
        let files = MemoryFiles::from_fixture(CONFIG);
        let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
        let on_record = |tool: &str, rules: &[RecordedRule]| RecordedTool {
            policy: Arc::new(run_rules(&graph, tool).unwrap().policy),
            calls: 412,
            rules: rules.to_vec(),
            edit: edit.cloned(),
        };
        let rule = |calls: usize, last: Option<i64>| RecordedRule { calls, last };
        let read = [rule(37, Some(1_000)), rule(0, None), rule(1, Some(172_800))];
        let tools = [
            ("read", on_record("read", &read)),
            ("plain", on_record("plain", &[rule(412, Some(172_900))])),
            // What the defaults decide is no rule of this tool.
            ("bare", on_record("bare", &[rule(412, Some(172_900))])),
        ];
        let tools = tools.map(|(name, tool)| (name.to_owned(), tool));
        Self {
            record: Record(tools.into()),
            graph,
        }
    }

    fn document(&self) -> &Document {
        let content = self.graph.content(FileId(0)).unwrap();
        content.document().unwrap()
    }

    fn view(&self) -> View {
        View::new(Arc::clone(&self.graph))
    }

    fn hover(&self, text: &str) -> Option<String> {
        let offset = self.document().text().find(text).unwrap();
        hover(
            &self.view(),
            FileId(0),
            self.document(),
            offset,
            &self.record,
            172_900,
        )
    }

    fn hints(&self) -> String {
        let document = self.document();
        let text = document.text();
        hints(&self.view(), document, document.span(), &self.record)
            .into_iter()
            .map(|hint| {
                let line = text
                    .get(..hint.offset as usize)
                    .unwrap()
                    .lines()
                    .last()
                    .unwrap();
                format!("{line} ⟨{}⟩\n", hint.label)
            })
            .collect()
    }
}

#[test]
fn rules_that_decided_calls_have_a_line() {
    let opened = Opened::new(None);
    let found = lenses(
        &opened.view(),
        FileId(0),
        opened.document(),
        &opened.record,
        172_900,
    );
    let lines: Vec<String> = found
        .into_iter()
        .map(|lens| {
            let text = opened.document().text().get(lens.span.range()).unwrap();
            format!("{} | {} #{} | {text}", lens.title, lens.tool, lens.rule)
        })
        .collect();
    expect![[r#"
        decided 37 of 412 calls, last 1 day ago | read #0 | { arg = "/path", prefix = "src", mode = "unattended" }
        decided 1 of 412 calls, last 1 minute ago | read #2 | { mode = "ask" }
        decided 412 of 412 calls, last just now | plain #0 | "ask""#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn other_rules_than_those_that_were_judged_have_none() {
    let mut opened = Opened::new(Some(&RecordedEdit {
        changes: vec![(Some(RunMode::Ask), Some(RunMode::Skip), 1)],
        ..RecordedEdit::default()
    }));
    let plain = opened.record.0["plain"].policy.clone();
    opened.record.0.get_mut("read").unwrap().policy = plain;
    let found = lenses(
        &opened.view(),
        FileId(0),
        opened.document(),
        &opened.record,
        172_900,
    );
    let tools: Vec<&str> = found.iter().map(|lens| lens.tool.as_str()).collect();
    assert_eq!(tools, ["plain"]);
    assert_eq!(opened.hover("{ arg = \"/path\", prefix = \"sec"), None);
    expect![[r#"
        [conversation.tools.plain] ⟨this edit changes 1 recorded call: 1 ask -> skip⟩
    "#]]
    .assert_eq(&opened.hints());
}

#[test]
fn a_rule_says_what_it_decided() {
    let opened = Opened::new(None);
    let told = |text: &str| opened.hover(text).unwrap_or_else(|| "nothing".to_owned());
    let lines = [
        told("{ arg = \"/path\", prefix = \"src"),
        told("prefix = \"secrets"),
        told("source"),
        told("parameters"),
    ];
    expect![[r#"
        It decided 37 of 412 calls on record, the last 1 day ago.
        None of the 412 calls on record reached it.
        nothing
        nothing"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn an_edit_says_what_it_changes() {
    let edit = RecordedEdit {
        changes: vec![
            (Some(RunMode::Ask), Some(RunMode::Unattended), 3),
            (Some(RunMode::Skip), None, 1),
        ],
        witness: Some((
            RunMode::Ask,
            RunMode::Unattended,
            json!({"path": "src/\u{202e}x"}),
        )),
        is_uncertain: false,
    };
    expect![[r#"
        [conversation.tools.read] ⟨this edit changes 4 recorded calls: 3 ask -> unattended, 1 skip -> does not fit; ask -> unattended: {"path":"src/\u{202e}x"}⟩
        [conversation.tools.plain] ⟨this edit changes 4 recorded calls: 3 ask -> unattended, 1 skip -> does not fit; ask -> unattended: {"path":"src/\u{202e}x"}⟩
    "#]]
    .assert_eq(&Opened::new(Some(&edit)).hints());
}

#[test]
fn an_edit_that_changes_nothing_has_no_words() {
    assert_eq!(edit_in_words(&RecordedEdit::default()), None);
    let uncertain = RecordedEdit {
        is_uncertain: true,
        ..RecordedEdit::default()
    };
    assert_eq!(
        edit_in_words(&uncertain).as_deref(),
        Some("this edit changes no recorded call; it may change others")
    );
}

#[test]
fn ages_are_told_in_one_unit() {
    let ages = [
        -5,
        59,
        60,
        7_199,
        86_400,
        172_800,
        31 * 86_400,
        800 * 86_400,
    ];
    let told: Vec<String> = ages.iter().map(|seconds| age(*seconds)).collect();
    expect!["just now, just now, 1 minute ago, 1 hour ago, 1 day ago, 2 days ago, 1 month ago, 2 years ago"]
        .assert_eq(&told.join(", "));
}

#[test]
fn rules_that_cannot_be_used_are_an_error() {
    let files = MemoryFiles::from_fixture(
        "//- /w/.jp/config.toml\n[conversation.tools.t]\nsource = \"local\"\nparameters.y.type = \"string\"\npolicy.run = [{ arg = \"/x\", const = 1, mode = \"ask\" }]\n",
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let told = |tool: &str| run_rules(&graph, tool).map(drop).unwrap_err().to_string();
    expect!["the policy of `t` cannot be used: rule 1: `/x` does not resolve: there is no parameter `x`; there is only `y`"].assert_eq(&told("t"));
    assert_eq!(told("u"), "no tool `u` is configured");
}

#[test]
fn an_edit_changes_the_tools_that_it_touches_and_all_by_their_defaults() {
    let text = CONFIG.split_once('\n').unwrap().1;
    let saved = Document::parse(text);
    let edited = |from: &str, to: &str| {
        let mut after = saved.clone();
        let start = text.find(from).unwrap();
        after.edit(start..start + from.len(), to);
        edited_tools(Some(&saved), &after)
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert!(edited_tools(Some(&saved), &saved).is_empty());
    assert_eq!(edited("\"src\"", "\"lib\""), ["read"]);
    // A header is also the end of what stands before it.
    let renamed = edited("[conversation.tools.bare]", "[conversation.tools.new]");
    assert_eq!(renamed, ["new", "plain"]);
    assert_eq!(
        edited("'*']\nrun = \"ask\"", "'*']\nrun = \"unattended\""),
        ["bare", "plain", "read"]
    );
    assert_eq!(edited_tools(None, &saved).len(), 3);
}
