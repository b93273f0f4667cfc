//! The bundled file-system tools as one binary.
//!
//! ```toml
//! [conversation.tools.fs_read_file]
//! source = "local"
//! command = "jp-fs-tools {{context}} {{tool}}"
//! ```
//!
//! | tool | needs |
//! |---|---|
//! | `fs_read_file` | `read` on the file |
//! | `fs_list_files` | `read` on every file that is listed |
//! | `fs_grep_files` | `read` on every file that is searched |
//! | `fs_create_file` | `create`, or `update` if the file exists |
//! | `fs_modify_file` | `update` on every file |
//! | `fs_delete_file` | `delete` |
//! | `fs_move_file` | `delete` on the source; `create`, or `update` if it exists, on the target, and `delete` if that is a link |
//!
//! That is the table of RFD 076; a directory moves only if no rule inside it says otherwise.
//! Config and hooks, such as `.jp` and `.git`, change only under a rule of their own, see [`jp_tool::protected_place`].
//! All input and output goes through a directory handle on the workspace root, see [`Tree`].
//!
//! ```
//! let config = jp_fs_tools::definitions::document();
//! assert!(config.contains("[conversation.tools.fs_read_file]"));
//! ```

mod access;
pub mod definitions;
mod diff;
mod dirty;
mod error;
pub mod invocation;
mod listing;
pub mod plugin;
mod reply;
mod suppress;
mod text;
mod tree;

mod create_file;
mod delete_file;
mod grep_files;
mod list_files;
mod modify_file;
mod move_file;
mod read_file;

#[cfg(test)]
mod test_support;

use jp_tool::{Action, Context, Invocation, Outcome, Tool};

use self::{access::OpenWorkspace, reply::Reply};
pub use self::{
    error::Error,
    tree::{Entry, EntryKind, Original, Tree},
};

/// Carries out one invocation.
///
/// Whatever happens is an outcome; there is no other way to fail.
#[must_use]
pub fn run(invocation: &Invocation) -> Outcome {
    outcome(dispatch(&invocation.context, &invocation.tool))
}

/// The outcome that reports an error.
#[must_use]
pub fn failure(error: &Error) -> Outcome {
    Outcome::Error {
        message: error.to_string(),
        trace: Vec::new(),
        transient: error.is_transient(),
    }
}

fn outcome(result: Result<Reply, Error>) -> Outcome {
    match result {
        Ok(reply) => reply.into_outcome(),
        Err(error) => failure(&error),
    }
}

fn dispatch(context: &Context, tool: &Tool) -> Result<Reply, Error> {
    let name = tool.name.as_str();
    if !definitions::NAMES.contains(&name) {
        return Err(Error::UnknownTool(tool.name.clone()));
    }
    match (context.action, name) {
        (Action::FormatArguments, "fs_create_file") => create_file::format(tool),
        (Action::FormatArguments, "fs_modify_file") => {
            modify_file::format(&OpenWorkspace::open(context)?, tool)
        }
        (Action::FormatArguments, _) => Ok(Reply::Done(one_line_call(tool))),
        (Action::Run, name) => {
            let workspace = OpenWorkspace::open(context)?;
            match name {
                "fs_create_file" => create_file::run(&workspace, tool),
                "fs_delete_file" => delete_file::run(&workspace, tool),
                "fs_grep_files" => grep_files::run(&workspace, tool),
                "fs_list_files" => list_files::run(&workspace, tool),
                "fs_modify_file" => modify_file::run(&workspace, tool),
                "fs_move_file" => move_file::run(&workspace, tool),
                "fs_read_file" => read_file::run(&workspace, tool),
                _ => Err(Error::UnknownTool(name.to_owned())),
            }
        }
    }
}

/// The call as a line of code: `fs_read_file(path: "a.txt", start_line: 3)`.
fn one_line_call(tool: &Tool) -> String {
    let arguments: Vec<_> = tool
        .arguments
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    text::visible_line(&format!("{}({})", tool.name, arguments.join(", ")))
}

#[cfg(test)]
#[cfg(unix)]
#[path = "protected_tests.rs"]
mod protected_tests;

#[cfg(test)]
#[path = "lib_tests.rs"]
mod tests;
