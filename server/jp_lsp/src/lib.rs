//! The jp-lsp binary: language server on stdio and command line.
