//! What a keystroke in the rules costs in the background: every recorded call of the tool is judged again.
//!
//! ```text
//! cargo bench -p jp_history --bench replay
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]

#[path = "../../../tests/random.rs"]
mod random;
#[path = "../tests/support/record.rs"]
mod record;

use std::hint::black_box;

use camino::Utf8Path;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use jp_history::Replay;
use jp_policy::{RawRule, RunMode, compile};

use self::{
    random::Random,
    record::{TOOL, canonical, edit, parameters, record, rule},
};

const CALLS: usize = 100_000;

fn keystroke(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("100,000 calls judged again");
    group.sample_size(20);
    for different in [2_000, 20_000, CALLS] {
        for count in [10, 100] {
            let folder = tempfile::tempdir().unwrap();
            let folder = Utf8Path::from_path(folder.path()).unwrap();
            let mut replay = Replay::new(record(folder, CALLS, different));
            let parameters = parameters();
            let mut random = Random(3);
            let rules: Vec<RawRule<RunMode>> = (0..count).map(|_| rule(&mut random)).collect();
            let (policy, _) = compile(&rules, &parameters);
            let judge = |replay: &mut Replay, rules: &[RawRule<RunMode>]| {
                let (policy, _) = compile(rules, &parameters);
                replay.judge(TOOL, &policy, &parameters, &mut canonical, &|| true)
            };
            let before = judge(&mut replay, &rules).unwrap();
            let name = BenchmarkId::new(format!("{different} different"), format!("{count} rules"));
            group.bench_function(name, |bencher| {
                bencher.iter_batched(
                    || {
                        let mut edited = rules.clone();
                        edit(&mut random, &mut edited);
                        edited
                    },
                    |edited| {
                        let after = judge(&mut replay, &edited).unwrap();
                        let figures = replay.figures(TOOL, &after, policy.len().max(edited.len()));
                        black_box((figures, replay.changes(TOOL, &before, &after)))
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, keystroke);
criterion_main!(benches);
