//! The whole of a file and one of its sections, validated; the schema, compiled and exported.
//!
//! `cargo bench -p jp_config --bench validate`

use std::{fmt::Write as _, hint::black_box};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use jp_config::{
    document::{Document, Node},
    schema::{json_schema, schema},
    validate::{Extent, validate, validate_table},
};

/// A config of about `lines` lines, 20 for each tool, one mistake in each tenth tool.
fn config(lines: usize) -> String {
    let mut text = String::new();
    for tool in 0..(lines / 20).max(1) {
        let run = if tool % 10 == 0 { "aks" } else { "ask" };
        let _ = write!(
            text,
            r#"[conversation.tools.tool_{tool}]
source = "local"
command = "just serve-tools {{{{context}}}} {{{{tool}}}}"
summary = "Does the work of tool {tool}."
enable = "explicit"
run = "{run}"
questions.overwrite.answer = true

[conversation.tools.tool_{tool}.policy]
run = [
    {{ arg = "/path", prefix = "src/", mode = "unattended" }},
    {{ arg = "/start_line", minimum = 1000, mode = "edit" }},
    {{ mode = "ask" }},
]

[conversation.tools.tool_{tool}.parameters]
path = {{ type = "path", required = true, summary = "The path." }}
names = {{ type = "array", items = {{ type = "string" }} }}

"#
        );
    }
    text
}

fn benchmarks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("validate");
    for lines in [1_000, 10_000, 100_000] {
        let document = Document::parse(&config(lines));
        let root = || Node::Table(document.root());
        group.throughput(Throughput::Elements(lines as u64));
        group.bench_function(BenchmarkId::new("file", lines), |bencher| {
            bencher.iter(|| validate(schema(), schema().root(), black_box(root()), "").len());
        });
    }
    group.finish();

    let document = Document::parse(&config(1_000));
    criterion.bench_function("validate/section", |bencher| {
        bencher.iter(|| {
            let node = schema().lookup_header(["conversation", "tools", "t", "policy"]);
            let section = document.sections().nth(2);
            let (Ok(found), Some(section)) = (node, section) else {
                return 0;
            };
            let body = black_box(Node::Table(section.body()));
            validate_table(schema(), found.node, body, "t", Extent::Whole).len()
        });
    });
    criterion.bench_function("schema/export", |bencher| bencher.iter(json_schema));
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
