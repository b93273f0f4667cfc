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
    reason = "a config that cannot be read fails the test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use camino::Utf8Path;
use jp_analysis::{Analysis, Code, Options, Severity, hover, text::markup::MarkupKind};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use jp_policy::{
    CanonicalPath, Parameters, Policy, RunMode, compile, decide_paths, rules_from_config,
};
use jp_tool::{
    ApplyMode, ConfigCapability, ConfigPath, ConfigPolicy, ConfigRule, FsCapability, FsPolicy,
    FsRule,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const CONFIG: &str = ".jp/config.toml";

/// The files that a tool may think of: config, new config, what runs, hooks, and one that is nothing.
const FILES: [&str; 13] = [
    CONFIG,
    ".jp.toml",
    ".jp/more/new.toml",
    "tools/a.sh",
    "tools/b.py",
    "bin/server",
    "justfile",
    "fmt.py",
    ".git/hooks/pre-commit",
    ".git/config",
    ".envrc",
    ".vscode/tasks.json",
    "src/x.rs",
];

const HOOKS: [&str; 4] = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".envrc",
    ".vscode/tasks.json",
];

/// Commands, and the file that each of them runs.
const COMMANDS: [(&str, &str); 6] = [
    ("edit {{tool}}", ""),
    ("tools/a.sh {{tool}}", "tools/a.sh"),
    ("sh -c './tools/a.sh && true'", "tools/a.sh"),
    ("env python3 -u tools/b.py {{tool}}", "tools/b.py"),
    ("{{context.root}}/tools/a.sh", "tools/a.sh"),
    ("just serve {{tool}}", "justfile"),
];

/// What a tool writes into config so that it runs whatever it likes.
const FOREIGN_CONFIG: &str = "[conversation.tools.foreign]\nsource = \"local\"\ncommand = \"foreign\"\nrun = \"unattended\"\n";

/// How many actions a sequence has.
const DEPTH: usize = 4;

/// A small generator, so that a number names a world.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.roll(of.len())).unwrap()
    }
}

/// A config, and what is known of it without reading it.
struct World {
    text: String,
    tools: Vec<Runs>,
    /// The file that starts a server.
    server: Option<&'static str>,
}

/// What a tool runs.
struct Runs {
    name: &'static str,
    program: &'static str,
    formatter: Option<&'static str>,
}

fn world(dice: &mut Dice) -> World {
    let mut text = "extends = [\"more/*.toml\"]\n".to_owned();
    let server = (dice.roll(3) == 0).then(|| {
        text.push_str("[providers.mcp.docs]\ntype = \"stdio\"\ncommand = \"bin/server\"\n");
        "bin/server"
    });
    let tools = ["one", "two"].map(|name| tool(dice, name, &mut text));
    World {
        text,
        tools: tools.into(),
        server,
    }
}

fn tool(dice: &mut Dice, name: &'static str, text: &mut String) -> Runs {
    let (command, program) = *COMMANDS.get(dice.roll(COMMANDS.len())).unwrap();
    text.push_str(&format!(
        "[conversation.tools.{name}]\nsource = \"local\"\ncommand = \"{command}\"\n"
    ));
    let formatter = (dice.roll(8) == 0).then(|| {
        text.push_str("style.parameters = \"python3 fmt.py {{tool}}\"\n");
        "fmt.py"
    });
    text.push_str("parameters.flag = { type = \"boolean\" }\n");
    let has_paths = dice.roll(2) == 0;
    if has_paths {
        let required = dice.roll(2) == 0;
        text.push_str(&format!(
            "parameters.path = {{ type = \"path\", required = {required} }}\n"
        ));
        if dice.roll(2) == 0 {
            text.push_str("parameters.to = { type = \"path\", required = true }\n");
        }
    }
    let mode = |dice: &mut Dice| {
        dice.pick(&["ask", "unattended", "unattended", "skip"])
            .to_owned()
    };
    let mut rules = Vec::new();
    for _ in 0..dice.roll(4) {
        let mode = mode(dice);
        rules.push(if has_paths && dice.roll(4) > 0 {
            let arg = match text.contains("parameters.to") && dice.roll(3) == 0 {
                true if text
                    .rsplit("[conversation")
                    .next()
                    .unwrap()
                    .contains("parameters.to") =>
                {
                    "/to"
                }
                _ => "/path",
            };
            let path = dice.pick(&[
                "tools",
                ".jp",
                ".git",
                ".",
                "src",
                "tools/a.sh",
                ".envrc",
                "bin",
            ]);
            format!("{{ arg = \"{arg}\", prefix = \"{path}\", mode = \"{mode}\" }}")
        } else {
            let flag = dice.roll(2) == 0;
            format!("{{ arg = \"/flag\", const = {flag}, mode = \"{mode}\" }}")
        });
    }
    rules.push(format!("{{ mode = \"{}\" }}", mode(dice)));
    text.push_str(&format!("policy.run = [{}]\n", rules.join(", ")));
    let mut grants = BTreeMap::new();
    for _ in 0..1 + dice.roll(4) {
        let path = dice.pick(&[
            ".",
            "tools",
            "tools/a.sh",
            ".jp",
            ".jp/more",
            ".jp.toml",
            ".git",
            ".git/hooks",
            "src",
            "bin",
            "justfile",
            ".envrc",
            ".vscode",
            "fmt.py",
        ]);
        let flags =
            ["create", "update", "delete"].map(|flag| format!("{flag} = {}", dice.roll(3) == 0));
        grants.insert(
            path,
            format!("{{ path = \"{path}\", {} }}", flags.join(", ")),
        );
    }
    let grants: Vec<String> = grants.into_values().collect();
    text.push_str(&format!("access.fs = [{}]\n", grants.join(", ")));
    if dice.roll(6) == 0 {
        let path = dice.pick(&[
            "assistant.name",
            "conversation.tools.one.run",
            "conversation.tools.*.access",
            "conversation",
        ]);
        let apply = dice.pick(&["ask", "unattended"]);
        text.push_str(&format!(
            "access.config = [{{ path = \"{path}\", write = \"insecure_allow\", apply = \"{apply}\" }}]\n"
        ));
    }
    Runs {
        name,
        program,
        formatter,
    }
}

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
    let rules = rules_from_config(tool.pointer("/policy/run").unwrap()).unwrap();
    let (policy, problems) = compile::<RunMode>(&rules, &parameters);
    assert!(problems.is_empty(), "{problems:?}");
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
    let mut files = BTreeSet::new();
    for file in FILES.iter().filter(|file| touches(file)) {
        for (kind, capability) in KINDS {
            if grants.decide(capability, Utf8Path::new(file)).allowed {
                files.insert((*file, kind));
            }
        }
    }
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
        (deeds.runs && is_foreign(tool.program)) || tool.formatter.is_some_and(is_foreign)
    });
    by_tool || world.server.is_some_and(is_foreign) || HOOKS.iter().any(|file| is_foreign(file))
}

/// What is said of a tool: whether it can remove its own guard, and whether there is a finding of files that run.
fn said(analysis: &Analysis, text: &str, name: &str) -> (bool, bool) {
    let graph = analysis.graph();
    let file = graph.file_at(Utf8Path::new("/w/.jp/config.toml")).unwrap();
    let document = graph.content(file).unwrap().document().unwrap();
    let offset = text.find(&format!("tools.{name}]")).unwrap() + "tools.".len();
    let view = View::new(Arc::clone(graph));
    let hover = hover::hover(&view, file, document, offset, MarkupKind::PlainText).unwrap();
    let guard = hover
        .text
        .lines()
        .find(|line| line.contains("Can remove its own guard"));
    let can = guard.unwrap().contains("guard: yes");
    let is_found = analysis.diagnostics(file).iter().any(|finding| {
        finding.code == Code::SelfEscalation
            && finding.message.starts_with("this rule")
            && finding
                .subject
                .as_ref()
                .is_some_and(|subject| subject.tool == name)
    });
    (can, is_found)
}

#[test]
fn agrees_with_a_search_through_sequences_of_actions() {
    let worlds = std::env::var("JP_LSP_ESCALATION_WORLDS");
    let worlds: u64 = worlds.map_or(100, |worlds| worlds.parse().unwrap());
    let mut tried = 0;
    let mut escalating = 0;
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
        let deeds: Vec<Deeds> = world
            .tools
            .iter()
            .map(|tool| deeds(&graph, tool.name))
            .collect();
        let mut known = BTreeMap::new();
        for (tool, own) in world.tools.iter().zip(&deeds) {
            let (mut config, mut runs) = (own.config, false);
            // Whether what is no config is there already is not for the config to say.
            for others in [Holds::Nothing, Holds::Its] {
                let start = FILES.map(|file| {
                    let is_new_config = file.ends_with(".toml") && file != CONFIG;
                    let holds = match file {
                        CONFIG => Holds::Its,
                        _ if is_new_config => Holds::Nothing,
                        _ => others,
                    };
                    (file, holds)
                });
                search(start.into(), &own.files, &mut |state| {
                    config |= is_config_other(&world, state, &mut known);
                    runs |= runs_foreign(&world, &deeds, state);
                    config && runs
                });
            }
            escalating += usize::from(config || runs);
            let (can, is_found) = said(&analysis, &world.text, tool.name);
            assert_eq!(
                can,
                config || runs,
                "seed {seed}, tool {}, guard:\n{}",
                tool.name,
                world.text
            );
            assert_eq!(
                is_found, runs,
                "seed {seed}, tool {}, findings:\n{}",
                tool.name, world.text
            );
        }
    }
    // Neither answer is rare, so that agreement means something.
    let share = escalating * 100 / usize::try_from(worlds * 2).unwrap();
    assert!((20..80).contains(&share), "{share} % of the tools escalate");
}
