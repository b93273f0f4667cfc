//! Starts `jp-lsp` in Zed: the one on `PATH`, or the one that the settings name.
//!
//! ```json
//! { "lsp": { "jp-lsp": { "binary": { "path": "/opt/jp-lsp" }, "initialization_options": { "trusted": false } } } }
//! ```

use zed_extension_api::{
    self as zed, serde_json::Value, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

/// The name of the server, of its program, and of its settings.
const NAME: &str = "jp-lsp";

struct Extension;

impl zed::Extension for Extension {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(NAME, worktree)?.binary;
        let (path, arguments) = binary.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path.or_else(|| worktree.which(NAME)).ok_or_else(|| {
            format!("`{NAME}` is not on PATH: install it, or name it in the settings under `lsp.{NAME}.binary.path`")
        })?;
        Ok(Command {
            command,
            args: arguments.unwrap_or_default(),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(NAME, worktree)?.initialization_options)
    }
}

zed::register_extension!(Extension);
