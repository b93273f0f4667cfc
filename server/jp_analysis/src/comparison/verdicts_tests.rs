use expect_test::{Expect, expect};
use jp_config::graph::Graph;

use super::*;
use crate::comparison::{compare, tests::load};

const CONFIG: &str = "//- .jp/config.toml
TOOLpolicy.run = [{ arg = \"/path\", prefix = \"src/a\", mode = \"unattended\" }, { mode = \"ask\" }]

[conversation.tools.read]
source = \"local\"
command = \"cat\"
run = \"ask\"

[conversation.tools.'*']
result = \"ask\"
";

fn verdicts(before: &str, after: &str) -> ToolVerdicts {
    ToolVerdicts::of(&compare(&load(before), &load(after), |_| None))
}

/// The lines above the tools of a file, each with the text that it stands above.
fn lines(verdicts: &ToolVerdicts, graph: &Graph, path: &str, fragment: Option<&str>) -> String {
    let file = graph.file_at(Utf8Path::new(path)).unwrap();
    let document = graph.content(file).unwrap().document().unwrap();
    let lenses = verdicts.lenses(document, fragment.map(Utf8Path::new));
    let lines = lenses.iter().map(|lens| {
        let key = document.text().get(lens.span.range()).unwrap();
        format!("{key} ({}): {}", lens.tool, lens.verdict)
    });
    lines.collect::<Vec<String>>().join("\n")
}

fn check(after: &str, expected: &Expect) {
    let path = "/w/.jp/config.toml";
    expected.assert_eq(&lines(&verdicts(CONFIG, after), &load(after), path, None));
}

#[test]
fn a_tool_that_is_decided_otherwise_has_a_line() {
    check(CONFIG, &expect![""]);
    check(&CONFIG.replace("cat\"", "cat\" # reads"), &expect![""]);
    let loosened = CONFIG.replace("src/a", "src");
    check(&loosened, &expect!["edit (edit): loosened"]);
    let both = loosened.replace("run = \"ask\"", "run = \"skip\"");
    check(
        &both,
        &expect![[r#"
            edit (edit): loosened
            read (read): tightened"#]],
    );
}

#[test]
fn several_aspects_of_a_tool_make_one_line() {
    let other = CONFIG.replace("run = \"ask\"", "run = \"skip\"\nenable = \"off\"");
    check(&other, &expect!["read (read): tightened"]);
    let mixed = CONFIG.replace("run = \"ask\"", "run = \"skip\"\nresult = \"unattended\"");
    check(&mixed, &expect!["read (read): mixed"]);
}

#[test]
fn the_defaults_have_a_line_and_so_have_the_tools_that_they_change() {
    let defaults = CONFIG.replace("result = \"ask\"", "result = \"unattended\"");
    check(
        &defaults,
        &expect![[r#"
            edit (edit): loosened
            read (read): loosened
            '*' (*): loosened"#]],
    );
}

#[test]
fn an_error_of_one_tool_is_told_above_it_and_one_of_the_file_above_all() {
    let of_one = CONFIG.replace("run = \"ask\"", "run = \"aks\"");
    check(&of_one, &expect!["read (read): unknown"]);
    let of_all = format!("{CONFIG}[broken\n");
    check(
        &of_all,
        &expect![[r#"
            edit (edit): unknown
            read (read): unknown
            '*' (*): unknown"#]],
    );
}

#[test]
fn a_tool_of_a_fragment_counts_where_the_fragment_is_picked() {
    let with = |mode: &str| {
        let base = CONFIG.replace(
            "TOOL",
            "config_load_paths = [\".jp/more\"]\n[assistant]\nTOOL",
        );
        format!("{base}//- .jp/more/read.toml\n[conversation.tools.read]\nrun = \"{mode}\"\n")
    };
    let (before, after) = (with("ask"), with("unattended"));
    let verdicts = verdicts(&before, &after);
    let graph = load(&after);
    let base = lines(&verdicts, &graph, "/w/.jp/config.toml", None);
    expect![""].assert_eq(&base);
    let fragment = Some(".jp/more/read.toml");
    let picked = lines(&verdicts, &graph, "/w/.jp/more/read.toml", fragment);
    expect!["read (read): loosened"].assert_eq(&picked);
}

#[test]
fn what_a_comparison_says_about_one_tool() {
    let after = CONFIG
        .replace("src/a", "src")
        .replace("run = \"ask\"", "run = \"skip\"");
    let all = compare(&load(CONFIG), &load(&after), |_| None);
    assert_eq!(all.verdict, ChangeVerdict::Mixed);
    let edit = all.clone().about("edit");
    assert_eq!(
        (edit.verdict, edit.tools.len()),
        (ChangeVerdict::Loosened, 1)
    );
    let none = all.about("*");
    assert_eq!((none.verdict, none.tools.len()), (ChangeVerdict::Equal, 0));
    // What leaves everything open is part of what is said about each tool; an error of another tool is not.
    let broken = format!("{CONFIG}[broken\n");
    let read = compare(&load(CONFIG), &load(&broken), |_| None).about("read");
    assert_eq!(
        (read.verdict, read.refused.len()),
        (ChangeVerdict::Unknown, 1)
    );
    let other = CONFIG.replace("run = \"ask\"", "run = \"aks\"");
    let edit = compare(&load(CONFIG), &load(&other), |_| None).about("edit");
    assert_eq!(
        (edit.verdict, edit.refused.len()),
        (ChangeVerdict::Equal, 0)
    );
}
