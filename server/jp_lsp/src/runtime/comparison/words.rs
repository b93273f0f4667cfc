//! A comparison in words.
//!
//! ```text
//! From `HEAD` to the working tree: something is loosened, and nothing tightened.
//!
//! tool `edit`, whether calls run: loosened
//!   ask -> unattended: {"path":"src/x"}  (.jp/config.toml:6)
//! ```

use std::io::{self, Write};

use jp_analysis::{
    comparison::{Aspect, AspectComparison, Change, ChangeVerdict, Refused, Side},
    explain::RulePlace,
};
use jp_conversation::visible;

use super::Compared;

/// The most changes of one aspect that people are shown.
pub(crate) const SHOWN: usize = 20;

/// The comparison in plain words, for people.
///
/// # Errors
///
/// `output` cannot be written.
pub(crate) fn human(compared: &Compared, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{}", summary(compared))?;
    if !compared.comparison.refused.is_empty() {
        writeln!(output)?;
    }
    for refused in &compared.comparison.refused {
        let said = refused_in_words(compared, refused);
        writeln!(output, "error: {}", line(&said))?;
    }
    for found in &compared.comparison.tools {
        writeln!(output, "\n{}: {}", line(&title(found)), found.verdict)?;
        for change in found.changes.iter().take(SHOWN) {
            let at = place(change).map(|(rule, was)| {
                format!("  ({was}{}:{})", rule.path, rule.line.saturating_add(1))
            });
            let said = format!(
                "  {} -> {}: {}{}",
                change.before,
                change.after,
                change.witness,
                at.unwrap_or_default()
            );
            write!(output, "{}", line(&said))?;
            match change.recorded {
                0 => writeln!(output)?,
                1 => writeln!(output, ", 1 recorded call")?,
                count => writeln!(output, ", {count} recorded calls")?,
            }
        }
        if let Some(more @ 1..) = found.changes.len().checked_sub(SHOWN) {
            writeln!(output, "  and {more} more")?;
        }
        for open in &found.unknown {
            writeln!(output, "  not known: {}", line(open))?;
        }
    }
    writeln!(output, "\nThis assumes that")?;
    for assumption in &compared.assumes {
        writeln!(output, "- {}", line(assumption))?;
    }
    Ok(())
}

/// Why no turn starts on one side, in a sentence.
pub(crate) fn refused_in_words(compared: &Compared, refused: &Refused) -> String {
    let state = match refused.side {
        Side::Before => &compared.sides.0,
        Side::After => &compared.sides.1,
    };
    let side = refused.side.keyword();
    let with = refused.fragment.as_ref();
    let with = with.map_or(String::new(), |path| format!(" with `{path}`"));
    format!(
        "no turn starts{with} {side} the change, in {state}: {}",
        refused.refusal
    )
}

/// The verdict on everything in a sentence.
pub(crate) fn summary(compared: &Compared) -> String {
    let (before, after) = &compared.sides;
    let says = match compared.comparison.verdict {
        ChangeVerdict::Equal => "nothing is decided otherwise",
        ChangeVerdict::Tightened => "something is tightened, and nothing loosened",
        ChangeVerdict::Loosened => "something is loosened, and nothing tightened",
        ChangeVerdict::Mixed => "what is decided changes in more than one direction",
        ChangeVerdict::Unknown => "not everything can be decided",
    };
    line(&format!("From {before} to {after}: {says}."))
}

/// Text that names of the config are part of, on one line, so that none of them looks like a line of ours.
pub(crate) fn line(text: &str) -> String {
    visible(text).replace(['\n', '\r'], " ")
}

/// What an aspect of a tool is, in words.
pub(crate) fn title(found: &AspectComparison) -> String {
    let what = match found.aspect {
        Aspect::Run => "whether calls run",
        Aspect::Result => "whether results are delivered",
        Aspect::AccessFs => "access to files",
        Aspect::AccessNet => "access to the network",
        Aspect::AccessEnv => "access to variables",
        Aspect::AccessConfig => "access to the config",
        Aspect::Other => "what it is and runs",
    };
    let tool = match found.tool.as_str() {
        "*" => "all tools".to_owned(),
        tool => format!("tool `{tool}`"),
    };
    let fragment = found.fragment.as_ref();
    let fragment = fragment.map_or(String::new(), |path| format!(", with `{path}`"));
    format!("{tool}{fragment}, {what}")
}

/// The rule that decides, or the one that did.
pub(crate) fn place(change: &Change) -> Option<(&RulePlace, &'static str)> {
    let now = change.rule.as_ref().map(|rule| (rule, ""));
    now.or_else(|| change.before_rule.as_ref().map(|rule| (rule, "was ")))
}
