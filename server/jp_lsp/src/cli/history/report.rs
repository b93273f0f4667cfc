//! What is on record, for people and for programs.
//!
//! ```json
//! {"calls":41,"tools":[{"tool":"fs_modify_file","calls":41,"rules":[
//!   {"rule":{"index":0,"path":".jp/config.toml","line":7},"mode":"unattended","calls":37,"last":"2026-11-20 10:04:12.3",
//!    "answers":{"allowedByPolicy":30,"allowedByPerson":7}}]}]}
//! ```

use std::io::{self, Write};

use jp_analysis::explain::RulePlace;
use jp_conversation::{Timestamp, visible};
use jp_history::{Answer, Counts, History};
use jp_policy::{Mode as _, RunMode};
use serde_json::{Map, Value, json};

const CALLS: (&str, &str) = ("call", "calls");

/// Everything that is told.
pub(super) struct Overview<'a> {
    pub(super) history: &'a History,
    pub(super) since: Option<Timestamp>,
    pub(super) tools: Vec<ToolReport>,
}

/// What is on record of one tool.
#[derive(Debug, Default)]
pub(super) struct ToolReport {
    pub(super) tool: String,
    pub(super) calls: usize,
    pub(super) rules: Vec<RuleLine>,
    pub(super) unfit: Counts,
    pub(super) changed: usize,
    /// Why no rule of today decides about the calls.
    pub(super) problem: Option<String>,
}

/// What one rule of today decides.
#[derive(Debug)]
pub(super) struct RuleLine {
    pub(super) index: Option<usize>,
    pub(super) place: Option<RulePlace>,
    pub(super) mode: RunMode,
    pub(super) modes: Vec<(RunMode, usize)>,
    pub(super) counts: Counts,
}

impl Overview<'_> {
    fn calls(&self) -> usize {
        self.tools.iter().map(|tool| tool.calls).sum()
    }

    pub(super) fn to_json(&self) -> Value {
        let left_out = self.history.left_out();
        let read = self.history.sources().iter().map(|source| {
            json!({
                "path": source.folder,
                "keeper": source.keeper.word(),
                "conversations": source.conversations,
            })
        });
        json!({
            "calls": self.calls(),
            "since": self.since,
            "read": read.collect::<Vec<_>>(),
            "damaged": { "records": left_out.damaged_records, "conversations": left_out.damaged_conversations },
            "leftOut": {
                "largeConversations": left_out.large_conversations,
                "largeCalls": left_out.large_calls,
                "links": left_out.links,
                "older": left_out.has_older,
            },
            "copies": left_out.copies,
            "tools": self.tools.iter().map(ToolReport::to_json).collect::<Vec<_>>(),
        })
    }

    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        for tool in &self.tools {
            tool.print(output)?;
        }
        if self.tools.is_empty() {
            match self.since {
                Some(since) => writeln!(output, "no call is on record since {}", day(since))?,
                None => writeln!(output, "no call is on record")?,
            }
        }
        for source in self.history.sources() {
            let (folder, keeper) = (visible(source.folder.as_str()), source.keeper.word());
            let conversations = count(source.conversations, ("conversation", "conversations"));
            writeln!(output, "read {conversations} of {keeper} in {folder}")?;
        }
        let left_out = self.history.left_out();
        let said = [
            (
                left_out.damaged_records,
                ("damaged record", "damaged records"),
            ),
            (
                left_out.damaged_conversations,
                ("damaged conversation", "damaged conversations"),
            ),
            (
                left_out.large_conversations,
                (
                    "conversation that is too large",
                    "conversations that are too large",
                ),
            ),
            (
                left_out.large_calls,
                (
                    "call whose arguments are too large",
                    "calls whose arguments are too large",
                ),
            ),
            (left_out.links, ("link", "links")),
        ];
        for (number, what) in said {
            if number > 0 {
                writeln!(output, "left out: {}", count(number, what))?;
            }
        }
        if left_out.has_older {
            writeln!(output, "left out: older calls, since there are too many")?;
        }
        Ok(())
    }
}

impl ToolReport {
    fn to_json(&self) -> Value {
        json!({
            "tool": self.tool,
            "calls": self.calls,
            "problem": self.problem,
            "rules": self.rules.iter().map(RuleLine::to_json).collect::<Vec<_>>(),
            "unfit": Value::Object(counts(&self.unfit)),
            "changed": self.changed,
        })
    }

    fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        let calls = count(self.calls, CALLS);
        writeln!(
            output,
            "{}: {calls}",
            visible(&self.tool).replace('\n', " ")
        )?;
        if let Some(problem) = &self.problem {
            writeln!(
                output,
                "  not decided by the config of today: {}",
                visible(problem)
            )?;
        }
        for rule in &self.rules {
            rule.print(output)?;
        }
        if self.unfit.calls > 0 {
            writeln!(
                output,
                "  arguments that no longer fit the tool: {}",
                words(&self.unfit)
            )?;
        }
        if self.changed > 0 {
            let changed = count(self.changed, CALLS);
            writeln!(output, "  {changed} decided in another mode than when made")?;
        }
        Ok(())
    }
}

impl RuleLine {
    fn to_json(&self) -> Value {
        let mut line = Map::new();
        let rule = match (&self.place, self.index) {
            (Some(place), _) => place.to_json(),
            (None, Some(index)) => json!({ "index": index }),
            (None, None) => Value::Null,
        };
        line.insert("rule".to_owned(), rule);
        line.insert("mode".to_owned(), self.mode.keyword().into());
        line.extend(counts(&self.counts));
        Value::Object(line)
    }

    fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        let name = match (&self.place, self.index) {
            (Some(place), _) => {
                let (number, line) = (place.index + 1, place.line + 1);
                format!("rule {number} ({}:{line})", visible(place.path.as_str()))
            }
            (None, Some(_)) => "by default".to_owned(),
            // The last rule decides everything that is left; what else would be said of no call?
            (None, None) if self.counts.calls == 0 => return Ok(()),
            (None, None) => "no rule".to_owned(),
        };
        let mode = self.mode.keyword();
        let other: Vec<String> = self
            .modes
            .iter()
            .filter(|(other, _)| *other != self.mode)
            .map(|(other, number)| format!("; {number} of them {}", other.keyword()))
            .collect();
        writeln!(
            output,
            "  {name} {mode}: {}{}",
            words(&self.counts),
            other.concat()
        )
    }
}

fn counts(counts: &Counts) -> Map<String, Value> {
    let said = counts.answers.iter();
    let said = said.map(|(answer, number)| (answer.key().to_owned(), (*number).into()));
    let mut entries = Map::new();
    entries.insert("calls".to_owned(), counts.calls.into());
    entries.insert("last".to_owned(), json!(counts.last));
    entries.insert("answers".to_owned(), Value::Object(said.collect()));
    entries
}

/// "37 calls, last 2026-11-20; 30 allowed by the policy, 7 allowed by a person".
fn words(counts: &Counts) -> String {
    let Some(last) = counts.last else {
        return "no call".to_owned();
    };
    let said: Vec<String> = Answer::ALL
        .into_iter()
        .filter_map(|answer| Some((answer, counts.answers.get(&answer)?)))
        .map(|(answer, number)| format!("{number} {}", answer.words()))
        .collect();
    format!(
        "{}, last {}; {}",
        count(counts.calls, CALLS),
        day(last),
        said.join(", ")
    )
}

fn day(moment: Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}

fn count(number: usize, (one, many): (&str, &str)) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
