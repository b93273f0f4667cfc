//! Fresh parse and keystrokes at 1,000, 10,000 and 100,000 lines.
//!
//! `cargo bench -p jp_config --bench document`

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jp_config::document::Document;

/// A config of about `lines` lines, 72 for each tool.
fn config(lines: usize) -> String {
    let mut text = String::from(
        "# Generated.\ninherit = true\n\n[assistant]\nname = \"jp\"\nmodel.id = \"anthropic/claude\"\n\n[conversation.tools.'*']\nrun = \"ask\"\n\n",
    );
    for tool in 0..(lines / 72).max(1) {
        block(&mut text, tool);
    }
    text
}

fn block(text: &mut String, tool: usize) {
    let name = format!("conversation.tools.tool_{tool:05}");
    let body = format!(
        r#"# Tool number {tool}.
[{name}]
source = "local"
command = "just serve-tools tool-{tool:05}"
summary = "Does the work of tool {tool} on files of the workspace."
enable = true

[{name}.policy]
result = "unattended"
run = [
  {{ arg = "/path", prefix = "src/sensitive/", mode = "ask" }},
  {{ arg = "/path", prefix = "src/", mode = "unattended" }},
  {{ arg = "/patterns/old", pattern = "rm\\s+-rf", mode = "ask" }},
  {{ arg = "/start_line", minimum = 1000, mode = "edit" }},
  {{ arg = "/util", enum = ["date", "wc", "head", "tail"], mode = "unattended" }},
  {{ mode = "ask" }},
]

[{name}.parameters.path]
type = "path"
required = true
summary = "The path of the file to change."

[{name}.parameters.start_line]
type = "integer"
summary = "First line to read, one-based."

[{name}.parameters.util]
type = "string"
enum = ["date", "wc", "head", "tail", "jq"]

[{name}.parameters.patterns]
type = "array"
required = true

[{name}.parameters.patterns.items]
type = "object"

[{name}.parameters.patterns.items.properties.old]
type = "string"
required = true

[{name}.parameters.patterns.items.properties.new]
type = "string"

[[{name}.access.fs]]
path = "."
read = true

[[{name}.access.fs]]
path = "src/module_{module}"
read = true
write = true
delete = false

[[{name}.access.net]]
host = "api.example.org"
scheme = "https"
port = 443
allow = true

[[{name}.access.env]]
name = "JP_TOOL_*"
read = true

[[{name}.access.config]]
path = "assistant.model"
read = true
write = "insecure_allow"
apply = "ask"


"#,
        module = tool % 97,
    );
    let _ = write!(text, "{body}");
}

fn documents(criterion: &mut Criterion) {
    for lines in [1_000, 10_000, 100_000] {
        let text = config(lines);
        let mut group = criterion.benchmark_group("document");
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("parse", lines), &text, |bencher, text| {
            bencher.iter(|| Document::parse(black_box(text)));
        });
        group.throughput(Throughput::Elements(1));
        let document = Document::parse(&text);
        let middle = text.len() / 2;
        let find = |what: &str| {
            middle
                + text
                    .get(middle..)
                    .and_then(|rest| rest.find(what))
                    .unwrap_or(0)
        };
        let body = find("summary = \"Does") + 11;
        let header = find(".parameters.util]") + 16;
        let mut keystroke = |name: &str, at: usize, key: &str| {
            group.bench_function(BenchmarkId::new(name, lines), |bencher| {
                let mut current = document.clone();
                bencher.iter(|| {
                    current.edit(at..at, key);
                    current.edit(at..at + key.len(), "");
                });
            });
        };
        // Two edits each: the key and its removal.
        keystroke("two keystrokes in a body", body, "x");
        keystroke("two keystrokes that open a bracket", body - 1, "[");
        keystroke("two keystrokes in a header", header, "x");
        group.bench_function(
            BenchmarkId::new("keystroke with a snapshot alive", lines),
            |bencher| {
                bencher.iter_batched(
                    || document.clone(),
                    |mut current| {
                        current.edit(body..body, "x");
                        current
                    },
                    BatchSize::LargeInput,
                );
            },
        );
        group.bench_function(BenchmarkId::new("errors", lines), |bencher| {
            bencher.iter(|| document.errors());
        });
        group.bench_function(BenchmarkId::new("at", lines), |bencher| {
            bencher.iter(|| document.at(black_box(body)));
        });
        group.finish();
    }
}

criterion_group!(benches, documents);
criterion_main!(benches);
