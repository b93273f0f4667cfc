use camino::Utf8PathBuf;
use clap::Parser;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::cli::check::{self, CheckArguments};

fn printed(name: SchemaName) -> Value {
    let mut output = Vec::new();
    let code = run(&SchemaArguments { name }, &mut output).expect("memory can be written");
    assert_eq!(code, 0);
    serde_json::from_slice(&output).expect("a schema is JSON")
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: CheckArguments,
}

const FAULTY: &str = r#"
[conversation.tools.edit]
source = "local"
summery = "ä😀"
parameters.path.type = "path"
policy.run = [{ mode = "ask" }, { arg = "/path", const = "a", mode = "skip" }]
access.config = [{ path = "conversation.tools", write = true }]
a =
"#;

/// What `check --format json` prints about a faulty workspace.
fn report() -> Value {
    let folder = TempDir::new().expect("a folder");
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).expect("UTF-8");
    std::fs::create_dir(root.join(".jp")).expect("a folder");
    std::fs::write(root.join(".jp/config.toml"), FAULTY).expect("a file");
    let line = Line::parse_from(["check", root.as_str(), "--format", "json"]);
    let mut output = Vec::new();
    let code = check::run(&line.arguments, false, &mut output).expect("a workspace can be checked");
    assert_eq!(code, 1);
    serde_json::from_slice(&output).expect("a report is JSON")
}

#[test]
fn every_schema_is_one() {
    for name in SchemaName::value_variants() {
        assert!(jsonschema::meta::is_valid(&printed(*name)), "{name:?}");
    }
}

#[test]
fn reports_fit_their_schema() {
    let schema = printed(SchemaName::CheckOutput);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let report = report();
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    let findings = report.as_array().expect("a list");
    assert!(findings.len() > 3, "{report:#}");
    let has = |key: &str| findings.iter().any(|finding| finding.get(key).is_some());
    assert!(has("help") && has("related"), "{report:#}");
}

#[test]
fn what_is_no_report_does_not_fit() {
    let schema = printed(SchemaName::CheckOutput);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let report = report();
    let finding = report.get(0).expect("a finding");
    let faults = [
        ("severity", json!("fatal")),
        ("code", json!("A")),
        ("path", json!(1)),
        ("more", json!(1)),
    ];
    for (key, value) in faults {
        let mut broken = finding.clone();
        let fields = broken.as_object_mut().expect("an object");
        fields.insert(key.to_owned(), value);
        assert!(!validator.is_valid(&json!([broken])), "{key}");
    }
}

/// Texts of examples, and whether they are ones: what the schema says, and what is read.
#[test]
fn the_schema_of_examples_says_what_is_read() {
    let schema = printed(SchemaName::PolicyTests);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let call = "[[case]]\ntool = \"a\"\ncall.path = \"x\"\n";
    let file = "[[case]]\ntool = \"a\"\nfs = { capability = \"read\", path = \"x\" }\n";
    let modes = |key: &str| {
        let words = ["ask", "unattended", "edit", "skip"];
        words.map(|mode| (format!("{call}{key} = \"{mode}\"\n"), true))
    };
    let capabilities = |kind: &str, words: &[&str]| -> Vec<(String, bool)> {
        let all = ["read", "create", "update", "delete", "execute", "write"];
        let text = |word: &str| {
            format!(
                "[[case]]\ntool = \"a\"\nallowed = true\n{kind} = {{ capability = \"{word}\", path = \"assistant\" }}\n"
            )
        };
        let each = all.iter().map(|word| (text(word), words.contains(word)));
        each.collect()
    };
    let mut texts = vec![
        (String::new(), true),
        (
            format!("{call}run = \"ask\"\nresult = \"ask\"\nrule = 1\nname = \"n\"\n"),
            true,
        ),
        (format!("{call}run = \"ask\"\nrule = \"fallback\"\n"), true),
        (format!("{call}run = \"ask\"\nrule = \"none\"\n"), false),
        (format!("{call}run = \"ask\"\nrule = -1\n"), false),
        (format!("{call}run = \"ask\"\nrule = 1.5\n"), false),
        (call.to_owned(), false),
        (format!("{call}run = \"asks\"\n"), false),
        (format!("{call}run = \"ask\"\nallowed = true\n"), false),
        (format!("{call}allowed = true\n"), false),
        (format!("{call}run = \"ask\"\nenv = \"A\"\n"), false),
        (format!("{call}run = \"ask\"\nmore = 1\n"), false),
        (format!("{file}allowed = false\nrule = 0\n"), true),
        (format!("{file}allowed = 1\n"), false),
        (format!("{file}run = \"ask\"\n"), false),
        (format!("{file}allowed = true\nresult = \"ask\"\n"), false),
        (file.to_owned(), false),
        (
            "[[case]]\ntool = \"a\"\nnet = \"https://x\"\nallowed = true\n".to_owned(),
            true,
        ),
        (
            "[[case]]\ntool = \"a\"\nenv = 1\nallowed = true\n".to_owned(),
            false,
        ),
        ("[[case]]\nenv = \"A\"\nallowed = true\n".to_owned(), false),
        ("[[case]]\ntool = \"a\"\n".to_owned(), false),
        ("[case]\n".to_owned(), false),
        ("cases = 1\n".to_owned(), false),
    ];
    texts.extend(modes("run"));
    texts.extend(modes("result"));
    let files = ["read", "create", "update", "delete", "execute"];
    texts.extend(capabilities("fs", &files));
    texts.extend(capabilities("config", &["read", "write", "delete"]));
    for (text, is_valid) in texts {
        let value: Value = toml::from_str(&text).expect("TOML");
        assert_eq!(validator.is_valid(&value), is_valid, "{text}");
        let mistakes = jp_analysis::examples::Examples::read(&text).mistakes;
        assert_eq!(mistakes.is_empty(), is_valid, "{text}: {mistakes:?}");
    }
}

/// Texts of settings, and whether they are ones: what the schema says, and what is read.
#[test]
fn the_schemas_of_settings_say_what_is_read() {
    let of_repository = |text: &str| jp_analysis::settings::Settings::read(text).mistakes;
    let texts = [
        ("", true),
        ("[severity]\n", true),
        (
            "[severity]\nmerge-trap = \"off\"\nself-escalation = \"hint\"\n",
            true,
        ),
        ("severity = 1\n", false),
        ("severity.merge-trap = \"of\"\n", false),
        ("severity.merge-trap = true\n", false),
        ("severity.merge-trp = \"off\"\n", false),
        ("[sandbox]\n", false),
    ];
    agree(SchemaName::LspSettings, &texts, &of_repository);
    for level in jp_analysis::Level::NAMES {
        let text = format!("severity.merge-trap = \"{level}\"\n");
        agree(SchemaName::LspSettings, &[(&text, true)], &of_repository);
    }
    let of_person = |text: &str| user_settings::parse(text).1;
    let texts = [
        ("", true),
        ("[sandbox.mcp]\n", true),
        ("[sandbox.mcp.a]\n", true),
        (
            "[sandbox.mcp.a]\nread = [\"docs\"]\nwrite = []\nnet = [\"example.org:8080\"]\n",
            true,
        ),
        (
            "[sandbox.mcp.a]\nnet = false\n[sandbox.mcp.'b c']\nnet = true\n",
            true,
        ),
        ("[severity]\n", false),
        ("[sandbox.mpc.a]\n", false),
        ("sandbox.mcp.a = false\n", false),
        ("sandbox.mcp.a.net = \"example.org\"\n", false),
        ("sandbox.mcp.a.net = [1]\n", false),
        ("sandbox.mcp.a.read = \"docs\"\n", false),
        ("sandbox.mcp.a.read = [\"\"]\n", false),
        ("sandbox.mcp.a.execute = []\n", false),
    ];
    agree(SchemaName::UserSettings, &texts, &of_person);
}

fn agree(
    name: SchemaName,
    texts: &[(&str, bool)],
    read: &dyn Fn(&str) -> Vec<jp_analysis::Mistake>,
) {
    let schema = printed(name);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for (text, is_valid) in texts {
        let value: Value = toml::from_str(text).expect("TOML");
        assert_eq!(validator.is_valid(&value), *is_valid, "{text}");
        let mistakes = read(text);
        assert_eq!(mistakes.is_empty(), *is_valid, "{text}: {mistakes:?}");
    }
}
