//! Recorded tool calls, read and judged again, never run.
//!
//! ```text
//! jp-lsp's conversations --.
//! jp's, user data ---------+-> History: each call once -> tally: what the rules of today decide about them
//! jp's, workspace --------'                            -> replay: the same after every edit of a rule, by those that it concerns
//!                                                      -> suggest: rules that are proven on them
//! ```
//!
//! Nothing here runs a tool, and nothing is written.
//! What a call would come to is decided by [`jp_policy`], on the arguments that are on record.
//!
//! ```
//! use jp_history::{History, Limits, Source};
//!
//! let nowhere = Source::own("/nowhere");
//! let history = History::read(&[nowhere], Limits::default());
//! assert_eq!(history.calls().count(), 0);
//! ```

mod answer;
mod call;
mod events;
#[cfg(test)]
mod fixture;
mod history;
mod intern;
mod replay;
mod source;
mod suggest;
mod tally;

pub use answer::Answer;
pub use call::Call;
pub use history::{History, Limits};
pub use replay::{ByRule, ChangedCalls, Figures, Judgement, Replay, RuleFigures};
pub use source::{Keeper, LeftOut, Source, SourceReport};
pub use suggest::{
    Reason, Subject, Suggestion, Suggestions, Withheld, in_toml, suggest, toml_entries,
};
pub use tally::{Counts, Tally, TallyLine, tally};
