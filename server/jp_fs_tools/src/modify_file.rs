//! `fs_modify_file`: replaces text in one or more files, after the change was shown.
//!
//! ```json
//! {
//!   "path": "src/lib.rs",
//!   "patterns": [
//!     {"old": "foo", "new": "bar"},
//!     {"old": "fn (\\w+)_old", "new": "fn ${1}_new", "regex": true, "paths": ["src/a.rs", "src/b.rs"]}
//!   ],
//!   "replace_using_regex": false
//! }
//! ```
//!
//! Patterns are applied in order, each to the text that the ones before it left.
//! A byte order mark and CRLF line ends are kept, and patterns need not hold them.
//! Nothing is written before every check passed and every question was answered, so a call changes all its files or,
//! unless the disk fails halfway, none.

mod approval;
mod form;
mod replace;

use std::fmt::Write as _;

use camino::Utf8PathBuf;
use jp_tool::{Question, Tool};
use serde::Deserialize;

use self::{
    approval::Trigger,
    form::Form,
    replace::{Replacement, Unapplied},
};
use crate::{
    access::{Capability, OpenWorkspace, Target},
    diff::{Difference, difference},
    dirty,
    error::Error,
    invocation::{self, OneOrMany},
    reply::{Reply, consent},
    text,
    tree::Original,
};

/// The largest file that is modified, before or after.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// The most that is returned of one file's diff after it was applied.
const MAX_DIFF_BYTES: usize = 64 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    path: Option<String>,
    patterns: Vec<Pattern>,
    #[serde(default)]
    replace_using_regex: bool,
    #[serde(default = "yes")]
    replace_all: bool,
    #[serde(default = "yes")]
    case_sensitive: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    old: String,
    new: String,
    #[serde(default)]
    paths: Option<OneOrMany>,
    #[serde(default)]
    regex: Option<bool>,
}

const fn yes() -> bool {
    true
}

/// Shows what the tool would change.
pub(crate) fn format(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let plan = Plan::new(workspace, &invocation::arguments(tool)?)?;
    let mut output = String::new();
    for change in &plan.changes {
        let _ = write!(
            output,
            "{}Modify file '{}':\n\n{}",
            if output.is_empty() { "" } else { "\n" },
            text::visible_line(change.target.path().as_str()),
            text::fenced("diff", &text::visible(&change.difference.unified))
        );
    }
    Ok(Reply::Done(output))
}

/// Runs the tool.
pub(crate) fn run(workspace: &OpenWorkspace<'_>, tool: &Tool) -> Result<Reply, Error> {
    let arguments: Arguments = invocation::arguments(tool)?;
    let trigger = Trigger::from_options(&tool.options)?;
    let plan = Plan::new(workspace, &arguments)?;
    for ask in [ask_broad, ask_dirty] {
        if let Some(ask) = ask(tool, &plan)? {
            return Ok(ask);
        }
    }
    if trigger.applies(plan.changes.iter().map(Change::extent))
        && let Some(ask) = ask_apply(tool, &plan)?
    {
        return Ok(ask);
    }
    for (index, change) in plan.changes.iter().enumerate() {
        change.write().map_err(|error| {
            let done = plan.changes.get(..index).unwrap_or_default();
            partial_failure(done, error)
        })?;
    }
    let noun = if plan.changes.len() == 1 {
        "File"
    } else {
        "Files"
    };
    let mut output = format!(
        "{noun} modified successfully:\n\n{}",
        plan.patch_for_model()
    );
    if !plan.problems.is_empty() {
        let _ = write!(output, "\n{}", report(&plan.problems));
    }
    Ok(Reply::Done(output))
}

fn partial_failure(done: &[Change], error: Error) -> Error {
    if done.is_empty() {
        return error;
    }
    let names: Vec<_> = done
        .iter()
        .map(|change| format!("'{}'", change.target.path()))
        .collect();
    Error::Invalid(format!("{error} Already modified: {}.", names.join(", ")))
}

/// Everything that a call would do, worked out but not done.
struct Plan {
    changes: Vec<Change>,
    problems: Vec<Problem>,
    has_catch_all: bool,
}

/// One file, before and after.
struct Change {
    target: Target,
    original: Original,
    form: Form,
    before: String,
    after: String,
    difference: Difference,
}

/// A pattern that did nothing in a file.
struct Problem {
    pattern: usize,
    preview: String,
    path: Utf8PathBuf,
    reason: Unapplied,
}

impl Plan {
    fn new(workspace: &OpenWorkspace<'_>, arguments: &Arguments) -> Result<Self, Error> {
        validate(arguments)?;
        let mut plan = Self {
            changes: Vec::new(),
            problems: Vec::new(),
            has_catch_all: false,
        };
        for (index, pattern) in arguments.patterns.iter().enumerate() {
            plan.apply(workspace, arguments, index, pattern)?;
        }
        plan.settled()
    }

    /// Applies a pattern to the text that the ones before it left in each of its files.
    fn apply(
        &mut self,
        workspace: &OpenWorkspace<'_>,
        arguments: &Arguments,
        index: usize,
        pattern: &Pattern,
    ) -> Result<(), Error> {
        let is_regex = pattern.regex.unwrap_or(arguments.replace_using_regex);
        self.has_catch_all |= is_regex && approval::is_catch_all(&pattern.old);
        let paths = match &pattern.paths {
            Some(paths) => paths.as_slice(),
            None => arguments.path.as_slice(),
        };
        let mut positions = Vec::with_capacity(paths.len());
        for path in paths {
            let position = self.position(workspace.target(Capability::Update, path)?)?;
            // A file that is named twice is meant once.
            if !positions.contains(&position) {
                positions.push(position);
            }
        }
        for position in positions {
            let Some(change) = self.changes.get_mut(position) else {
                continue;
            };
            match change.apply(arguments, pattern, is_regex) {
                Ok(after) => change.after = after,
                Err(reason) => self.problems.push(Problem {
                    pattern: index.saturating_add(1),
                    preview: preview(&pattern.old),
                    path: change.target.path().to_owned(),
                    reason,
                }),
            }
        }
        Ok(())
    }

    /// Where the change of a file stands, which is read when it is first named.
    fn position(&mut self, target: Target) -> Result<usize, Error> {
        let known = self
            .changes
            .iter()
            .position(|change| change.target.absolute() == target.absolute());
        if let Some(position) = known {
            return Ok(position);
        }
        self.changes.push(Change::read(target)?);
        Ok(self.changes.len().saturating_sub(1))
    }

    /// The plan with the differences worked out, unless it comes to nothing.
    fn settled(mut self) -> Result<Self, Error> {
        let is_invalid = self
            .problems
            .iter()
            .any(|problem| problem.reason.is_fatal());
        self.changes.retain(|change| change.after != change.before);
        if self.changes.is_empty() || is_invalid {
            return Err(Error::Invalid(if self.problems.is_empty() {
                "The patterns leave the files as they are. Nothing was modified.".to_owned()
            } else {
                format!("Nothing was modified.\n{}", report(&self.problems))
            }));
        }
        for change in &mut self.changes {
            change.difference =
                difference(change.target.path().as_str(), &change.before, &change.after);
        }
        Ok(self)
    }

    /// The diffs of all files, each as `shown` presents it.
    fn patch(&self, shown: impl Fn(&str) -> String) -> String {
        let blocks: Vec<_> = self
            .changes
            .iter()
            .map(|change| text::fenced("diff", &shown(&change.difference.unified)))
            .collect();
        blocks.join("\n")
    }

    /// The diffs as a person reads them who decides about them: whole, and with hidden characters spelled out.
    fn patch_for_person(&self) -> String {
        self.patch(text::visible)
    }

    /// The diffs as the model reads them, which knows what it asked for.
    fn patch_for_model(&self) -> String {
        self.patch(|unified| text::head(unified, MAX_DIFF_BYTES).into_owned())
    }
}

impl Change {
    fn read(target: Target) -> Result<Self, Error> {
        let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
        let (bytes, original) =
            target
                .place()
                .and_then(|place| place.read(limit))
                .map_err(|source| match source.kind() {
                    std::io::ErrorKind::FileTooLarge => Error::TooLarge(format!(
                        "File '{}' is larger than {MAX_FILE_BYTES} bytes and cannot be modified.",
                        target.path()
                    )),
                    _ => target.error("read", source),
                })?;
        original
            .check()
            .map_err(|source| target.error("modify", source))?;
        let stored =
            String::from_utf8(bytes).map_err(|_| Error::NotText(target.path().to_owned()))?;
        let (form, before) = Form::split(&stored);
        Ok(Self {
            form,
            after: before.clone(),
            before,
            original,
            target,
            difference: Difference::default(),
        })
    }

    /// The text with a pattern applied to what the ones before it left.
    fn apply(
        &self,
        arguments: &Arguments,
        pattern: &Pattern,
        is_regex: bool,
    ) -> Result<String, Unapplied> {
        let old = if is_regex {
            self.form.regex(&pattern.old)
        } else {
            self.form.pattern(&pattern.old)
        };
        let replacement = Replacement {
            old: &old,
            new: &self.form.pattern(&pattern.new),
            is_regex,
            replaces_all: arguments.replace_all,
            is_case_sensitive: arguments.case_sensitive,
            max_bytes: MAX_FILE_BYTES,
        };
        replacement.apply(&self.after)
    }

    fn write(&self) -> Result<(), Error> {
        let stored = self.form.join(&self.after);
        self.target
            .place()
            .and_then(|place| place.replace(stored.as_bytes(), &self.original))
            .map_err(|source| self.target.error("modify", source))
    }

    fn extent(&self) -> approval::Extent {
        approval::Extent {
            lines_before: self.before.lines().count(),
            removed: self.difference.removed,
            inserted: self.difference.inserted,
        }
    }
}

fn validate(arguments: &Arguments) -> Result<(), Error> {
    if arguments.patterns.is_empty() {
        return Err(Error::Invalid("No patterns provided.".to_owned()));
    }
    for (index, pattern) in arguments.patterns.iter().enumerate() {
        let problem = if pattern.old.is_empty() {
            "has an empty `old`; write the text to replace"
        } else if pattern.old == pattern.new {
            "has identical `old` and `new`"
        } else if pattern
            .paths
            .as_ref()
            .is_some_and(|paths| paths.as_slice().is_empty())
        {
            "has an empty `paths`; name a file or leave it out"
        } else if pattern.paths.is_none() && arguments.path.is_none() {
            "has no target files; set its `paths`, or the call's `path`"
        } else {
            continue;
        };
        let number = index.saturating_add(1);
        return Err(Error::Invalid(format!("Pattern #{number} {problem}.")));
    }
    Ok(())
}

/// The first line of a pattern, cut to what identifies it.
fn preview(old: &str) -> String {
    const MAX_CHARACTERS: usize = 60;
    let line = text::visible_line(old.lines().next().unwrap_or_default());
    if line.chars().count() <= MAX_CHARACTERS {
        return line;
    }
    let mut head: String = line.chars().take(MAX_CHARACTERS).collect();
    head.push_str("...");
    head
}

fn report(problems: &[Problem]) -> String {
    let mut output = "Patterns that were not applied:\n".to_owned();
    for problem in problems {
        let _ = writeln!(
            output,
            "- #{} (`{}`) in '{}': {}",
            problem.pattern, problem.preview, problem.path, problem.reason
        );
    }
    output
}

fn ask_broad(tool: &Tool, plan: &Plan) -> Result<Option<Reply>, Error> {
    let broad: Vec<_> = plan
        .changes
        .iter()
        .filter(|change| plan.has_catch_all || change.extent().is_broad())
        .map(|change| format!("'{}'", change.target.path()))
        .collect();
    if broad.is_empty() {
        return Ok(None);
    }
    let files = broad.join(", ");
    let question = || {
        let text = if plan.has_catch_all {
            format!("A pattern matches anything, in {files}. Apply anyway?")
        } else {
            format!("More than half of the lines change in {files}. Apply anyway?")
        };
        Question::boolean("broad_replacement", text)
            .with_context(plan.patch_for_person())
            .with_default(false)
    };
    let refused = || {
        "The replacement is too broad. Use patterns that match only what has to change.".to_owned()
    };
    consent(tool, "broad_replacement", question, refused)
}

fn ask_dirty(tool: &Tool, plan: &Plan) -> Result<Option<Reply>, Error> {
    let concerns: Vec<_> = plan
        .changes
        .iter()
        .filter_map(|change| {
            let subject = format!("File '{}'", change.target.path());
            dirty::concern(&subject, &dirty::work_state(&change.target), false)
        })
        .collect();
    if concerns.is_empty() {
        return Ok(None);
    }
    let question = || {
        Question::boolean(
            "modify_dirty_file",
            format!("{} Modify anyway?", concerns.join(" ")),
        )
        .with_default(false)
    };
    let refused = || {
        "Not changed: the file holds work that git does not know. Commit or discard it first."
            .to_owned()
    };
    consent(tool, "modify_dirty_file", question, refused)
}

fn ask_apply(tool: &Tool, plan: &Plan) -> Result<Option<Reply>, Error> {
    let question = || {
        Question::boolean(
            "apply_changes",
            "Do you want to apply the patch shown above?",
        )
        .with_context(plan.patch_for_person())
        .with_default(true)
    };
    let refused = || {
        "Nothing was written: the person saw this patch and said no. Another patch can be proposed."
            .to_owned()
    };
    consent(tool, "apply_changes", question, refused)
}

#[cfg(test)]
#[path = "modify_file_tests.rs"]
mod tests;
