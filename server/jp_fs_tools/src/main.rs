//! The `jp-fs-tools` binary.

fn main() {}
