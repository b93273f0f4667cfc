//! Tools that are switched on and off for one query (RFD 081).
//!
//! ```text
//! $ jp-lsp query -T -t=grep "Find it."      # no tools but `grep`
//! ```
//!
//! Toggles apply from left to right, each as far as `enable.allow_toggle` of the tool lets it.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use indexmap::IndexMap;
use jp_agent::{AgentError, config::TurnConfig};
use jp_config::enable::AllowToggle;
use serde_json::{Map, Value, json};

/// The toggles of a query, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolToggles {
    toggles: Vec<Toggle>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Toggle {
    on: bool,
    /// The tool; all tools when there is none.
    tool: Option<String>,
}

/// The options, and whether they switch on.
const OPTIONS: [(&str, char, bool, &str); 2] = [
    (
        "tool",
        't',
        true,
        "Switch a tool on, as in `--tool=grep`; all tools without a name",
    ),
    (
        "no-tool",
        'T',
        false,
        "Switch a tool off, as in `--no-tool=grep`; all tools without a name",
    ),
];

impl Args for ToolToggles {
    fn augment_args(command: Command) -> Command {
        OPTIONS.into_iter().fold(command, |command, option| {
            let (name, short, _, help) = option;
            command.arg(
                Arg::new(name)
                    .long(name)
                    .short(short)
                    .value_name("NAME")
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("")
                    .action(ArgAction::Append)
                    .help(help),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ToolToggles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for (name, _, on, _) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<String>(name).into_iter().flatten();
            found.extend(places.zip(values).map(|(place, tool)| {
                let tool = Some(tool.clone()).filter(|tool| !tool.is_empty());
                (place, Toggle { on, tool })
            }));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(Self {
            toggles: found.into_iter().map(|(_, toggle)| toggle).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ToolToggles {
    /// All tools off that can be switched.
    #[must_use]
    pub fn all_off() -> Self {
        let toggles = vec![Toggle {
            on: false,
            tool: None,
        }];
        Self { toggles }
    }

    /// The effective config with the tools switched.
    ///
    /// # Errors
    ///
    /// When a tool that is named does not exist or cannot be switched.
    pub(super) fn apply(
        &self,
        mut effective: Value,
        builtins: &IndexMap<String, Value>,
    ) -> Result<Value, AgentError> {
        if self.toggles.is_empty() {
            return Ok(effective);
        }
        let resolved = TurnConfig::resolve(&effective, builtins)?;
        let mut states: IndexMap<&str, bool> = IndexMap::new();
        for Toggle { on, tool } in &self.toggles {
            let Some(name) = tool else {
                for (name, tool) in &resolved.tools {
                    if tool.allow_toggle == AllowToggle::Any {
                        states.insert(name, *on);
                    }
                }
                continue;
            };
            let refused = |problem: String| AgentError::Config {
                path: if *on { "--tool" } else { "--no-tool" }.to_owned(),
                problem,
            };
            let Some((name, tool)) = resolved.tools.get_key_value(name.as_str()) else {
                let names: Vec<String> =
                    resolved.tools.keys().map(|it| format!("`{it}`")).collect();
                let names = names.join(", ");
                return Err(refused(format!(
                    "`{name}` is no tool, write one of {names}"
                )));
            };
            let is_on = states
                .get(name.as_str())
                .copied()
                .unwrap_or(tool.is_enabled);
            if is_on != *on && tool.allow_toggle == AllowToggle::Never {
                return Err(refused(if *on {
                    format!("cannot enable `{name}`: this tool is configured as locked-off")
                } else {
                    format!("cannot disable `{name}`: this tool is configured as locked-on")
                }));
            }
            states.insert(name, *on);
        }
        for (name, on) in states {
            switch(&mut effective, name, on);
        }
        Ok(effective)
    }
}

/// Writes `conversation.tools.<name>.enable.state`; `allow_toggle` stays as it is.
fn switch(effective: &mut Value, name: &str, on: bool) {
    let mut place = effective;
    for key in ["conversation", "tools", name, "enable"] {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Some(entries) = place.as_object_mut() else {
            return;
        };
        place = entries.entry(key).or_insert(Value::Null);
    }
    match place.as_object_mut() {
        Some(enable) => {
            enable.insert("state".to_owned(), on.into());
        }
        None => *place = json!({ "state": on }),
    }
}

#[cfg(test)]
#[path = "tool_toggles_tests.rs"]
mod tests;
