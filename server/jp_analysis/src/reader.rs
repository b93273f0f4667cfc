//! Tools that change no file, whatever their grants say.
//!
//! ```toml
//! [conversation.tools.fs_read_file]
//! source = "local"
//! command = "jp-fs-tools"
//! ```

use jp_config::view::View;

use crate::{options::Options, rules::is_bundled_reader, tool::ToolContext};

/// Whether a tool is one of the bundled ones that only read.
#[must_use]
pub fn reads_only(view: &View, tool: &str) -> bool {
    let context = ToolContext::of(view, tool, Options::default());
    context.is_some_and(|context| is_bundled_reader(&context))
}
