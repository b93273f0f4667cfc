//! Argument-conditional tool policy (RFD D25): compile rules, evaluate calls, tell which rules can never decide.
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [
//!     { arg = "/path", prefix = "src/sensitive/", mode = "ask" },
//!     { arg = "/path", prefix = "src/", mode = "unattended" },
//!     { mode = "ask" },
//! ]
//! ```
//!
//! Each path of a call is decided on its own, and the strictest decision counts, so the rules above say nothing of `patterns[].paths`.
//! Everything here is a pure function of rules, parameters and arguments.
//! The analysis of a configuration and the runtime that obeys it use the same functions.
//!
//! ```
//! use jp_policy::{Parameter, ParameterType, Parameters, RunMode, compile, rules_from_config};
//! use serde_json::json;
//!
//! let rules = rules_from_config(&json!([
//!     { "arg": "/path", "prefix": "src", "mode": "unattended" },
//!     { "mode": "ask" },
//! ]))
//! .unwrap();
//! let parameters = Parameters::new([("path", Parameter::of(ParameterType::Path))]);
//! let (policy, problems) = compile(&rules, &parameters);
//! assert!(problems.is_empty());
//! assert_eq!(policy.decide(&json!({ "path": "src/a.rs" })), (RunMode::Unattended, Some(0)));
//! assert_eq!(policy.decide(&json!({ "path": "src-old/a.rs" })), (RunMode::Ask, Some(1)));
//! ```

mod argument;
mod boundary;
mod cells;
mod compare;
mod config;
mod cover;
mod coverage;
mod each_path;
mod evaluation;
mod exact_number;
mod group;
mod index;
mod matcher;
mod mode;
mod parameter;
mod path_evaluation;
mod path_form;
mod path_values;
mod pattern;
pub mod pointer;
mod policy;
mod prepare;
mod problem;
mod reach;
mod search_tree;
mod unattended_calls;
mod witness;

pub use argument::{PointerTarget, target};
pub use boundary::{BoundaryCalls, SingleEdit, boundary_calls, single_edits};
pub use compare::{
    ChangeVerdict, Direction, PolicyChange, PolicyComparison, Undecided, UndecidedReason, compare,
    lexical_path,
};
pub use config::{RuleConfigError, rules_but_unreadable, rules_from_config};
pub use coverage::{CoverageFinding, NeverMatchesReason, coverage, coverage_of};
pub use evaluation::{Evaluation, Reason, RuleTrace, Verdict};
pub use matcher::MatcherKind;
pub use mode::{Mode, ResultMode, RunMode};
pub use parameter::{Parameter, ParameterType, Parameters};
pub use path_evaluation::{
    CanonicalPath, DecidedPath, PathDecision, PathEvaluation, PathForm, decide_mode, decide_paths,
    evaluate_paths,
};
pub use path_form::normalize_path;
pub use pattern::{Pattern, PatternError, PatternErrorKind, PatternWarning};
pub use policy::{Policy, RawRule, UnresolvedArg, compile, compile_with};
pub use prepare::{ArgumentProblem, ArgumentsError, prepare};
pub use problem::{ExpectedValue, PointerSyntax, RuleProblem, RuleProblemKind, Unresolved};
pub use unattended_calls::UnattendedCalls;
pub use witness::{witness, witnesses};
