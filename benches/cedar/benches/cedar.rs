//! Grants decided by `jp_tool` and by cedar-policy, on rules that mean the same.
//!
//! Half of the rules allow something and the other half deny a part of it, so that "the most specific rule decides" and
//! Cedar's "some permit and no forbid" agree:
//!
//! ```toml
//! access.fs = [{ path = "src/part0", read = true }, { path = "src/part0/secret" }]
//! access.net = [{ host = "host0.example.com", allow = true }, { host = "host0.example.com", path_prefix = "/admin" }]
//! access.env = [{ name = "SERVICE_0_*", read = true }, { name = "SERVICE_0_TOKEN" }]
//! ```
//!
//! Cedar sees a path as an entity in a chain of folders.
//! Those entities, the request and the parsed policies are made before the measurement; `jp_tool` gets the text that a
//! tool asks about, and parses URLs within it.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where it fails")]

use std::hint::black_box;

use camino::Utf8Path;
use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jp_tool::{EnvPolicy, EnvRule, FsCapability, FsPolicy, FsRule, NetPolicy, NetRule, Url};

const SIZES: [usize; 3] = [10, 100, 1000];

/// What both sides are asked about with every number of rules: the first of each list is measured.
const PATHS: [&str; 6] = [
    "src/part3/deep/a.rs",
    "src/part3/secret/key",
    "src/part3/secrets",
    "src/part30",
    "src/part99999/a",
    "README.md",
];
const URLS: [&str; 6] = [
    "https://host3.example.com/api/users/17",
    "https://host3.example.com/admin/users",
    "https://host3.example.com/administration",
    "https://host3.example.com:8443/api",
    "https://host99999.example.com/",
    "https://host3.example.com.evil.com/",
];
const NAMES: [&str; 6] = [
    "SERVICE_3_SECRET_ACCESS_KEY",
    "SERVICE_3_TOKEN",
    "SERVICE_3_TOKEN_LOG",
    "SERVICE_3",
    "SERVICE_99999_TOKEN",
    "HOME",
];

/// One question to Cedar, with the entities that it is about.
struct Question {
    request: Request,
    entities: Entities,
}

impl Question {
    fn is_allowed(&self, policies: &PolicySet) -> bool {
        let response = Authorizer::new().is_authorized(&self.request, policies, &self.entities);
        assert_eq!(response.diagnostics().errors().count(), 0);
        response.decision() == Decision::Allow
    }
}

/// A question about `resource`, which lies in every path above it.
fn question(kind: &str, resource: &str, context: &str) -> Question {
    let entities: Vec<String> = Utf8Path::new(resource)
        .ancestors()
        .filter(|path| !path.as_str().is_empty())
        .map(|path| {
            let parent = path.parent().filter(|parent| !parent.as_str().is_empty());
            let parents = parent.map_or(String::new(), |parent| {
                format!(r#"{{"type": "{kind}", "id": "{parent}"}}"#)
            });
            format!(
                r#"{{"uid": {{"type": "{kind}", "id": "{path}"}}, "attrs": {{}}, "parents": [{parents}]}}"#
            )
        })
        .collect();
    let uid = |text: String| -> EntityUid { text.parse().unwrap() };
    Question {
        request: Request::new(
            uid("Tool::\"t\"".to_owned()),
            uid("Action::\"use\"".to_owned()),
            uid(format!("{kind}::\"{resource}\"")),
            Context::from_json_str(context, None).unwrap(),
            None,
        )
        .unwrap(),
        entities: Entities::from_json_str(&format!("[{}]", entities.join(",")), None).unwrap(),
    }
}

/// Two policies for each number below half of `size`.
fn policies(size: usize, pair: impl Fn(usize) -> String) -> PolicySet {
    let text: String = (0..size / 2).map(pair).collect();
    text.parse().unwrap()
}

/// Holds both sides to each other, then measures the first target.
fn compare<T>(
    criterion: &mut Criterion,
    resource: &str,
    size: usize,
    targets: &[T],
    ours: impl Fn(&T) -> bool,
    policies: &PolicySet,
    question: impl Fn(&T) -> Question,
) {
    let answers: Vec<(bool, bool)> = targets
        .iter()
        .map(|target| (ours(target), question(target).is_allowed(policies)))
        .collect();
    assert!(
        answers.iter().all(|(ours, theirs)| ours == theirs),
        "{resource} with {size} rules: {answers:?}"
    );
    let allowed = answers.iter().filter(|(ours, _)| *ours).count();
    assert!(0 < allowed && allowed < answers.len());

    let first = targets.first().unwrap();
    let asked = question(first);
    let authorizer = Authorizer::new();
    let mut group = criterion.benchmark_group(resource);
    group.bench_function(BenchmarkId::new("jp_tool", size), |bencher| {
        bencher.iter(|| ours(black_box(first)));
    });
    group.bench_function(BenchmarkId::new("cedar", size), |bencher| {
        bencher.iter(|| {
            authorizer.is_authorized(black_box(&asked.request), policies, &asked.entities)
        });
    });
    group.finish();
}

fn fs(criterion: &mut Criterion) {
    for size in SIZES {
        let rules: Vec<FsRule> = (0..size / 2)
            .flat_map(|index| {
                [
                    FsRule::new(format!("src/part{index}")).with_read(true),
                    FsRule::new(format!("src/part{index}/secret")),
                ]
            })
            .collect();
        let policy = FsPolicy::compile(&rules).unwrap();
        let policies = policies(size, |index| {
            format!(
                "permit(principal, action, resource in Path::\"src/part{index}\");\n\
                 forbid(principal, action, resource in Path::\"src/part{index}/secret\");\n"
            )
        });
        compare(
            criterion,
            "fs",
            size,
            &PATHS,
            |path| {
                let decision = policy.decide(FsCapability::Read, Utf8Path::new(path));
                decision.allowed
            },
            &policies,
            |path| question("Path", path, "{}"),
        );
    }
}

fn net(criterion: &mut Criterion) {
    for size in SIZES {
        let rules: Vec<NetRule> = (0..size / 2)
            .flat_map(|index| {
                let all = NetRule {
                    host: format!("host{index}.example.com"),
                    allow: true,
                    ..NetRule::default()
                };
                let admin = NetRule {
                    path_prefix: Some("/admin".to_owned()),
                    allow: false,
                    ..all.clone()
                };
                [all, admin]
            })
            .collect();
        let policy = NetPolicy::compile(&rules).unwrap();
        let policies = policies(size, |index| {
            format!(
                "permit(principal, action, resource in Place::\"host{index}.example.com\") when {{ context.default_port }};\n\
                 forbid(principal, action, resource in Place::\"host{index}.example.com/admin\") when {{ context.default_port }};\n"
            )
        });
        compare(
            criterion,
            "net",
            size,
            &URLS,
            |url| policy.decide(url).unwrap().allowed,
            &policies,
            |url| {
                let url = Url::parse(url).unwrap();
                let place = format!("{}{}", url.host_str().unwrap(), url.path());
                let context = format!("{{\"default_port\": {}}}", url.port().is_none());
                question("Place", place.trim_end_matches('/'), &context)
            },
        );
    }
}

fn env(criterion: &mut Criterion) {
    for size in SIZES {
        let rules: Vec<EnvRule> = (0..size / 2)
            .flat_map(|index| {
                [
                    EnvRule {
                        name: format!("SERVICE_{index}_*"),
                        read: true,
                    },
                    EnvRule {
                        name: format!("SERVICE_{index}_TOKEN"),
                        read: false,
                    },
                ]
            })
            .collect();
        let policy = EnvPolicy::compile(&rules).unwrap();
        let policies = policies(size, |index| {
            format!(
                "permit(principal, action, resource) when {{ context.name like \"SERVICE_{index}_*\" }};\n\
                 forbid(principal, action, resource == Variable::\"SERVICE_{index}_TOKEN\");\n"
            )
        });
        compare(
            criterion,
            "env",
            size,
            &NAMES,
            |name| policy.decide(name).allowed,
            &policies,
            |name| question("Variable", name, &format!("{{\"name\": \"{name}\"}}")),
        );
    }
}

criterion_group!(benches, fs, net, env);
criterion_main!(benches);
