//! The `jp-lsp` binary.

fn main() {}
