//! What a grant check costs: files beside the file system's own `realpath`, the rest with 10, 100 and 1,000 rules.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where it fails")]

use std::{fs, hint::black_box};

use camino::{Utf8Path, Utf8PathBuf};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jp_tool::{
    AccessPolicy, Action, ConfigCapability, ConfigPath, ConfigPolicy, ConfigRule, Context,
    EnvPolicy, EnvRule, FsCapability, FsPolicy, FsRule, NetPolicy, NetRule,
};

const SIZES: [usize; 3] = [10, 100, 1000];

fn fs_rules(count: usize) -> Vec<FsRule> {
    (0..count)
        .map(|index| FsRule::new(format!("src/part{index}/generated")).with_read(true))
        .chain([FsRule::new(".").with_read(true)])
        .collect()
}

fn fs_check(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::try_from(directory.path().canonicalize().unwrap()).unwrap();
    fs::create_dir_all(root.join("src/part7/generated")).unwrap();
    fs::write(root.join("src/part7/generated/a.rs"), "").unwrap();
    let path = Utf8Path::new("src/part7/generated/a.rs");
    let absolute = root.join(path);

    let mut group = criterion.benchmark_group("fs");
    group.bench_function("realpath", |bencher| {
        bencher.iter(|| fs::canonicalize(black_box(&absolute)).unwrap());
    });
    for size in SIZES {
        let context = Context::new(root.clone(), Action::Run).with_access(AccessPolicy {
            fs: fs_rules(size).into(),
            ..AccessPolicy::default()
        });
        group.bench_function(BenchmarkId::new("check", size), |bencher| {
            bencher.iter(|| context.check_read(black_box(path)).unwrap());
        });
        let policy = FsPolicy::compile(&fs_rules(size)).unwrap();
        group.bench_function(BenchmarkId::new("decide", size), |bencher| {
            bencher.iter(|| policy.decide(FsCapability::Read, black_box(path)));
        });
    }
    group.finish();
}

fn net_decide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("net");
    for size in SIZES {
        let rules: Vec<NetRule> = (0..size)
            .map(|index| NetRule {
                host: format!("host{}.example.com", index % (size / 2)),
                path_prefix: Some(format!("/api/v{index}")),
                allow: true,
                ..NetRule::default()
            })
            .collect();
        let policy = NetPolicy::compile(&rules).unwrap();
        group.bench_function(BenchmarkId::new("decide", size), |bencher| {
            bencher.iter(|| {
                policy
                    .decide(black_box("https://host3.example.com/api/v3/users/17"))
                    .unwrap()
            });
        });
    }
    group.finish();
}

fn env_decide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("env");
    for size in SIZES {
        let rules: Vec<EnvRule> = (0..size)
            .map(|index| EnvRule {
                name: format!(
                    "SERVICE_{index}_{}",
                    if index % 2 == 0 { "*" } else { "TOKEN" }
                ),
                read: true,
            })
            .collect();
        let policy = EnvPolicy::compile(&rules).unwrap();
        group.bench_function(BenchmarkId::new("decide", size), |bencher| {
            bencher.iter(|| policy.decide(black_box("SERVICE_4_SECRET_ACCESS_KEY")));
        });
    }
    group.finish();
}

fn config_decide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("config");
    let target = ConfigPath::parse("conversation.tools.tool3.style.inline_results").unwrap();
    for size in SIZES {
        let rules: Vec<ConfigRule> = (0..size)
            .map(|index| ConfigRule {
                path: format!("conversation.tools.tool{index}.style"),
                read: true,
                ..ConfigRule::default()
            })
            .chain([ConfigRule {
                path: "conversation.tools.*.style".to_owned(),
                ..ConfigRule::default()
            }])
            .collect();
        let policy = ConfigPolicy::compile(&rules).unwrap();
        group.bench_function(BenchmarkId::new("decide", size), |bencher| {
            bencher.iter(|| policy.decide(ConfigCapability::Read, black_box(&target)));
        });
    }
    group.finish();
}

criterion_group!(benches, fs_check, net_decide, env_decide, config_decide);
criterion_main!(benches);
