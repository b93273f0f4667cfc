//! What the config decides about one call, one access or one value, and why.
//!
//! ```json
//! {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":7},"values":["src/lib.rs"],
//!  "trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/lib.rs\"` at `/path` does not satisfy `prefix`"},
//!           {"index":1,"verdict":"matched","reason":"`\"src/lib.rs\"` at `/path` satisfies `prefix`"}]}
//! ```
//!
//! The decisions are those of [`jp_policy`] and [`jp_tool`], which the runtime obeys too; this module finds the rules in a view and says
//! where they stand.
//! In JSON a `line` counts from 1 and an `index` from 0; [`words`] says the same to people, who count both from 1.

mod access;
mod config;
mod config_path;
mod effective;
mod error;
mod insertion;
mod policy;
mod resolver;
mod rule_place;
mod tool;
pub mod words;

pub use self::{
    access::AccessExplainer,
    config::{ConfigValue, SettingLayer, config, source_name},
    effective::effective,
    error::ExplainError,
    insertion::{NewRule, insert_run_rule, run_rules_in},
    policy::{PolicyExplainer, PolicyOrigin, PolicyQuestion, ToolPolicy},
    resolver::PathResolver,
    rule_place::RulePlace,
    tool::view_of_tool,
};
pub(crate) use self::{
    access::{config_capability, declared as declared_access, fs_capability},
    config::{dotted, value_at},
    policy::usable,
    tool::tool_context,
};
pub use crate::place::{line_of, shown_path};

#[cfg(test)]
#[path = "explain_tests.rs"]
pub(crate) mod tests;
