//! How a comparison is printed: for people, for scripts, for code scanning, for pull requests.
//!
//! ```json
//! {"verdict": "loosened", "tools": [{"tool": "edit", "aspect": "run", "verdict": "loosened", "changes": [
//!   {"witness": {"path": "src/x"}, "before": "ask", "after": "unattended", "rule": {"path": ".jp/config.toml", "line": 7}, "recorded": 0}
//! ], "unknown": []}], "assumes": ["…"]}
//! ```
//!
//! Lines count from 1; paths are relative to the workspace, and in the formats for code hosts to the repository.

mod markdown;

use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::{
    comparison::{AspectComparison, Change, Refused, Side},
    explain::RulePlace,
};
use jp_config::paths::normalize;
use jp_policy::Direction;
use serde_json::{Value, json};

use super::DiffFormat;
use crate::{
    cli::report::{data, property, uri},
    published::REPOSITORY,
    runtime::comparison::{
        Compared,
        words::{human, line, refused_in_words, summary, title},
    },
};

/// Where the format is described.
const PAGE: &str = "docs/DIFF.md";

pub(super) fn print(
    format: DiffFormat,
    compared: &Compared,
    output: &mut dyn Write,
) -> io::Result<()> {
    match format {
        DiffFormat::Human => human(compared, output),
        DiffFormat::Json => writeln!(output, "{}", as_json(compared)),
        DiffFormat::Sarif => writeln!(output, "{}", sarif(compared)),
        DiffFormat::Github => github(compared, output),
        DiffFormat::Markdown => markdown::comment(compared, output),
    }
}

fn as_json(compared: &Compared) -> Value {
    let rule = |place: &Option<RulePlace>| match place {
        Some(place) => json!({ "path": place.path, "line": place.line + 1 }),
        None => Value::Null,
    };
    let change = |change: &Change| {
        json!({
            "witness": change.witness,
            "before": change.before,
            "after": change.after,
            "rule": rule(&change.rule),
            "recorded": change.recorded,
        })
    };
    let tool = |found: &AspectComparison| {
        let mut object = json!({
            "tool": found.tool,
            "aspect": found.aspect.keyword(),
            "verdict": found.verdict.keyword(),
            "changes": found.changes.iter().map(change).collect::<Vec<Value>>(),
            "unknown": found.unknown,
        });
        if let (Value::Object(object), Some(fragment)) = (&mut object, &found.fragment) {
            object.insert("fragment".to_owned(), json!(fragment));
        }
        object
    };
    let comparison = &compared.comparison;
    let mut json = json!({
        "verdict": comparison.verdict.keyword(),
        "tools": comparison.tools.iter().map(tool).collect::<Vec<Value>>(),
        "assumes": compared.assumes,
    });
    if !comparison.refused.is_empty()
        && let Value::Object(json) = &mut json
    {
        let refused = comparison.refused.iter().map(refused_as_json);
        json.insert("refused".to_owned(), refused.collect());
    }
    json
}

/// Why no turn starts on one side, as `explain` has it, with the side.
fn refused_as_json(refused: &Refused) -> Value {
    let mut json = json!({ "side": refused.side.keyword() });
    if let Value::Object(json) = &mut json {
        if let Some(fragment) = &refused.fragment {
            json.insert("fragment".to_owned(), json!(fragment));
        }
        if let Value::Object(refusal) = refused.refusal.to_json() {
            json.extend(refusal);
        }
    }
    json
}

/// One finding for a code host: how bad, what, and where.
struct Entry<'c> {
    kind: &'static str,
    message: String,
    /// The file, as the comparison names it, and the line, counted from 1, on the side after.
    place: Option<(&'c Utf8Path, u32)>,
    /// The file that decided before, where nothing decides after.
    was: Option<&'c Utf8Path>,
}

impl Entry<'_> {
    /// The file and the line for a code host that takes no finding without one.
    fn place_at_least(&self) -> (&Utf8Path, u32) {
        let was = || (self.was.unwrap_or(Utf8Path::new(".jp/config.toml")), 1);
        self.place.unwrap_or_else(was)
    }
}

/// Every change, and everything that is not known.
fn entries(compared: &Compared) -> Vec<Entry<'_>> {
    let refused = compared.comparison.refused.iter().map(|refused| {
        let place = refused.refusal.place.as_ref();
        let after = place.filter(|_| refused.side == Side::After);
        Entry {
            kind: "refused",
            message: refused_in_words(compared, refused),
            place: after.map(|(path, line)| (path.as_path(), *line)),
            was: place.map(|(path, _)| path.as_path()),
        }
    });
    let mut entries: Vec<Entry<'_>> = refused.collect();
    for found in &compared.comparison.tools {
        let title = title(found);
        for change in &found.changes {
            let kind = match change.direction {
                Direction::Loosened => "loosened",
                Direction::Tightened => "tightened",
                Direction::Sideways => "changed",
            };
            entries.push(Entry {
                kind,
                message: format!(
                    "{title}: {} -> {}, as in {}",
                    change.before, change.after, change.witness
                ),
                place: change.rule.as_ref().map(place_after),
                was: change.before_rule.as_ref().map(|rule| rule.path.as_path()),
            });
        }
        entries.extend(found.unknown.iter().map(|open| Entry {
            kind: "unknown",
            message: format!("{title}: {open}"),
            place: None,
            was: found.fragment.as_deref(),
        }));
    }
    entries
}

fn place_after(rule: &RulePlace) -> (&Utf8Path, u32) {
    (&rule.path, rule.line.saturating_add(1))
}

fn github(compared: &Compared, output: &mut dyn Write) -> io::Result<()> {
    for entry in entries(compared) {
        let level = match entry.kind {
            "refused" => "error",
            "tightened" => "notice",
            _ => "warning",
        };
        let mut properties = Vec::new();
        if let Some((path, line)) = entry.place {
            let path = in_repository(compared, path);
            properties.push(format!("file={}", property(path.as_str())));
            properties.push(format!("line={line}"));
        }
        properties.push(format!("title=config {}", entry.kind));
        writeln!(
            output,
            "::{level} {}::{}",
            properties.join(","),
            data(&line(&entry.message))
        )?;
    }
    writeln!(output, "{}", summary(compared))
}

fn sarif(compared: &Compared) -> Value {
    const KINDS: [(&str, &str, &str); 5] = [
        (
            "loosened",
            "warning",
            "Something is decided less strictly than before.",
        ),
        (
            "tightened",
            "note",
            "Something is decided more strictly than before.",
        ),
        (
            "changed",
            "warning",
            "Something is decided otherwise, neither more nor less strictly.",
        ),
        (
            "unknown",
            "warning",
            "It is not known whether something is decided otherwise.",
        ),
        (
            "refused",
            "error",
            "No turn starts with the config, so that nothing can be told of it.",
        ),
    ];
    let rules: Vec<Value> = KINDS
        .iter()
        .map(|(kind, level, text)| {
            json!({
                "id": format!("config-{kind}"),
                "shortDescription": { "text": text },
                "help": { "text": format!("See {PAGE}.") },
                "defaultConfiguration": { "level": level },
            })
        })
        .collect();
    let result = |entry: &Entry<'_>| {
        let index = KINDS
            .iter()
            .position(|(kind, ..)| *kind == entry.kind)
            .unwrap_or_default();
        let level = KINDS.get(index).map_or("warning", |(_, level, _)| level);
        let location = |(path, line): (&Utf8Path, u32)| {
            json!({ "physicalLocation": {
                "artifactLocation": { "uri": uri(in_repository(compared, path).as_str()) },
                "region": { "startLine": line },
            } })
        };
        json!({
            "ruleId": format!("config-{}", entry.kind),
            "ruleIndex": index,
            "level": level,
            "message": { "text": plain(&entry.message) },
            "locations": [location(entry.place_at_least())],
        })
    };
    let entries = entries(compared);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "jp-lsp",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": REPOSITORY,
                "rules": rules,
            } },
            "columnKind": "utf16CodeUnits",
            "results": entries.iter().map(result).collect::<Vec<Value>>(),
        }],
    })
}

/// Text without the links that SARIF finds in it, which are `[text](target)`.
fn plain(text: &str) -> String {
    let shown = line(text);
    match shown.contains("](") {
        true => shown.replace('[', "\\[").replace(']', "\\]"),
        false => shown,
    }
}

/// A path from the workspace as the repository has it.
fn in_repository(compared: &Compared, path: &Utf8Path) -> Utf8PathBuf {
    normalize(&compared.prefix.join(path))
}
