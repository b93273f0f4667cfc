//! Decisions that no path dodges, neither behind a link nor behind another path of the same call.
//!
//! ```toml
//! { arg = "/path", prefix = ".git/", mode = "skip" }        # also decides "docs/notes", if that is a link to ".git/config"
//! { arg = "/path", prefix = "src/", mode = "unattended" }   # says nothing of the other paths of the call
//! ```

use serde_json::Value;

use crate::{
    each_path::first_for_each_path,
    evaluation::Evaluation,
    index::NONE,
    mode::Mode,
    path_values::{arguments_with_one_path, pointers, rewritten, visit_paths},
    policy::Policy,
};

/// Where a path really leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanonicalPath {
    /// Into the workspace: the path relative to its root, links resolved (RFD 076, "Path evaluation").
    Inside(String),
    /// Out of the workspace.
    Outside,
}

/// Which form of the paths in a call led to the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathForm {
    /// The paths as they are given, normalized.
    Lexical,
    /// The paths with links resolved.
    Canonical,
}

/// A path of a call, and what is decided about the call without the other paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedPath<M> {
    /// Where it stands, as a JSON Pointer with the numbers of elements: `/patterns/0/paths/1`.
    pub pointer: String,
    /// The path as it is given.
    pub value: String,
    /// Where it leads, relative to the root; none out of the workspace, or when that is not known.
    pub target: Option<String>,
    /// What is decided.
    pub mode: M,
    /// The rule that decides; none for the implicit `ask`, also that for a path out of the workspace.
    pub rule: Option<usize>,
}

/// What is decided about a call whose paths were looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct PathDecision<M> {
    /// What happens.
    pub mode: M,
    /// The rule that decides; none for the implicit `ask`, also that for a path out of the workspace.
    pub rule: Option<usize>,
    /// The form of the paths that led to it; the lexical one when both forms are decided alike.
    pub form: PathForm,
    /// Every path of the call, in order.
    pub paths: Vec<DecidedPath<M>>,
    /// Which of [`PathDecision::paths`] led to the decision when the others are left out; none when the call as a whole did.
    pub decisive: Option<usize>,
    /// Every rule that wants a person asked, be it for the call or for one of its paths; `None` among them is the implicit `ask`.
    ///
    /// In ascending order; empty unless the mode is `ask` or `edit`.
    pub asking: Vec<Option<usize>>,
}

/// The decision on a call whose paths were looked up, with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct PathEvaluation<M> {
    /// The decision that counts, and what became of each rule on the way to it.
    ///
    /// When a path leaves the workspace and the rules would run the call unattended, the mode is `ask`, without a rule, and the values are
    /// the paths that leave.
    pub evaluation: Evaluation<M>,
    /// What is decided.
    pub decision: PathDecision<M>,
}

impl<M: Mode> PathDecision<M> {
    /// The paths that leave the workspace, or whose target is not known, as given.
    pub fn outside(&self) -> impl Iterator<Item = &str> {
        let outside = self.paths.iter().filter(|path| path.target.is_none());
        outside.map(|path| path.value.as_str())
    }
}

/// Decides a call: as a whole, and for each of its paths without the other paths; the strictest decision counts.
///
/// Each is decided twice, on the paths as given and on their canonical forms.
/// Of `edit` and `ask`, which are equally strict, `edit` counts; of decisions with the same mode the first: that of the whole call, then
/// those of its paths in order, each on the path as given before its canonical form.
///
/// `canonical` is called once with each path as it is given, also where no rule looks at it; `None` means that it is not known where the
/// path leads, which counts as leaving the workspace.
/// A call with a path that leaves the workspace is never `unattended`, whatever the rules say.
///
/// The cost grows with the size of the call, not with the number of rules that do not match.
#[must_use]
pub fn decide_paths<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> PathDecision<M> {
    decide_and_resolve(policy, arguments, canonical).0
}

/// The mode of a call and the rule that decides it, as [`decide_paths`] finds them, without what leads to them.
#[must_use]
pub fn decide_mode<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> (M, Option<usize>) {
    let Judged { strictest, .. } = judge(policy, arguments, canonical);
    (strictest.mode, strictest.rule)
}

/// Decides a call; also the arguments with links resolved, if that makes a difference.
fn decide_and_resolve<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> (PathDecision<M>, Option<Value>) {
    let Judged {
        strictest,
        paths,
        resolved,
    } = judge(policy, arguments, canonical);
    let Strictest {
        mode,
        rule,
        form,
        decisive,
        mut asking,
    } = strictest;
    if mode.strictness() != M::ASK.strictness() {
        asking.clear();
    }
    asking.sort_unstable();
    asking.dedup();
    let pointers = match paths.is_empty() {
        true => Vec::new(),
        false => pointers(arguments, &policy.parameters.properties),
    };
    let paths = pointers.into_iter().zip(paths);
    let paths = paths.map(|(pointer, path)| DecidedPath {
        pointer,
        value: path.value.to_owned(),
        target: path.target,
        mode: path.mode,
        rule: path.rule,
    });
    let decision = PathDecision {
        mode,
        rule,
        form,
        paths: paths.collect(),
        decisive,
        asking,
    };
    (decision, resolved)
}

/// A call that is judged.
struct Judged<'a, M> {
    strictest: Strictest<M>,
    /// Every path of the call, in order.
    paths: Vec<JudgedPath<'a, M>>,
    /// The arguments with links resolved, if that makes a difference.
    resolved: Option<Value>,
}

/// A path of a call, and what is decided about the call without the other paths; see [`DecidedPath`].
struct JudgedPath<'a, M> {
    value: &'a str,
    target: Option<String>,
    mode: M,
    rule: Option<usize>,
}

fn judge<'a, M: Mode>(
    policy: &Policy<M>,
    arguments: &'a Value,
    mut canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> Judged<'a, M> {
    let properties = &policy.parameters.properties;
    let mut paths = Vec::new();
    visit_paths(arguments, properties, &mut |path| {
        let target = match canonical(path) {
            Some(CanonicalPath::Inside(target)) => Some(target),
            Some(CanonicalPath::Outside) | None => None,
        };
        paths.push(JudgedPath {
            value: path,
            target,
            mode: M::UNATTENDED,
            rule: None,
        });
    });
    let leads_elsewhere = |path: &JudgedPath<'_, M>| {
        let target = path.target.as_deref();
        target.is_some_and(|target| target != path.value)
    };
    let resolved = paths.iter().any(leads_elsewhere).then(|| {
        let mut targets = paths.iter().map(|path| path.target.as_deref());
        rewritten(arguments, properties, &mut |_, path| {
            Some(Value::from(targets.next().flatten().unwrap_or(path)))
        })
    });
    let mut strictest = Strictest::of(policy.decide(arguments));
    if let Some(resolved) = &resolved {
        strictest.or(policy.decide(resolved), PathForm::Canonical, None);
    }
    decide_each(
        policy,
        arguments,
        resolved.as_ref(),
        &mut paths,
        &mut strictest,
    );
    Judged {
        strictest,
        paths,
        resolved,
    }
}

/// Decides a call as [`decide_paths`] does, and says why.
#[must_use]
pub fn evaluate_paths<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> PathEvaluation<M> {
    let (decision, resolved) = decide_and_resolve(policy, arguments, canonical);
    let given = match (decision.form, &resolved) {
        (PathForm::Canonical, Some(resolved)) => resolved,
        _ => arguments,
    };
    let mut evaluation = match decision.decisive {
        Some(path) if decision.paths.len() > 1 => policy.evaluate(&arguments_with_one_path(
            given,
            &policy.parameters.properties,
            path,
        )),
        _ => policy.evaluate(given),
    };
    if evaluation.mode != decision.mode {
        evaluation.mode = decision.mode;
        evaluation.rule = decision.rule;
        evaluation.values = decision.outside().map(Value::from).collect();
    }
    PathEvaluation {
        evaluation,
        decision,
    }
}

/// The strictest decision so far.
struct Strictest<M> {
    mode: M,
    rule: Option<usize>,
    form: PathForm,
    decisive: Option<usize>,
    asking: Vec<Option<usize>>,
}

impl<M: Mode> Strictest<M> {
    fn of((mode, rule): (M, Option<usize>)) -> Self {
        let mut strictest = Self {
            mode,
            rule,
            form: PathForm::Lexical,
            decisive: None,
            asking: Vec::new(),
        };
        strictest.note(mode, rule);
        strictest
    }

    fn or(&mut self, (mode, rule): (M, Option<usize>), form: PathForm, decisive: Option<usize>) {
        self.note(mode, rule);
        if mode.outranks(self.mode) {
            self.mode = mode;
            self.rule = rule;
            self.form = form;
            self.decisive = decisive;
        }
    }

    fn note(&mut self, mode: M, rule: Option<usize>) {
        if mode.strictness() == M::ASK.strictness() && self.asking.last() != Some(&rule) {
            self.asking.push(rule);
        }
    }
}

/// Decides each path without the others.
fn decide_each<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    resolved: Option<&Value>,
    paths: &mut [JudgedPath<'_, M>],
    strictest: &mut Strictest<M>,
) {
    let firsts = |arguments: &Value| -> Vec<(M, Option<usize>)> {
        let catch_all = policy.catch_all;
        first_for_each_path(&policy.tree, &policy.groups, &policy.parameters, arguments)
            .into_iter()
            .map(|first| {
                let rule = usize::try_from(first).ok().filter(|_| first != NONE);
                let rule = rule.into_iter().chain(catch_all).min();
                (policy.mode_of(rule), rule)
            })
            .collect()
    };
    let lexical = firsts(arguments);
    let canonical = resolved.map(firsts).unwrap_or_default();
    for (number, (path, given)) in paths.iter_mut().zip(lexical).enumerate() {
        (path.mode, path.rule) = given;
        strictest.or(given, PathForm::Lexical, Some(number));
        if let Some(target) = canonical.get(number) {
            if target.0.outranks(path.mode) {
                (path.mode, path.rule) = *target;
            }
            strictest.or(*target, PathForm::Canonical, Some(number));
        }
        if path.target.is_none() && !path.mode.is_stricter_than(M::UNATTENDED) {
            (path.mode, path.rule) = (M::ASK, None);
            strictest.or((M::ASK, None), PathForm::Lexical, Some(number));
        }
    }
}

#[cfg(test)]
#[path = "path_evaluation_tests.rs"]
mod tests;
