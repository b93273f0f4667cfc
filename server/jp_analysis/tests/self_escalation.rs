//! What is said of escalation is what a search through all short sequences of actions finds.
//!
//! ```text
//! random config -> each tool: the calls that run unasked, and what its grants let them do   (decided by the evaluators)
//!               -> the states of the workspace that at most four of these lead to
//!               -> is config another one when it is loaded again, or does a foreign file run?
//! ```
//!
//! `JP_LSP_ESCALATION_WORLDS` says how many configs are tried.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a config that cannot be read fails the test"
)]

#[path = "self_escalation/world.rs"]
mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use camino::Utf8Path;
use jp_analysis::{
    Analysis, Code, Diagnostic, Edit, Fix, Options, Severity, explain::words::Style, hover,
};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use jp_policy::{
    CanonicalPath, ChangeVerdict, Parameters, Policy, RunMode, compare, compile, decide_paths,
    rules_from_config,
};
use jp_tool::{
    ApplyMode, ConfigCapability, ConfigPath, ConfigPolicy, ConfigRule, FsCapability, FsPolicy,
    FsRule,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use self::world::{CONFIG, Dice, FILES, FOREIGN_CONFIG, HOOKS, LOOKED_FOR, World, world};

/// How many actions a sequence has.
const DEPTH: usize = 4;

fn load(text: &str, others: &[(&str, &str)]) -> Arc<Graph> {
    let mut files = MemoryFiles::default();
    files.insert(format!("/w/{CONFIG}"), text);
    for (path, text) in others {
        files.insert(format!("/w/{path}"), text);
    }
    Arc::new(Graph::load(&Roots::workspace_only("/w"), &files))
}

/// What the evaluators let a tool do without a question.
struct Deeds {
    /// Whether some call runs unasked.
    runs: bool,
    /// Which files it may do what with.
    files: BTreeSet<(&'static str, FsKind)>,
    /// The same where its program is another one, which does what it likes whatever the call says.
    foreign: BTreeSet<(&'static str, FsKind)>,
    /// Whether it may change what runs, or who is asked, through the host.
    config: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FsKind {
    Create,
    Update,
    Delete,
}

const KINDS: [(FsKind, FsCapability); 3] = [
    (FsKind::Create, FsCapability::Create),
    (FsKind::Update, FsCapability::Update),
    (FsKind::Delete, FsCapability::Delete),
];

fn deeds(graph: &Arc<Graph>, name: &str) -> Deeds {
    let view = View::new(Arc::clone(graph));
    let tool = view
        .effective(&["conversation", "tools", name])
        .unwrap()
        .to_json();
    let parameters = Parameters::from_config(tool.get("parameters").unwrap());
    let policy = run_policy(graph, name);
    let calls = calls(&parameters);
    let unasked: Vec<&Value> = calls
        .iter()
        .filter(|call| is_unasked(&policy, call))
        .collect();
    let grants: Vec<FsRule> =
        serde_json::from_value(tool.pointer("/access/fs").unwrap().clone()).unwrap();
    let grants = FsPolicy::compile(&grants).unwrap();
    let names_files = parameters.properties.contains_key("path");
    let touches = |file: &str| {
        unasked.iter().any(|call| {
            let mut paths = [call.get("path"), call.get("to")].into_iter().flatten();
            !names_files || paths.any(|path| path == file)
        })
    };
    let mut foreign = BTreeSet::new();
    for file in FILES {
        for (kind, capability) in KINDS {
            if grants.decide(capability, Utf8Path::new(file)).allowed {
                foreign.insert((file, kind));
            }
        }
    }
    let files = foreign.iter().copied();
    let files = files.filter(|(file, _)| touches(file)).collect();
    let rules: Vec<ConfigRule> = match tool.pointer("/access/config") {
        Some(rules) => serde_json::from_value(rules.clone()).unwrap(),
        None => Vec::new(),
    };
    let config = ConfigPolicy::compile(&rules).unwrap();
    let opens = [
        "conversation.tools.one.run",
        "conversation.tools.two.access.fs",
    ]
    .iter()
    .any(|path| {
        let path = ConfigPath::parse(path).unwrap();
        let decision = config.decide(ConfigCapability::Write, &path);
        let rule = decision.rule.and_then(|rule| rules.get(rule));
        decision.allowed && rule.is_some_and(|rule| rule.apply == ApplyMode::Unattended)
    });
    Deeds {
        runs: !unasked.is_empty(),
        files,
        foreign,
        config: opens && !unasked.is_empty(),
    }
}

/// Every call over the files, and both values of the flag.
fn calls(parameters: &Parameters) -> Vec<Value> {
    let values = |name: &str, of: Vec<Value>| -> Vec<Option<Value>> {
        match parameters.properties.get(name) {
            None => vec![None],
            Some(parameter) => {
                let absent = (!parameter.required).then_some(None);
                of.into_iter().map(Some).chain(absent).collect()
            }
        }
    };
    let files = || FILES.iter().map(|file| json!(file)).collect();
    let mut calls = Vec::new();
    for path in values("path", files()) {
        for to in values("to", files()) {
            for flag in values("flag", vec![json!(true), json!(false)]) {
                let given = [("path", path.clone()), ("to", to.clone()), ("flag", flag)];
                let given = given
                    .into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?)));
                calls.push(Value::Object(given.collect()));
            }
        }
    }
    calls
}

fn is_unasked(policy: &Policy<RunMode>, call: &Value) -> bool {
    let canonical = |path: &str| Some(CanonicalPath::Inside(path.to_owned()));
    decide_paths(policy, call, canonical).mode == RunMode::Unattended
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holds {
    Nothing,
    Its,
    Foreign,
}

type State = BTreeMap<&'static str, Holds>;

/// Visits the states that a tool can bring about, each once, until there is nothing more to learn.
fn search(
    start: State,
    files: &BTreeSet<(&'static str, FsKind)>,
    visit: &mut dyn FnMut(&State) -> bool,
) {
    if visit(&start) {
        return;
    }
    let mut all = BTreeSet::from([start.clone()]);
    let mut last = vec![start];
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for (state, (file, kind)) in last
            .iter()
            .flat_map(|state| files.iter().map(move |deed| (state, deed)))
        {
            let holds = state.get(file).copied().unwrap();
            let after = match (kind, holds) {
                (FsKind::Create, Holds::Nothing) | (FsKind::Update, Holds::Its) => Holds::Foreign,
                (FsKind::Delete, Holds::Its | Holds::Foreign) => Holds::Nothing,
                _ => continue,
            };
            let mut state = state.clone();
            state.insert(file, after);
            if all.insert(state.clone()) {
                if visit(&state) {
                    return;
                }
                next.push(state);
            }
        }
        last = next;
    }
}

/// Whether config is another one when it is loaded again.
fn is_config_other(
    world: &World,
    state: &State,
    known: &mut BTreeMap<Vec<&'static str>, bool>,
) -> bool {
    if state.get(CONFIG) != Some(&Holds::Its) {
        return true;
    }
    let foreign: Vec<&'static str> = state
        .iter()
        .filter(|(_, holds)| **holds == Holds::Foreign)
        .map(|(file, _)| *file)
        .collect();
    *known.entry(foreign.clone()).or_insert_with(|| {
        let others: Vec<(&str, &str)> =
            foreign.iter().map(|file| (*file, FOREIGN_CONFIG)).collect();
        let graph = load(&world.text, &others);
        View::new(graph)
            .keys(&["conversation", "tools"])
            .contains("foreign")
    })
}

/// Whether something foreign runs although nobody is asked.
fn runs_foreign(world: &World, deeds: &[Deeds], state: &State) -> bool {
    let is_foreign = |file: &str| state.get(file) == Some(&Holds::Foreign);
    let by_tool = world.tools.iter().zip(deeds).any(|(tool, deeds)| {
        (deeds.runs && tool.programs.iter().any(|file| is_foreign(file)))
            || tool.formatter.is_some_and(is_foreign)
    });
    by_tool || world.server.is_some_and(is_foreign) || HOOKS.iter().any(|file| is_foreign(file))
}

/// What is said of a tool.
struct Said {
    /// Whether it can remove its own guard.
    can: bool,
    /// What is found of files that run, one for each rule.
    found: Vec<Diagnostic>,
}

fn said(analysis: &Analysis, text: &str, name: &str) -> Said {
    let graph = analysis.graph();
    let file = graph.file_at(Utf8Path::new("/w/.jp/config.toml")).unwrap();
    let document = graph.content(file).unwrap().document().unwrap();
    let offset = text.find(&format!("tools.{name}]")).unwrap() + "tools.".len();
    let view = View::new(Arc::clone(graph));
    let hover = hover::hover(&view, file, document, offset, None, Style::PLAIN).unwrap();
    let guard = hover
        .text
        .lines()
        .find(|line| line.contains("Can remove its own guard"));
    let can = guard.unwrap().contains("guard: yes");
    let diagnostics = analysis.diagnostics(file);
    let found = diagnostics.iter().filter(|finding| {
        finding.code == Code::SelfEscalation
            && finding.message.starts_with("this rule")
            && finding
                .subject
                .as_ref()
                .is_some_and(|subject| subject.tool == name)
    });
    Said {
        can,
        found: found.cloned().collect(),
    }
}

/// What the files are before anything is done, where those that are no config are there, or are not.
fn start(others: impl Fn(&str) -> Holds) -> State {
    let holds = |file: &'static str| match file {
        CONFIG => Holds::Its,
        _ if is_config(file) => Holds::Nothing,
        _ => others(file),
    };
    FILES.map(|file| (file, holds(file))).into()
}

/// Whether a file is config, or would be.
fn is_config(file: &str) -> bool {
    file.starts_with(".jp")
}

/// As it is for sure: what the config runs is there, and what programs look for may be missing.
fn certain_starts() -> [State; 2] {
    let is_looked_for = |file: &str| HOOKS.contains(&file) || LOOKED_FOR.contains(&file);
    [
        start(|_| Holds::Its),
        start(|file| match is_looked_for(file) {
            true => Holds::Nothing,
            false => Holds::Its,
        }),
    ]
}

/// Whether something foreign runs for sure, where the other tools remove what they may for this one.
fn certain(world: &World, deeds: &[Deeds], tool: usize) -> bool {
    let mut files = deeds[tool].files.clone();
    let removed = deeds.iter().flat_map(|deeds| &deeds.files);
    files.extend(removed.filter(|(_, kind)| *kind == FsKind::Delete));
    let mut is_certain = false;
    for start in certain_starts() {
        search(start, &files, &mut |state| {
            is_certain |= runs_foreign(world, deeds, state);
            is_certain
        });
    }
    is_certain
}

/// What comes of these deeds, for sure: config is another one, and which files hold something foreign.
fn outcomes(world: &World, files: &BTreeSet<(&'static str, FsKind)>) -> BTreeSet<&'static str> {
    let mut outcomes = BTreeSet::new();
    let mut known = BTreeMap::new();
    for start in certain_starts() {
        search(start, files, &mut |state| {
            if is_config_other(world, state, &mut known) {
                outcomes.insert(CONFIG);
            }
            let foreign = state
                .iter()
                .filter(|(file, holds)| **holds == Holds::Foreign && !is_config(file));
            outcomes.extend(foreign.map(|(file, _)| *file));
            false
        });
    }
    outcomes
}

/// Whether the program of a tool, if it is a foreign one, brings something about that `own` cannot.
fn gains(
    world: &World,
    deeds: &[Deeds],
    own: &BTreeSet<(&'static str, FsKind)>,
    runner: usize,
) -> bool {
    let mut gained = outcomes(world, &deeds[runner].foreign);
    let able: BTreeSet<&str> = own
        .iter()
        .filter(|(_, kind)| *kind != FsKind::Delete)
        .map(|(file, _)| *file)
        .collect();
    let is_config = gained.remove(CONFIG) && !outcomes(world, own).contains(CONFIG);
    let runs = gained.into_iter().filter(|file| {
        let by_tool = world.tools.iter().zip(deeds).enumerate();
        let by_another = by_tool.into_iter().any(|(index, (tool, deeds))| {
            tool.formatter == Some(*file)
                || (index != runner && deeds.runs && tool.programs.contains(file))
        });
        by_another || world.server == Some(*file) || HOOKS.contains(file)
    });
    is_config || runs.into_iter().any(|file| !able.contains(file))
}
/// The rules that decide whether a tool runs; a world has none with a fault.
fn run_policy(graph: &Arc<Graph>, name: &str) -> Policy<RunMode> {
    let view = View::new(Arc::clone(graph));
    let tool = view.effective(&["conversation", "tools", name]).unwrap();
    let tool = tool.to_json();
    let parameters = Parameters::from_config(tool.get("parameters").unwrap());
    let rules = rules_from_config(tool.pointer("/policy/run").unwrap()).unwrap();
    let (policy, problems) = compile::<RunMode>(&rules, &parameters);
    assert!(problems.is_empty(), "{problems:?}");
    policy
}

/// Applies each fix that asks first: the finding goes, and nothing is let through that was not before; answers how many there were.
fn ask_first(analysis: &Analysis, text: &str, seed: u64) -> usize {
    let graph = analysis.graph();
    let file = graph.file_at(Utf8Path::new("/w/.jp/config.toml")).unwrap();
    let is_meant = |finding: &&Diagnostic| finding.code == Code::SelfEscalation;
    let mut asked = 0;
    for finding in analysis.diagnostics(file).iter().filter(is_meant) {
        let asks = |fix: &&Fix| fix.title.starts_with("Ask before calls");
        let Some(fix) = finding.fixes.iter().find(asks) else {
            continue;
        };
        asked += 1;
        let mut changed = text.to_owned();
        let mut edits: Vec<&Edit> = fix.edits.iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        for edit in edits {
            let span = edit.place.span;
            changed.replace_range(span.start as usize..span.end as usize, &edit.text);
        }
        let after = load(&changed, &[]);
        let tool = &finding.subject.as_ref().unwrap().tool;
        let verdict = compare(&run_policy(graph, tool), &run_policy(&after, tool), None).verdict;
        assert_eq!(
            verdict,
            ChangeVerdict::Tightened,
            "seed {seed}:\n{text}\n{changed}"
        );
        let after = Analysis::new(after, Options::default());
        let mut left = after.all_diagnostics().flat_map(|(_, found)| found.iter());
        let is_left = left.any(|other| {
            other.severity == Severity::Error
                || (other.code == finding.code && other.message == finding.message)
        });
        assert!(!is_left, "seed {seed}:\n{text}\n{changed}");
    }
    asked
}

#[test]
fn agrees_with_a_search_through_sequences_of_actions() {
    let worlds = std::env::var("JP_LSP_ESCALATION_WORLDS");
    let worlds: u64 = worlds.map_or(100, |worlds| worlds.parse().unwrap());
    let mut tried = 0;
    let (mut escalating, mut asked, mut together, mut gaining) = (0, 0, 0, 0);
    for seed in 1.. {
        if tried == worlds {
            break;
        }
        let mut dice = Dice(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        let world = world(&mut dice);
        let graph = load(&world.text, &[]);
        let analysis = Analysis::new(Arc::clone(&graph), Options::default());
        let mut findings = analysis
            .all_diagnostics()
            .flat_map(|(_, found)| found.iter());
        if findings.any(|finding| finding.severity == Severity::Error) {
            continue;
        }
        tried += 1;
        asked += ask_first(&analysis, &world.text, seed);
        let deeds: Vec<Deeds> = world
            .tools
            .iter()
            .map(|tool| deeds(&graph, tool.name))
            .collect();
        let mut known = BTreeMap::new();
        for (index, (tool, own)) in world.tools.iter().zip(&deeds).enumerate() {
            let (mut config, mut runs) = (own.config, false);
            // Whether what is no config is there already is not for the config to say.
            for others in [Holds::Nothing, Holds::Its] {
                search(start(|_| others), &own.files, &mut |state| {
                    config |= is_config_other(&world, state, &mut known);
                    runs |= runs_foreign(&world, &deeds, state);
                    config && runs
                });
            }
            escalating += usize::from(config || runs);
            let told = |what: &str| format!("seed {seed}, {}, {what}:\n{}", tool.name, world.text);
            let Said { can, found } = said(&analysis, &world.text, tool.name);
            assert_eq!(can, config || runs, "{}", told("guard"));
            assert_eq!(!found.is_empty(), runs, "{}", told("findings"));
            let mut severities = found.iter().map(|finding| finding.severity);
            let is_warned = severities.any(|severity| severity == Severity::Warning);
            let is_certain = certain(&world, &deeds, index);
            assert_eq!(is_warned, is_certain, "{}", told("certainty"));
            let by_two = |finding: &&Diagnostic| finding.message.contains("once tool");
            together += found.iter().filter(by_two).count();
            for finding in &found {
                let runner = ["one", "two"].into_iter().position(|name| {
                    let runs = format!("which tool `{name}` runs without asking");
                    name != tool.name && finding.message.contains(&runs)
                });
                let Some(runner) = runner else {
                    continue;
                };
                let gains = gains(&world, &deeds, &own.files, runner);
                let is_said = finding.message.contains(" may then ");
                assert_eq!(is_said, gains, "{}", told(&finding.message));
                gaining += usize::from(gains);
            }
        }
    }
    // Neither answer is rare, so that agreement means something.
    let share = escalating * 100 / usize::try_from(worlds * 2).unwrap();
    assert!(asked > 0, "no fix asks first");
    assert!(gaining > 0, "no tool gains the grants of another");
    assert!(together > 0 || worlds < 1000, "no two tools do it together");
    assert!((20..80).contains(&share), "{share} % of the tools escalate");
}
