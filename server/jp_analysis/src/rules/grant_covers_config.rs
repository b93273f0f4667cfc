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

mod fixes;
mod places;

use std::collections::{BTreeMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    merge::{Located, LocatedValue},
    paths::normalize,
};
use jp_policy::RunMode;
use jp_tool::{FsCapability, FsPolicy, FsRule, protected_prefix};

use self::places::ConfigPlace;
pub(crate) use self::places::ConfigPlaces;
use super::{access::rules, command_template};
use crate::{
    diagnostic::{Code, Diagnostic, Related, Severity},
    explain::{PolicyQuestion, ToolPolicy},
    tool::ToolContext,
};

/// The program of the bundled file tools, which keep config closed unless a rule names it.
const BUNDLED: &str = "jp-fs-tools";

/// Those of the bundled tools that only read.
const BUNDLED_READERS: [&str; 3] = ["fs_grep_files", "fs_list_files", "fs_read_file"];

/// How many places are named for one rule.
const MOST_RELATED: usize = 3;

/// The rules of a tool for files, compiled, with the places where they stand.
struct Grants<'a> {
    policy: FsPolicy,
    rules: Vec<FsRule>,
    located: Vec<&'a Located>,
}

/// A file that a tool may write although it is, or would be, config.
struct Hit<'a> {
    file: Utf8PathBuf,
    place: &'a ConfigPlace,
    /// What the rule lets the tool do with it.
    capability: FsCapability,
}

/// How many places are told of a tool that nothing restricts.
const MOST_HITS: usize = 64;

pub(super) fn check(context: &ToolContext<'_>, places: &ConfigPlaces, found: &mut Vec<Diagnostic>) {
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
    if !grants.rules.is_empty() && !grants.rules.iter().any(writes) {
        return;
    }
    let is_unrestricted = grants.rules.is_empty();
    if is_unrestricted && !bundled && unattended(context) != Unattended::Always {
        // Whoever decides about calls of a tool that nothing restricts has no grant to look at.
        return;
    }
    let graph = context.view.graph();
    let mut hits: BTreeMap<Option<usize>, Vec<Hit<'_>>> = BTreeMap::new();
    for place in places.of(graph).iter().filter(|place| place.is_judged) {
        // What nothing restricts reaches nearly all of them, which may be thousands for each of thousands of tools.
        if is_unrestricted && hits.get(&None).is_some_and(|hits| hits.len() >= MOST_HITS) {
            break;
        }
        for (rule, hit) in grants.hits(place, bundled) {
            hits.entry(rule).or_default().push(hit);
        }
    }
    for (rule, hits) in hits {
        let finding = match rule {
            Some(rule) => granted(context, &grants, rule, &hits),
            None => unrestricted(context, bundled, &hits),
        };
        let Some(mut finding) = finding else {
            continue;
        };
        let related = hits
            .iter()
            .flat_map(|hit| places.chain(graph, hit.place))
            .fold(Vec::new(), |mut all: Vec<Related>, related| {
                if all.len() < MOST_RELATED && !all.contains(&related) {
                    all.push(related);
                }
                all
            });
        finding.related.extend(related);
        found.push(finding);
    }
}

impl<'a> Grants<'a> {
    /// The rules as the runtime reads them; nothing where it would not.
    fn of(context: &'a ToolContext<'_>) -> Option<Self> {
        let root = &context.view.graph().workspace;
        let (rules, located): (Vec<FsRule>, Vec<&Located>) = rules(context, "fs")
            .iter()
            .filter_map(|located| {
                let text = located.get("path")?.value.as_str()?;
                let path = normalize(&root.join(text));
                let path = path.strip_prefix(root).ok()?;
                let path = if path.as_str().is_empty() {
                    Utf8Path::new(".")
                } else {
                    path
                };
                let flag = |key: &str| match located.get(key)?.value {
                    LocatedValue::Boolean(flag) => Some(flag),
                    _ => None,
                };
                let rule = FsRule::new(path)
                    .with_read(flag("read"))
                    .with_write(flag("write"))
                    .with_create(flag("create"))
                    .with_update(flag("update"))
                    .with_delete(flag("delete"))
                    .with_execute(flag("execute"));
                Some((rule, located))
            })
            .unzip();
        // Rules without a single readable path grant nothing.
        if rules.is_empty() && !super::access::rules(context, "fs").is_empty() {
            return None;
        }
        Some(Self {
            policy: FsPolicy::compile(&rules).ok()?,
            rules,
            located,
        })
    }

    /// A file of a place that each rule, or the absence of rules, lets the tool write.
    fn hits<'p>(&self, place: &'p ConfigPlace, bundled: bool) -> Vec<(Option<usize>, Hit<'p>)> {
        if self.rules.is_empty() {
            let hit = self.hit(place, Utf8Path::new(""), None, bundled);
            return hit.map(|hit| (None, hit)).into_iter().collect();
        }
        let writing = self
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| writes(rule));
        writing
            .filter_map(|(index, rule)| {
                let hit = self.hit(place, rule.path(), Some(index), bundled)?;
                Some((Some(index), hit))
            })
            .collect()
    }

    fn hit<'p>(
        &self,
        place: &'p ConfigPlace,
        below: &Utf8Path,
        rule: Option<usize>,
        bundled: bool,
    ) -> Option<Hit<'p>> {
        // More names than there are rules, so that one of them is no rule's path.
        const MOST_VARIANTS: usize = 8;
        let below = if below == "." {
            Utf8Path::new("")
        } else {
            below
        };
        let capabilities: &[FsCapability] = if place.exists {
            &[FsCapability::Update, FsCapability::Delete]
        } else {
            &[FsCapability::Create]
        };
        (0..MOST_VARIANTS).find_map(|variant| {
            let file = place.witness(below, variant)?;
            let kept = bundled.then(|| kept_place(place, &file)).flatten();
            let capability = capabilities.iter().copied().find(|capability| {
                let decision = self
                    .policy
                    .decide_within(*capability, &file, kept.as_deref());
                decision.allowed && decision.rule == rule
            })?;
            Some(Hit {
                file,
                place,
                capability,
            })
        })
    }
}

/// The place that the bundled tools keep closed around a file.
fn kept_place(place: &ConfigPlace, file: &Utf8Path) -> Option<Utf8PathBuf> {
    protected_prefix(file).or_else(|| place.exists.then(|| file.to_owned()))
}

fn writes(rule: &FsRule) -> bool {
    rule.create() || rule.update() || rule.delete()
}

fn is_bundled(context: &ToolContext<'_>) -> bool {
    let command = context.tool.get("command");
    command.and_then(command_template::program).as_deref() == Some(BUNDLED)
}

fn is_reader(context: &ToolContext<'_>) -> bool {
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
    let located = grants.located.get(rule)?;
    let place = context.place(located.get("path")?)?;
    let message = format!(
        "this rule lets tool `{}` {}, and so give itself any grant",
        context.name,
        described(context, hits)?
    );
    Some(
        Diagnostic::new(Code::GrantCoversConfig, place, message)
            .with_help("write a narrower `path`, or deny config by rules of its own: the longest path wins")
            .with_fixes(fixes::of_rule(context, grants, rule, hits)),
    )
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
            .with_fixes(fixes::of_absence(context, hits)),
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
