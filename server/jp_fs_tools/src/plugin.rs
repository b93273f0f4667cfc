//! What `jp` is told, which takes every `jp-NAME` on `PATH` for a subcommand of its own (RFD 072).
//!
//! ```json
//! {"type": "describe"}
//! {"type": "describe", "name": "fs-tools", "version": "0.1.0", "description": "…", "command": ["fs-tools"]}
//! ```
//!
//! There is nothing to run by hand, and `jp` waits for an answer: it gets one.

use serde_json::{Value, json};

const REASON: &str = "`jp-fs-tools` is the command of tools and runs nothing by hand: `jp-fs-tools definitions .jp/mcp/tools` writes the definitions of its tools";

/// The answer to the first line of a host of plugins; none for any other line, such as one of an invocation.
#[must_use]
pub fn answer(line: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let answer = match message.get("type")?.as_str()? {
        "describe" => json!({
            "type": "describe",
            "name": "fs-tools",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The command of the bundled file tools; nothing to run by hand",
            "command": ["fs-tools"],
            "help": REASON,
            "repository": env!("CARGO_PKG_REPOSITORY"),
        }),
        "init" => json!({ "type": "exit", "code": 2, "reason": REASON }),
        _ => return None,
    };
    Some(format!("{answer}\n"))
}
