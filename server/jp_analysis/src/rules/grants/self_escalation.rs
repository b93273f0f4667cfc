//! `self-escalation`: what a tool may do without a question must not decide what runs without one.
//!
//! ```toml
//! [conversation.tools.edit]
//! access.fs = [{ path = "tools", write = true }]
//! run = "unattended"
//!
//! [conversation.tools.lint]
//! command = "python3 tools/lint.py"    # `edit` writes it, `lint` runs it, and nobody is asked
//! run = "unattended"
//! ```

mod ask_first;
mod gains;
mod removers;
mod run_files;
mod unasked;
mod ways;

use jp_tool::{WriteGrant, overlaps_sensitive, privileged_overlaps};

pub(crate) use self::run_files::{RunFiles, Runs};
use self::{
    ask_first::ask_first,
    gains::Gain,
    removers::removes_at,
    run_files::{Runner, SERVERS},
    unasked::{RunPolicy, Unasked},
    ways::{LeadsTo, Search, Way},
};
use super::{
    grant_covers_config::{
        ConfigPlaces, Grants, closing_place, deny_files, deny_writing, is_bundled, is_reader,
    },
    list::config_grants,
};
use crate::{
    diagnostic::{Code, Diagnostic, Place, Severity},
    fix::Fix,
    text::markup::{code, shortened},
    tool::{TOOLS, ToolContext},
};

/// How many characters of a call are shown.
const LONGEST_CALL: usize = 200;

pub(in crate::rules) fn check(
    context: &ToolContext<'_>,
    places: &ConfigPlaces,
    runs: &Runs<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let Some(policy) = RunPolicy::of(context) else {
        return;
    };
    let Some(unasked) = policy.unasked() else {
        return;
    };
    found.extend(own_grants(context, &unasked));
    let bundled = is_bundled(context);
    if bundled && is_reader(context) {
        return;
    }
    let Some(grants) = Grants::of(context) else {
        return;
    };
    let search = Search {
        grants: &grants,
        places: places.of(context.view.graph()),
        runs,
        unasked: &unasked,
        bundled,
    };
    if grants.is_unrestricted() {
        found.extend(unrestricted(context, &search));
        return;
    }
    for rule in grants.writing() {
        let ways = search.run_files(Some(rule));
        found.extend(granted(context, &search, rule, &ways));
    }
}

/// [`own_guard_among`] what the whole graph holds.
pub(crate) fn own_guard(context: &ToolContext<'_>) -> Option<String> {
    let view = context.view;
    let base = RunFiles::of_workspace(view.graph());
    let names = view.keys(&TOOLS);
    let runs = match view.fragment() {
        None => Runs::of_workspace(&base),
        Some(_) => Runs::of_fragment(&base, view, names.iter().map(String::as_str)),
    };
    own_guard_among(context, &ConfigPlaces::default(), &runs)
}

/// Whether a tool can remove its own guard without a question, in words; nothing where its grants are not known.
fn own_guard_among(
    context: &ToolContext<'_>,
    places: &ConfigPlaces,
    runs: &Runs<'_>,
) -> Option<String> {
    let no = || Some("Can remove its own guard: no".to_owned());
    let policy = RunPolicy::of(context)?;
    let Some(unasked) = policy.unasked() else {
        return no();
    };
    let yes = |how: &str| {
        Some(format!(
            "Can remove its own guard: yes, without asking it may {how}"
        ))
    };
    if let Some(path) = config_grants(context).find_map(|grant| opened_unasked(&grant)) {
        return yes(&format!("change the config at {}", code(path)));
    }
    let bundled = is_bundled(context);
    if bundled && is_reader(context) {
        return no();
    }
    let grants = Grants::of(context)?;
    let search = Search {
        grants: &grants,
        places: places.of(context.view.graph()),
        runs,
        unasked: &unasked,
        bundled,
    };
    let rules: Vec<Option<usize>> = match grants.is_unrestricted() {
        true => vec![None],
        false => grants.writing().map(Some).collect(),
    };
    let config = rules.iter().flat_map(|rule| search.config_files(*rule));
    let first = config
        .chain(rules.iter().flat_map(|rule| search.run_files(*rule)))
        .next();
    match first {
        Some(way) => yes(&format!("{}, {}", way.action(), way.consequence())),
        None => no(),
    }
}

/// The first privileged or sensitive path that a rule opens without a question.
fn opened_unasked<'a>(grant: &super::list::ConfigGrant<'a>) -> Option<&'a str> {
    let apply = grant
        .rule
        .get("apply")
        .and_then(|apply| apply.value.as_str());
    let opens = match grant.write() {
        WriteGrant::No => false,
        WriteGrant::Yes => privileged_overlaps(&grant.path).next().is_some(),
        WriteGrant::InsecureAllow => {
            overlaps_sensitive(&grant.path) || privileged_overlaps(&grant.path).next().is_some()
        }
    };
    (apply == Some("unattended") && opens).then_some(grant.text)
}

/// What is said of a tool that may change its own grants, where `privileged-write` does not say it.
fn own_grants(context: &ToolContext<'_>, unasked: &Unasked<'_>) -> Option<Diagnostic> {
    let grant = config_grants(context).find(|grant| {
        opened_unasked(grant).is_some() && privileged_overlaps(&grant.path).next().is_none()
    })?;
    let place = grant.place(context, "apply")?;
    let message = format!(
        "tool {} may change {} without asking, and so give itself or another tool any grant",
        code(context.name),
        code(grant.text),
    );
    let mut finding = Diagnostic::new(Code::SelfEscalation, place, message)
        .with_help("write `apply = \"ask\"`, so that a person sees each change")
        .with_fix(Fix::replace(
            "Ask before each change: `apply = \"ask\"`",
            place,
            "\"ask\"",
        ));
    if let Some(place) = unasked
        .place(&serde_json::Value::Null)
        .filter(|_| unasked.is_always())
    {
        finding = finding.with_related(place, "this lets it run without asking");
    }
    Some(finding)
}

/// What is said of a rule that lets a tool write what runs.
fn granted(
    context: &ToolContext<'_>,
    search: &Search<'_>,
    rule: usize,
    ways: &[Way],
) -> Option<Diagnostic> {
    let place = context.place(search.grants.located(rule)?.get("path")?)?;
    let gain = search.gain(context, ways.first()?);
    let message = format!(
        "this rule lets tool {}",
        described(context, ways, gain.as_ref())?
    );
    let files = ways.iter().map(|way| closing_place(&way.file)).collect();
    let fixes = [
        ask_first(context, search.unasked, ways),
        deny_files(
            context,
            search.grants,
            rule,
            files,
            "Deny writing what runs, by rules of its own",
        ),
        deny_writing(context, search.grants, rule),
    ];
    let severity = match ways.iter().all(|way| way.needs_absence) {
        true => Severity::Information,
        false => Severity::Warning,
    };
    let finding = Diagnostic::new(Code::SelfEscalation, place, message)
        .with_severity(severity)
        .with_help(help(
            "deny these files by rules of their own: the longest path wins",
            ways,
        ))
        .with_fixes(fixes.into_iter().flatten().map(Fix::one_of_several));
    Some(with_chain(context, search, ways, gain, finding))
}

/// What is said of a tool whose files nothing restricts.
///
/// Of another program something is known only where its parameters name files; where every call runs, `grant-covers-config` says that
/// nothing restricts it.
fn unrestricted(context: &ToolContext<'_>, search: &Search<'_>) -> Option<Diagnostic> {
    let (ways, severity) = if search.bundled {
        (search.run_files(None), Severity::Warning)
    } else if !search.unasked.names_files() {
        return None;
    } else {
        let mut ways = search.config_files(None);
        ways.extend(search.run_files(None));
        (ways, Severity::Information)
    };
    let place = context.place(context.tool.get("source")?)?;
    let message = format!(
        "nothing restricts what tool {} writes: it may {}",
        code(context.name),
        described(context, &ways, None)?.strip_prefix(&format!("{} ", code(context.name)))?
    );
    let fix = ask_first(context, search.unasked, &ways);
    let finding = Diagnostic::new(Code::SelfEscalation, place, message)
        .with_severity(severity)
        .with_fixes(fix.map(Fix::one_of_several))
        .with_help(help(
            "declare what it may write in `access.fs`, or let calls on these files ask",
            &ways,
        ));
    Some(with_chain(context, search, &ways, None, finding))
}

/// The shortest way in words, what it gains, and how many more there are.
fn described(context: &ToolContext<'_>, ways: &[Way], gain: Option<&Gain>) -> Option<String> {
    let first = ways.first()?;
    let mut others: Vec<&LeadsTo> = Vec::new();
    for way in ways {
        if way.leads_to != first.leads_to && !others.contains(&&way.leads_to) {
            others.push(&way.leads_to);
        }
    }
    let others = match others.len() {
        0 => String::new(),
        1 => ", and there is one more way to run what it likes".to_owned(),
        count => format!(", and there are {count} more ways to run what it likes"),
    };
    let gain = gain.map_or_else(String::new, |gain| format!(": {}", gain.what));
    Some(format!(
        "{} {} without asking, {}{gain}{others}",
        code(context.name),
        first.action(),
        first.consequence(),
    ))
}

fn help(what: &str, ways: &[Way]) -> String {
    match ways.first().map(|way| &way.call) {
        Some(call) if !call.is_null() => format!(
            "{what}; one call that asks nobody is {}",
            code(&shortened(&call.to_string(), LONGEST_CALL))
        ),
        _ => what.to_owned(),
    }
}

/// Adds the steps of the shortest way: why nobody is asked, who removes the file, who runs it, and what that one may do.
fn with_chain(
    context: &ToolContext<'_>,
    search: &Search<'_>,
    ways: &[Way],
    gain: Option<Gain>,
    mut finding: Diagnostic,
) -> Diagnostic {
    let Some(way) = ways.first() else {
        return finding;
    };
    if let Some(place) = search.unasked.place(&way.call) {
        finding = finding.with_related(
            place,
            format!("this lets {} run without asking", code(context.name)),
        );
    }
    let file = code(way.file.as_str());
    if let Some(remover) = &way.removed_by
        && let Some(place) = removes_at(context, remover, &way.file)
    {
        let lets = format!("this lets {} delete {file} without asking", code(remover));
        finding = finding.with_related(place, lets);
    }
    if let LeadsTo::Runs(runner) = &way.leads_to
        && let Some(place) = runs_at(context, runner)
    {
        finding = finding.with_related(place, format!("this runs {file}"));
    }
    match gain.and_then(|gain| Some((gain.place?, gain.lets))) {
        Some((place, lets)) => finding.with_related(place, lets),
        None => finding,
    }
}

/// Where the config says that a file runs.
fn runs_at(context: &ToolContext<'_>, runner: &Runner) -> Option<Place> {
    let place = |path: &[&str]| context.place(&context.view.effective(path)?);
    match runner {
        Runner::Tool(name) => place(&[TOOLS[0], TOOLS[1], name, "command"]),
        Runner::Formatter(name) => place(&[TOOLS[0], TOOLS[1], name, "style", "parameters"]),
        Runner::Server(name) => place(&[SERVERS[0], SERVERS[1], name, "command"]),
    }
}

#[cfg(test)]
#[path = "self_escalation_tests.rs"]
mod tests;
