//! The tools that are part of the program.

use jp_agent::{ASK_USER, AskUser, Builtins, DescribeTools};

/// The tools that every workspace has, whatever its config says of them.
pub(super) fn builtins() -> Builtins {
    Builtins::default()
        .with("describe_tools", DescribeTools)
        .with(ASK_USER, AskUser)
}
