//! Text in, facts out: diagnostics, completion, hover, fixes, symbols.
