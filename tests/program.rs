//! The binary under test.

use std::{env, path::PathBuf};

/// The `jp-lsp` that is built here, or the one that `JP_LSP_BIN` names.
pub(crate) fn program() -> PathBuf {
    env::var_os("JP_LSP_BIN").map_or_else(|| env!("CARGO_BIN_EXE_jp-lsp").into(), PathBuf::from)
}
