use std::{fmt::Write as _, sync::Arc};

use expect_test::{Expect, expect};
use jp_config::{
    content::{Content, ContentFormat},
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

use crate::{Analysis, Options, Severity};

const PATH: &str = "/w/.jp/config.toml";

/// The number of findings, and the last three.
fn ends(analysis: &Analysis) -> String {
    let found = analysis.all_diagnostics().next().unwrap().1;
    let mut text = format!("{} findings\n", found.len());
    for finding in found.iter().skip(found.len().saturating_sub(3)) {
        let line = finding.severity.as_str();
        let message: String = finding.message.chars().take(60).collect();
        let start = finding.place.span.start;
        writeln!(text, "{start} {line}[{}]: {message}", finding.code).unwrap();
    }
    text
}

fn analysis_at(path: &str, text: &str) -> Analysis {
    let mut files = MemoryFiles::default();
    files.insert(path, text);
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    Analysis::new(Arc::new(graph), Options::default())
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&ends(&analysis_at(PATH, text)));
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn a_thousand_findings_are_all_told() {
    check(
        &lines(1_000, |index| format!("k{index:04} = 1\n")),
        &expect![[r#"
            1000 findings
            9970 error[unknown-key]: unknown key `k0997`, expected one of `inherit`, `config_load
            9980 error[unknown-key]: unknown key `k0998`, expected one of `inherit`, `config_load
            9990 error[unknown-key]: unknown key `k0999`, expected one of `inherit`, `config_load
        "#]],
    );
}

/// Tools that may write a folder, in which a config of its own could stand.
fn writers(count: usize) -> String {
    lines(count, |index| {
        format!(
            "[conversation.tools.t{index:02}]\nsource = \"local\"\ncommand = \"t\"\naccess.fs = [{{ path = \"src\", write = true }}]\n"
        )
    })
}

#[test]
fn notes_that_are_alike_are_told_twenty_times() {
    let told = |text: &str| -> Vec<String> {
        let analysis = analysis_at(PATH, text);
        let found = analysis.all_diagnostics().next().unwrap().1;
        let alike = found
            .iter()
            .filter(|it| it.severity == Severity::Information);
        alike.map(|it| it.message.clone()).collect()
    };
    let twenty = told(&writers(20));
    assert_eq!(twenty.len(), 20);
    assert!(
        !twenty
            .iter()
            .any(|message| message.contains("more like it"))
    );
    let more = told(&writers(23));
    assert_eq!(more.len(), 20);
    assert_eq!(more[..19], twenty[..19]);
    assert_eq!(
        more[19],
        format!("{}; 3 more like it in this file", twenty[19])
    );
    // Whatever is to be mended is told.
    let errors = lines(30, |index| format!("k{index:02} = 1\n"));
    let found = analysis_at(PATH, &errors);
    assert_eq!(found.all_diagnostics().next().unwrap().1.len(), 30);
}

#[test]
fn the_last_of_many_findings_counts_the_rest() {
    check(
        &lines(1_001, |index| format!("k{index:04} = 1\n")),
        &expect![[r#"
            1000 findings
            9970 error[unknown-key]: unknown key `k0997`, expected one of `inherit`, `config_load
            9980 error[unknown-key]: unknown key `k0998`, expected one of `inherit`, `config_load
            9990 error[unknown-key]: 2 more findings in this file: mend those above first
        "#]],
    );
    check(
        &lines(5_000, |index| format!("[k{index:04}]\n")),
        &expect![[r#"
            1000 findings
            7977 error[unknown-key]: unknown key `k0997`, expected one of `inherit`, `config_load
            7985 error[unknown-key]: unknown key `k0998`, expected one of `inherit`, `config_load
            7993 error[unknown-key]: 4001 more findings in this file: mend those above first
        "#]],
    );
}

#[test]
fn broken_lines_and_double_keys_are_counted_too() {
    check(
        &lines(3_000, |_| "=\n".to_owned()),
        &expect![[r#"
        1000 findings
        1994 error[toml-syntax]: missing key: write a key before `=`
        1996 error[toml-syntax]: missing key: write a key before `=`
        1998 error[toml-syntax]: 2001 more findings in this file: mend those above first
    "#]],
    );
    check(
        &lines(3_000, |_| "[editor]\n".to_owned()),
        &expect![[r#"
            1000 findings
            8983 error[duplicate-key]: `editor` is defined twice: remove one or rename it
            8992 error[duplicate-key]: `editor` is defined twice: remove one or rename it
            9001 error[duplicate-key]: 2000 more findings in this file: mend those above first
        "#]],
    );
    check(
        &lines(3_000, |_| "inherit = true\n".to_owned()),
        &expect![[r#"
            1000 findings
            14970 error[duplicate-key]: `inherit` is defined twice: remove one or rename it
            14985 error[duplicate-key]: `inherit` is defined twice: remove one or rename it
            15000 error[duplicate-key]: 2000 more findings in this file: mend those above first
        "#]],
    );
}

#[test]
fn findings_about_a_whole_tool_are_counted_too() {
    let rules = lines(3_000, |index| format!("  {{ arg = \"/p{index}\" }},\n"));
    check(
        &format!(
            "[conversation.tools.t]\nsource = \"local\"\ncommand = \"t\"\npolicy.run = [\n{rules}]\n"
        ),
        &expect![[r#"
            1000 findings
            20898 error[missing-required]: missing required value for `conversation.tools.t.policy.run.
            20919 error[missing-required]: missing required value for `conversation.tools.t.policy.run.
            20940 error[missing-required]: 2001 more findings in this file: mend those above first
        "#]],
    );
}

#[test]
fn findings_on_other_files_are_counted_too() {
    let entries = lines(3_000, |index| format!("\"gone{index}.toml\", "));
    check(
        &format!("extends = [{entries}]\n"),
        &expect![[r#"
        1000 findings
        15853 warning[extends-missing]: no file stands at `.jp/gone997.toml`, so this entry adds not
        15869 warning[extends-missing]: no file stands at `.jp/gone998.toml`, so this entry adds not
        15885 warning[extends-missing]: 2001 more findings in this file: mend those above first
    "#]],
    );
}

#[test]
fn the_rest_is_as_bad_as_the_worst_in_it() {
    let entries = lines(1_000, |index| format!("\"gone{index}.toml\", "));
    check(
        &format!("extends = [{entries}]\nmistake = 1\n"),
        &expect![[r#"
            1000 findings
            15853 warning[extends-missing]: no file stands at `.jp/gone997.toml`, so this entry adds not
            15869 warning[extends-missing]: no file stands at `.jp/gone998.toml`, so this entry adds not
            15885 error[unknown-key]: 2 more findings in this file: mend those above first
        "#]],
    );
}

#[test]
fn a_data_file_has_its_limit_too() {
    let keys = lines(3_000, |index| format!("\"k{index}\": 1, "));
    let analysis = analysis_at("/w/.jp/config.json", &format!("{{{keys}\"k\": 1}}"));
    expect![[r#"
        1000 findings
        0 error[unknown-key]: `k999`: unknown key `k999`, expected one of `inherit`, `conf
        0 error[unknown-key]: `k99`: unknown key `k99`, expected one of `inherit`, `config
        0 error[unknown-key]: 2002 more findings in this file: mend those above first
    "#]]
    .assert_eq(&ends(&analysis));
}

#[test]
fn what_was_counted_is_told_once_there_is_room() {
    let text = lines(40, |section| {
        let keys = lines(50, |key| format!("k{key} = {section}\n"));
        format!("[style.x{section}]\n{keys}[editor]\n{keys}")
    });
    let mut analysis = analysis_at(PATH, &text);
    let Content::Toml(mut document) = analysis.graph().files[0]
        .content
        .as_deref()
        .unwrap()
        .clone()
    else {
        panic!("a TOML file");
    };
    // Takes the sections away from the front, one at a time, and compares with an analysis from scratch.
    while let Some(next) = document.text().get(1..).and_then(|rest| rest.find('[')) {
        document.edit(0..next + 1, "");
        let file = analysis.graph().file_at(PATH.into()).unwrap();
        let content = Arc::new(Content::Toml(document.clone()));
        let graph = Arc::new(analysis.graph().with_content(file, content));
        analysis = analysis.update(graph);
        let fresh = Content::parse(ContentFormat::Toml, document.text());
        let fresh = Arc::new(analysis.graph().with_content(file, Arc::new(fresh)));
        let fresh = Analysis::new(fresh, Options::default());
        let told: Vec<_> = analysis.all_diagnostics().collect();
        assert_eq!(told, fresh.all_diagnostics().collect::<Vec<_>>());
    }
}
