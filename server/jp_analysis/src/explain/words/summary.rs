//! What runs without a question in a workspace, and what each tool may touch.
//!
//! ```text
//! Without a question run some calls of edit; every call of git_status asks.
//!
//! edit, a local tool
//!
//! - runs without asking when /path starts with "src" (rule 2 at .jp/config.toml:5), except when /path starts with "src/keys"
//! - asks before it runs in every other case
//! - may read files in the whole workspace
//! ```
//!
//! Rules that no call reaches are left out: the coverage that diagnostics rest on says which.

use std::collections::HashSet;

use jp_config::view::View;
use jp_policy::{
    CoverageFinding, MatcherKind, Mode as _, Policy, RawRule, RunMode, compile, coverage,
    coverage_of, witnesses,
};
use serde_json::{Value, json};

use super::{
    grants::{grants, target},
    rules::{condition_words, mode_words},
    style::Style,
};
use crate::{
    explain::{PolicyQuestion, RulePlace, ToolPolicy},
    options::Options,
    text::markup::{Markup, code},
    tool::{ToolContext, tool_names},
};

/// The most rules of a tool that are told one by one.
const MAXIMUM_REGIONS: usize = 40;

/// What a tool does without a question, and what it may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSummary {
    /// The tool.
    pub tool: String,
    /// Whether the model can call it.
    pub is_enabled: bool,
    /// What it is: `local`, `builtin` or `mcp`; none where no layer says so.
    pub source: Option<&'static str>,
    /// What happens to calls, each region behind the ones before it.
    pub regions: Vec<Region>,
    /// How many further rules there are.
    pub more: usize,
    /// What is wrong with rules, which are left out.
    pub broken: Vec<String>,
    /// What it may touch, a sentence for each grant.
    pub touches: Vec<String>,
}

/// Calls that one rule decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// What happens to them: a mode of `policy.run`.
    pub mode: RunMode,
    /// Which calls, in words; none for every call that is left.
    pub when: Option<String>,
    /// Which of them an earlier rule decides otherwise, in words.
    pub except: Vec<String>,
    /// The rule; none for the calls that no rule matches.
    pub rule: Option<RulePlace>,
    /// A call of the region.
    pub example: Option<Value>,
}

/// What every tool of a view does without a question, and what it may touch, by name.
#[must_use]
pub fn summarize(view: &View) -> Vec<ToolSummary> {
    let mut names = tool_names(view);
    names.sort();
    names
        .iter()
        .filter_map(|name| {
            let context = ToolContext::of(view, name, Options::default())?;
            Some(tool_summary(view, &context))
        })
        .collect()
}

fn tool_summary(view: &View, context: &ToolContext<'_>) -> ToolSummary {
    let (rules, unreadable) =
        ToolPolicy::but_unreadable(context, PolicyQuestion::Run, RunMode::Ask);
    let mut broken: Vec<String> = unreadable
        .iter()
        .map(|(rule, error)| format!("rule {}: {error}", rule + 1))
        .collect();
    let is_unread = |rule: usize| unreadable.iter().any(|(unread, _)| *unread == rule);
    let problems = rules
        .problems
        .iter()
        .filter(|problem| !is_unread(problem.rule));
    broken.extend(problems.map(|problem| format!("rule {}: {}", problem.rule + 1, problem.kind)));
    let mut regions = regions(view, &rules);
    let more = regions.len().saturating_sub(MAXIMUM_REGIONS);
    regions.truncate(MAXIMUM_REGIONS);
    let mut touches = touches(context);
    let is_free = |region: &Region| region.mode == RunMode::UNATTENDED;
    if rules.parameters.hold_paths() && regions.iter().any(is_free) {
        let outside = "decides each path of a call on its own, the strictest counts, and asks for every path that leads \
                       out of the workspace";
        touches.insert(0, outside.to_owned());
    }
    ToolSummary {
        tool: context.name.to_owned(),
        is_enabled: context.enable().state.unwrap_or(true),
        source: context.source().map(|source| source.kind()),
        regions,
        more,
        broken,
        touches,
    }
}

fn regions(view: &View, rules: &ToolPolicy<RunMode>) -> Vec<Region> {
    let policy = &rules.policy;
    let unreached: HashSet<usize> = coverage(policy)
        .iter()
        .filter_map(CoverageFinding::unreached)
        .chain(rules.problems.iter().map(|problem| problem.rule))
        .collect();
    let calls = witnesses(policy);
    let is_one_mode = policy.len() == 1;
    let reached: Vec<usize> = (0..policy.len())
        .filter(|rule| !unreached.contains(rule))
        .collect();
    let mut regions = Vec::new();
    for index in reached.iter().copied().take(MAXIMUM_REGIONS + 1) {
        let Some(rule) = policy.rule(index) else {
            continue;
        };
        let earlier = reached.iter().copied().take_while(|other| *other < index);
        let place = rules.places.get(index).copied().flatten();
        regions.push(Region {
            mode: rule.mode,
            when: condition_words(rule),
            except: match rule.arg {
                Some(_) => exceptions(rules, rule, earlier),
                None => Vec::new(),
            },
            rule: place.map(|place| RulePlace::new(view.graph(), index, place)),
            example: calls.get(index).cloned().flatten(),
        });
        if rule.arg.is_none() {
            return regions;
        }
    }
    if !is_one_mode || regions.iter().all(|region| region.when.is_some()) {
        regions.push(Region {
            mode: RunMode::ASK,
            when: None,
            except: Vec::new(),
            rule: None,
            example: None,
        });
    }
    regions
}

/// The conditions of the earlier rules that take calls of a rule away and decide them otherwise.
fn exceptions(
    rules: &ToolPolicy<RunMode>,
    rule: &RawRule<RunMode>,
    earlier: impl Iterator<Item = usize>,
) -> Vec<String> {
    earlier
        .filter_map(|index| rules.policy.rule(index))
        .filter(|other| other.mode != rule.mode && may_meet(rules, rule, other))
        .filter_map(condition_words)
        .collect()
}

/// Whether a call can match both rules, as far as that is easily known.
fn may_meet(
    rules: &ToolPolicy<RunMode>,
    rule: &RawRule<RunMode>,
    other: &RawRule<RunMode>,
) -> bool {
    let is_tree = |rule: &RawRule<RunMode>| {
        let kind = rule.matchers.first().map(|(kind, _)| *kind);
        matches!(kind, Some(MatcherKind::Prefix | MatcherKind::Const))
    };
    if rule.arg != other.arg || !is_tree(rule) || !is_tree(other) {
        return true;
    }
    // Of two prefixes one covers the other, or no value has both.
    let (both, _): (Policy<RunMode>, _) =
        compile(&[rule.clone(), other.clone()], &rules.parameters);
    let (found, _) = coverage_of(&both, 1);
    found.iter().any(|finding| {
        matches!(
            finding,
            CoverageFinding::Shadowed { .. } | CoverageFinding::Redundant { .. }
        )
    })
}

fn touches(context: &ToolContext<'_>) -> Vec<String> {
    let name = code(context.name);
    match context.source().map(|source| source.kind()) {
        Some("local") | None => {}
        Some("mcp") => {
            return vec![
                "may touch whatever its server does: grants are for local tools".to_owned(),
            ];
        }
        Some(_) => return vec!["touches nothing by itself: it is built in".to_owned()],
    }
    let mut sentences = Vec::new();
    for (kind, open) in [
        (
            "fs",
            Some("may touch every file that you can: no `access.fs` says otherwise"),
        ),
        (
            "net",
            Some("may send requests anywhere: no `access.net` says otherwise"),
        ),
        (
            "env",
            Some("sees every variable but the keys of models: no `access.env` says otherwise"),
        ),
        ("config", None),
    ] {
        let rules = context.tool.at(&["access", kind]);
        let rules = rules.and_then(|rules| rules.value.as_list());
        match (rules, open) {
            (Some(rules), _) if !rules.is_empty() => {
                sentences.extend(rules.iter().take(MAXIMUM_REGIONS).filter_map(|rule| {
                    let granted = grants(kind, context.name, rule);
                    let granted = granted.strip_prefix(&name).unwrap_or(&granted).trim_start();
                    Some(format!("{granted} {}", target(kind, rule)?.words()))
                }));
            }
            (_, Some(open)) => sentences.push(open.to_owned()),
            (_, None) => {}
        }
    }
    sentences
}

impl ToolSummary {
    /// The summary as `explain summary --format json` prints it; lines count from 1 and indexes from 0.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let regions: Vec<Value> = self
            .regions
            .iter()
            .map(|region| {
                json!({
                    "mode": region.mode.keyword(),
                    "when": region.when.as_deref().map(plain),
                    "except": region.except.iter().map(|words| plain(words)).collect::<Vec<_>>(),
                    "rule": region.rule.as_ref().map(RulePlace::to_json),
                    "example": region.example,
                })
            })
            .collect();
        json!({
            "tool": self.tool,
            "enabled": self.is_enabled,
            "source": self.source,
            "runs": regions,
            "broken": self.broken,
            "touches": self.touches.iter().map(|words| plain(words)).collect::<Vec<_>>(),
        })
    }

    /// How much of the tool runs without a question.
    fn unasked(&self) -> Unasked {
        let is_free = |region: &Region| region.mode == RunMode::UNATTENDED;
        match (
            self.regions.iter().any(is_free),
            self.regions.iter().all(is_free),
        ) {
            (false, _) => Unasked::Nothing,
            (true, true) => Unasked::Everything,
            (true, false) => Unasked::Some,
        }
    }
}

#[derive(PartialEq)]
enum Unasked {
    Everything,
    Some,
    Nothing,
}

/// Our own words without the marks of code.
fn plain(words: &str) -> String {
    words.replace('`', "")
}

/// The summary of a workspace for people.
#[must_use]
pub fn summary(tools: &[ToolSummary], style: Style<'_>) -> String {
    let mut markup = Markup::new(style.kind);
    let enabled: Vec<&ToolSummary> = tools.iter().filter(|tool| tool.is_enabled).collect();
    let named = |unasked: &Unasked| -> Vec<String> {
        let tools = enabled.iter().filter(|tool| tool.unasked() == *unasked);
        tools.map(|tool| code(&tool.tool)).collect()
    };
    let (all, some, none) = (
        named(&Unasked::Everything),
        named(&Unasked::Some),
        named(&Unasked::Nothing),
    );
    if tools.is_empty() {
        markup.paragraph("No tool is configured.");
    } else if enabled.is_empty() {
        markup.paragraph("None of these tools is on.");
    }
    for (words, tools) in [
        ("Runs without a question, whatever the call", all),
        ("Runs without a question for some calls", some),
        ("Never runs without a question", none),
    ] {
        if !tools.is_empty() {
            markup.paragraph(&format!("{words}: {}.", tools.join(", ")));
        }
    }
    for tool in tools {
        let source = tool.source.map_or_else(String::new, |kind| match kind {
            "mcp" => ", an MCP tool".to_owned(),
            kind => format!(", a {kind} tool"),
        });
        let off = if tool.is_enabled { "" } else { ", off" };
        markup.paragraph(&format!("{}{source}{off}", code(&tool.tool)));
        for region in &tool.regions {
            markup.item(&region_words(region, tool.regions.len() > 1, style));
        }
        if tool.more > 0 {
            markup.item(&format!("{} more rules are not shown", tool.more));
        }
        for problem in &tool.broken {
            let problem = style.message(problem);
            markup.item(&format!("no turn starts: {problem}"));
        }
        for sentence in &tool.touches {
            markup.item(sentence);
        }
    }
    markup.finish()
}

fn region_words(region: &Region, is_one_of_several: bool, style: Style<'_>) -> String {
    let mut words = mode_words(PolicyQuestion::Run, region.mode.keyword()).to_owned();
    match &region.when {
        Some(when) => words.push_str(&format!(" when {when}")),
        None if is_one_of_several => words.push_str(" in every other case"),
        None => words.push_str(", whatever the call"),
    }
    if let Some(rule) = &region.rule {
        let place = style.place(&rule.path, rule.line + 1);
        words.push_str(&match is_one_of_several {
            true => format!(" (rule {} at {place})", rule.index + 1),
            false => format!(" ({place})"),
        });
    }
    if !region.except.is_empty() {
        words.push_str(&format!(
            ", except when {}",
            region.except.join(" or when ")
        ));
    }
    words
}
