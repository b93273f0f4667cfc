//! One tool on both sides.

use indexmap::IndexMap;
use jp_config::{
    merge::{Located, LocatedValue},
    view::View,
};
use jp_policy::{
    ChangeVerdict, Direction, Mode, PolicyChange, PolicyComparison, ResultMode, RunMode, Undecided,
    compare,
};
use jp_tool::{AccessPolicy, ConfigPath, Grant, GrantChange, Resource, compare_grants};

use super::{
    model::{Aspect, AspectComparison, Change, comparison, rule_place},
    other,
};
use crate::{
    explain::{self, PolicyQuestion, ToolPolicy},
    options::Options,
    tool::{DEFAULTS, ToolContext},
};

/// What is decided otherwise about a tool.
pub(super) fn compare_tool(before: &View, after: &View, name: &str) -> Vec<AspectComparison> {
    let left = explain::tool_context(before, name);
    let right = explain::tool_context(after, name);
    let (left, right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (None, None) => return Vec::new(),
        // Tools have defaults also where nobody says any.
        (Some(left), None) if name == DEFAULTS => (left, no_defaults(after)),
        (None, Some(right)) if name == DEFAULTS => (no_defaults(before), right),
        (left, right) => return vec![other::appearance(left.as_ref(), right.as_ref(), name)],
    };
    let value = |context: &ToolContext<'_>| {
        let defaults = context
            .defaults
            .as_ref()
            .map(jp_config::merge::Located::to_json);
        (context.tool.to_json(), defaults)
    };
    // Most tools are left alone by most changes.
    if value(&left) == value(&right) {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(policy(&left, &right, PolicyQuestion::Run, RunMode::Ask));
    found.extend(policy(
        &left,
        &right,
        PolicyQuestion::Result,
        ResultMode::Unattended,
    ));
    found.extend(access(&left, &right));
    found.extend(other::other(&left, &right));
    found
}

/// The defaults of tools where no file says any.
fn no_defaults(view: &View) -> ToolContext<'_> {
    ToolContext {
        view,
        name: DEFAULTS,
        tool: Located {
            value: LocatedValue::Table(IndexMap::new()),
            origins: Vec::new(),
        },
        defaults: None,
        options: Options::default(),
    }
}

/// Whether both sides say the same of what decides calls, which neither says in a way that can be read.
fn says_the_same(left: &ToolContext<'_>, right: &ToolContext<'_>) -> bool {
    let said = |context: &ToolContext<'_>| {
        ["run", "result", "policy", "parameters", "source"].map(|key| {
            let own = context.tool.get(key).map(Located::to_json);
            let defaults = context.defaults.as_ref();
            (
                own,
                defaults.and_then(|it| it.get(key)).map(Located::to_json),
            )
        })
    };
    said(left) == said(right)
}

fn policy<M: Mode>(
    left: &ToolContext<'_>,
    right: &ToolContext<'_>,
    question: PolicyQuestion,
    fallback: M,
) -> Option<AspectComparison> {
    let aspect = match question {
        PolicyQuestion::Run => Aspect::Run,
        PolicyQuestion::Result => Aspect::Result,
    };
    let sides = (
        usable(left, question, fallback),
        usable(right, question, fallback),
    );
    let (before, after) = match sides {
        (Ok(before), Ok(after)) => (before, after),
        // What cannot be read is as unreadable as before.
        (Err(one), Err(other)) if one == other && says_the_same(left, right) => return None,
        (one, other) => {
            let unknown = [("before", one.err()), ("after", other.err())]
                .into_iter()
                .filter_map(|(side, problem)| Some(format!("{side} the change, {}", problem?)))
                .collect();
            return comparison(
                right.name,
                aspect,
                ChangeVerdict::Unknown,
                Vec::new(),
                unknown,
            );
        }
    };
    let root = right.view.graph().workspace.as_str();
    let PolicyComparison {
        verdict,
        changes,
        undecided,
    } = compare(&before.policy, &after.policy, Some(root));
    let changes = changes
        .iter()
        .map(|change| policy_change(change, (left, &before), (right, &after)))
        .collect();
    let unknown = undecided
        .iter()
        .map(|open| undecided_in_words(open))
        .collect();
    comparison(right.name, aspect, verdict, changes, unknown)
}

fn usable<M: Mode>(
    context: &ToolContext<'_>,
    question: PolicyQuestion,
    fallback: M,
) -> Result<ToolPolicy<M>, String> {
    let key = question.key();
    let rules = ToolPolicy::of(context, question, fallback).map_err(|(index, problem)| {
        format!("rule {} of `{key}` cannot be read: {problem}", index + 1)
    })?;
    match rules.problems.first() {
        None => Ok(rules),
        Some(problem) => Err(format!(
            "rule {} of `{key}` is refused: {}",
            problem.rule + 1,
            problem.kind
        )),
    }
}

type Side<'a, M> = (&'a ToolContext<'a>, &'a ToolPolicy<M>);

fn policy_change<M: Mode>(
    change: &PolicyChange<M>,
    before: Side<'_, M>,
    after: Side<'_, M>,
) -> Change {
    let place = |(context, rules): Side<'_, M>, rule: Option<usize>| {
        let index = rule?;
        let place = rules.places.get(index).copied().flatten()?;
        Some(rule_place(context.view.graph(), index, place))
    };
    Change {
        witness: change.witness.clone(),
        before: change.before.keyword().to_owned(),
        after: change.after.keyword().to_owned(),
        direction: change.direction(),
        rule: place(after, change.after_rule),
        before_rule: place(before, change.before_rule),
        recorded: 0,
    }
}

fn undecided_in_words<M: Mode>(open: &Undecided<M>) -> String {
    let by = |rule: Option<usize>| match rule {
        Some(rule) => format!("rule {}", rule + 1),
        None => "no rule".to_owned(),
    };
    match open.reason {
        jp_policy::UndecidedReason::Parameters => open.reason.to_string(),
        reason => format!(
            "calls may go from `{}` ({}) to `{}` ({}): {reason}",
            open.before,
            by(open.before_rule),
            open.after,
            by(open.after_rule)
        ),
    }
}

/// What both sides grant; the four lists one by one.
fn access(left: &ToolContext<'_>, right: &ToolContext<'_>) -> Vec<AspectComparison> {
    let json = |context: &ToolContext<'_>| {
        context
            .tool
            .get("access")
            .map(jp_config::merge::Located::to_json)
    };
    if json(left) == json(right) {
        return Vec::new();
    }
    let read = |context: &ToolContext<'_>| {
        explain::declared_access(context).map_err(|error| error.to_string())
    };
    let compared = match (read(left), read(right)) {
        (Ok(before), Ok(after)) => compare_grants(&before, &after, &known_paths())
            .map_err(|error| error.to_string())
            .map(|changes| (before, after, changes)),
        (Err(error), _) => Err(format!("before the change, {error}")),
        (_, Err(error)) => Err(format!("after the change, {error}")),
    };
    let (before, after, changes) = match compared {
        Ok(compared) => compared,
        Err(problem) => {
            let verdict = ChangeVerdict::Unknown;
            let said = comparison(
                right.name,
                Aspect::Other,
                verdict,
                Vec::new(),
                vec![problem],
            );
            return said.into_iter().collect();
        }
    };
    [Resource::Fs, Resource::Net, Resource::Env, Resource::Config]
        .into_iter()
        .filter_map(|resource| {
            let changes: Vec<Change> = changes
                .iter()
                .filter(|change| change.resource == resource)
                .map(|change| grant_change(change, left, right))
                .collect();
            let directions = changes.iter().map(|change| change.direction);
            let verdict = ChangeVerdict::of(directions, []);
            let unknown = external(&before, &after, resource);
            comparison(right.name, aspect_of(resource), verdict, changes, unknown)
        })
        .collect()
}

const fn aspect_of(resource: Resource) -> Aspect {
    match resource {
        Resource::Fs => Aspect::AccessFs,
        Resource::Net => Aspect::AccessNet,
        Resource::Env => Aspect::AccessEnv,
        Resource::Config => Aspect::AccessConfig,
    }
}

/// What rests on an approval that is not looked up.
fn external(before: &AccessPolicy, after: &AccessPolicy, resource: Resource) -> Vec<String> {
    let rules = || before.fs.iter().chain(&after.fs);
    let has_external = resource == Resource::Fs && rules().any(jp_tool::FsRule::external);
    let note = "rules with `external = true` count as approved".to_owned();
    has_external.then_some(note).into_iter().collect()
}

fn grant_change(change: &GrantChange, left: &ToolContext<'_>, right: &ToolContext<'_>) -> Change {
    let key = change.resource.to_string();
    let place = |context: &ToolContext<'_>, rule: Option<usize>| {
        let index = rule?;
        let rules = context.tool.at(&["access", &key])?.value.as_list()?;
        let place = context.place(rules.get(index)?)?;
        Some(rule_place(context.view.graph(), index, place))
    };
    let rank = |grant: Grant| grant as u8;
    Change {
        witness: change.witness.clone(),
        before: change.before.as_str().to_owned(),
        after: change.after.as_str().to_owned(),
        direction: match rank(change.after) > rank(change.before) {
            true => Direction::Tightened,
            false => Direction::Loosened,
        },
        rule: place(right, change.after_rule),
        before_rule: place(left, change.before_rule),
        recorded: 0,
    }
}

/// Every config path that there is, `*` for any key of a map.
fn known_paths() -> Vec<ConfigPath> {
    let paths = jp_config::schema::schema().paths();
    paths
        .iter()
        .filter(|(path, _)| !path.contains('['))
        .filter_map(|(path, _)| ConfigPath::parse(&path.replace("<key>", "*")).ok())
        .collect()
}
