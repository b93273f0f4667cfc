//! `grant-covers-config`: who may write config may grant itself anything.
//!
//! ```toml
//! [[conversation.tools.shell.access.fs]]
//! path = "."          # `.jp/config.toml` lies there
//! write = true
//!
//! [[conversation.tools.shell.access.fs]]
//! path = ".jp"        # the longest path wins: config stays closed
//! read = true
//! ```

mod any_folder;
mod fixes;
mod grants;
mod path_index;
mod places;

use std::collections::HashSet;

use jp_policy::RunMode;
use jp_tool::{BUNDLED_PROGRAM, FsCapability};

use self::grants::Hit;
pub(crate) use self::places::ConfigPlaces;
pub(in crate::rules::grants) use self::{
    fixes::{MOST_DENIALS, deny_files, deny_writing, outermost},
    grants::{Grants, below_root, closing_place, fs_rule},
    path_index::PathIndex,
    places::Places,
};
use crate::{
    diagnostic::{Code, Diagnostic, Related, Severity},
    explain::{PolicyQuestion, ToolPolicy},
    rules::commands,
    tool::ToolContext,
};

/// Those of the bundled tools that only read.
const BUNDLED_READERS: [&str; 3] = ["fs_grep_files", "fs_list_files", "fs_read_file"];

/// How many places are named for one rule.
const MOST_RELATED: usize = 3;

/// How many places are counted for one rule, or for a tool that nothing restricts.
pub(in crate::rules::grants) const MOST_HITS: usize = 64;

pub(in crate::rules) fn check(
    context: &ToolContext<'_>,
    places: &ConfigPlaces,
    found: &mut Vec<Diagnostic>,
) {
    let is_local = context.source().is_some_and(|source| source.is_local());
    if !is_local || context.is_defaults() {
        return;
    }
    let bundled = is_bundled(context);
    if bundled && is_reader(context) {
        return;
    }
    let Some(grants) = Grants::of(context) else {
        return;
    };
    if !grants.is_unrestricted() {
        for rule in grants.writing() {
            let places = places.of(context.view.graph());
            let hits = grants.hits(places, Some(rule), bundled);
            let finding = granted(context, &grants, rule, &hits);
            found.extend(finding.map(|finding| with_chains(context, places, &hits, finding)));
        }
        return;
    }
    if !bundled && unattended(context) != Unattended::Always {
        // Whoever decides about calls of a tool that nothing restricts has no grant to look at.
        return;
    }
    let places = places.of(context.view.graph());
    let hits = grants.hits(places, None, bundled);
    let finding = unrestricted(context, bundled, &hits);
    found.extend(finding.map(|finding| with_chains(context, places, &hits, finding)));
}

/// Adds the ways from the files to the config that brings them in.
fn with_chains(
    context: &ToolContext<'_>,
    places: &Places,
    hits: &[Hit<'_>],
    mut finding: Diagnostic,
) -> Diagnostic {
    let graph = context.view.graph();
    let mut related: Vec<Related> = Vec::new();
    for entry in hits.iter().flat_map(|hit| places.chain(graph, hit.place)) {
        if related.len() >= MOST_RELATED {
            break;
        }
        if !related.contains(entry) {
            related.push(entry.clone());
        }
    }
    finding.related.extend(related);
    finding
}

/// Whether the tool is one of the bundled ones that only read.
pub(crate) fn is_bundled_reader(context: &ToolContext<'_>) -> bool {
    is_bundled(context) && is_reader(context)
}

pub(in crate::rules::grants) fn is_bundled(context: &ToolContext<'_>) -> bool {
    let command = context.tool.get("command");
    command.and_then(commands::program).as_deref() == Some(BUNDLED_PROGRAM)
}

pub(in crate::rules::grants) fn is_reader(context: &ToolContext<'_>) -> bool {
    let source = context.source();
    let name = source.as_ref().and_then(|source| source.tool());
    BUNDLED_READERS.contains(&name.unwrap_or(context.name))
}

/// What is said of a rule that reaches config.
fn granted(
    context: &ToolContext<'_>,
    grants: &Grants<'_>,
    rule: usize,
    hits: &[Hit<'_>],
) -> Option<Diagnostic> {
    let place = context.place(grants.located(rule)?.get("path")?)?;
    let message = format!(
        "this rule lets tool `{}` {}, and so give itself any grant",
        context.name,
        described(context, hits)?
    );
    let finding = Diagnostic::new(Code::GrantCoversConfig, place, message)
        .with_fixes(fixes::of_rule(context, grants, rule, hits));
    Some(match hits.iter().all(|hit| hit.is_in_any_folder) {
        true => finding
            .with_severity(Severity::Information)
            .with_help("grant single files, or leave the writing to the bundled file tools, which keep config closed in every folder"),
        false => finding
            .with_help("write a narrower `path`, or deny config by rules of its own: the longest path wins"),
    })
}

/// What is said of a tool whose files nothing restricts.
fn unrestricted(context: &ToolContext<'_>, bundled: bool, hits: &[Hit<'_>]) -> Option<Diagnostic> {
    let place = context.place(context.tool.get("source")?)?;
    let message = format!(
        "tool `{}` has no `access.fs`, so it may {}, and so give itself any grant",
        context.name,
        described(context, hits)?
    );
    let severity = if bundled {
        Severity::Warning
    } else {
        Severity::Information
    };
    Some(
        Diagnostic::new(Code::GrantCoversConfig, place, message)
            .with_severity(severity)
            .with_help(
                "declare what it may write in `access.fs`; what no rule grants is denied then",
            )
            .with_fixes(fixes::of_absence(context, bundled, hits)),
    )
}

/// What the tool may do, in words.
fn described(context: &ToolContext<'_>, hits: &[Hit<'_>]) -> Option<String> {
    let first = hits.first()?;
    let verb = match first.capability {
        FsCapability::Create => "create",
        FsCapability::Delete => "delete",
        _ => "change",
    };
    let unasked = match unattended(context) {
        Unattended::Never => "",
        Unattended::Always | Unattended::Sometimes => " without asking",
    };
    // The extensions of one name, and the files of one entry, are one place.
    let ways: HashSet<_> = hits
        .iter()
        .map(|hit| {
            let entry = hit.place.entry.as_ref().map(|entry| entry.place);
            let file = entry.is_none().then(|| hit.file.with_extension(""));
            (entry, file)
        })
        .collect();
    let others = match ways.len() - 1 {
        _ if hits.len() >= MOST_HITS && ways.len() > 1 => " and more places of config".to_owned(),
        0 => String::new(),
        1 => " and one more place of config".to_owned(),
        count => format!(" and {count} more places of config"),
    };
    Some(format!(
        "{verb} `{}` ({}){others}{unasked}",
        first.file, first.place.how
    ))
}

/// Which calls run without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unattended {
    Always,
    Sometimes,
    Never,
}

fn unattended(context: &ToolContext<'_>) -> Unattended {
    let rules = ToolPolicy::<RunMode>::of(context, PolicyQuestion::Run, RunMode::Ask);
    let Ok(rules) = rules else {
        return Unattended::Never;
    };
    if let Some(mode) = rules.policy.is_unconditional() {
        return match mode {
            RunMode::Unattended => Unattended::Always,
            _ => Unattended::Never,
        };
    }
    let mut modes = (0..rules.policy.len()).filter_map(|index| rules.policy.rule(index));
    match modes.any(|rule| rule.mode == RunMode::Unattended) {
        true => Unattended::Sometimes,
        false => Unattended::Never,
    }
}

#[cfg(test)]
#[path = "grant_covers_config_tests.rs"]
mod tests;
