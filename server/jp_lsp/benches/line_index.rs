//! What a keystroke costs before anything is analysed: the text and its line index at several sizes.

#![expect(clippy::unwrap_used, reason = "a benchmark may stop")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jp_lsp::{Documents, LineIndex, PositionEncoding};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use url::Url;

fn text(lines: usize) -> String {
    (0..lines)
        .map(|line| format!("key_{line} = \"a value of some length\"\n"))
        .collect()
}

fn keystroke(criterion: &mut Criterion) {
    let uri = Url::parse("file:///w/.jp/config.toml").unwrap();
    let mut group = criterion.benchmark_group("keystroke");
    for lines in [1_000, 10_000, 100_000] {
        let mut documents = Documents::default();
        documents.open(uri.clone(), "toml", 0, text(lines)).unwrap();
        let middle = Position {
            line: u32::try_from(lines / 2).unwrap(),
            character: 3,
        };
        let mut version = 0;
        let mut change = |documents: &mut Documents, end: u32, text: &str| {
            version += 1;
            let range = Range {
                start: middle,
                end: Position {
                    character: middle.character + end,
                    ..middle
                },
            };
            let event = TextDocumentContentChangeEvent {
                range: Some(range),
                range_length: None,
                text: text.to_owned(),
            };
            documents
                .change(&uri, version, vec![event], PositionEncoding::Utf16)
                .unwrap();
        };
        group.bench_function(BenchmarkId::new("alone", lines), |bencher| {
            bencher.iter(|| {
                change(&mut documents, 0, "x");
                change(&mut documents, 1, "");
            });
        });
        group.bench_function(BenchmarkId::new("beside a reader", lines), |bencher| {
            bencher.iter(|| {
                let reader = documents.clone();
                change(&mut documents, 0, "x");
                change(&mut documents, 1, "");
                black_box(reader);
            });
        });
    }
    group.finish();
}

fn index(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("line index");
    for lines in [1_000, 10_000, 100_000] {
        let mut text = text(lines);
        group.bench_function(BenchmarkId::new("whole", lines), |bencher| {
            bencher.iter(|| LineIndex::new(black_box(&text)));
        });
        let mut index = LineIndex::new(&text);
        let middle = index.line(&text, lines / 2).start;
        text.insert(middle, '\n');
        let shorter = text.clone();
        group.bench_function(
            BenchmarkId::new("one line more and less", lines),
            |bencher| {
                bencher.iter(|| {
                    index.edit(&text, &(middle..middle), 1);
                    index.edit(&shorter, &(middle..middle + 1), 0);
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, keystroke, index);
criterion_main!(benches);
