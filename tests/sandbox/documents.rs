//! `docs/SANDBOX.md` says what the code does.

use jp_sandbox::{
    DEVICES, HOME_FOLDERS, LIMITS, LIMITS_BY_PATHS, Limit, NAME_SERVICES, SERVICES, SYSTEM_FILES,
    SYSTEM_FOLDERS,
};
use pretty_assertions::assert_eq;

use crate::{confined, desk::Desk};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SANDBOX.md");
    std::fs::read_to_string(path).unwrap()
}

/// The paths in code at the start of the items behind a line.
fn items(page: &str, line: &str) -> Vec<String> {
    let (_, rest) = page.split_once(&format!("\n{line}\n\n")).unwrap();
    let list = rest.lines().take_while(|line| line.starts_with("- "));
    list.filter_map(|line| line.strip_prefix("- `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_is_open_beyond_the_grants_is_documented() {
    let page = page();
    assert_eq!(items(&page, "Read and run:"), SYSTEM_FOLDERS);
    let home = HOME_FOLDERS.map(|folder| format!("~/{folder}"));
    assert_eq!(items(&page, "Read and run, in the home:"), home);
    assert_eq!(items(&page, "Read:"), SYSTEM_FILES);
    assert_eq!(items(&page, "Read and write:"), DEVICES);
    let closed = "A tool with `access.fs`, and one whose network is closed, reaches none of them by the name that it was given: with namespaces, each file that somebody listens at is covered when the tool starts, as is every other socket in its folder, and so are these files and folders with whatever is made in them later:";
    assert_eq!(items(&page, closed), SERVICES);
    let open = "Where the network is open, so are the services that look up users and hosts:";
    assert_eq!(items(&page, open), NAME_SERVICES);
}

#[test]
fn what_is_held_of_no_tool_is_documented() {
    let page = page();
    let tables: [(&str, &[Limit]); 2] = [
        ("what stays possible", &LIMITS),
        ("what stays possible on a Mac", &LIMITS_BY_PATHS),
    ];
    for (head, limits) in tables {
        let head = format!("\n| {head} | why |\n|---|---|\n");
        let (_, table) = page.split_once(&head).unwrap();
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let known = limits
            .iter()
            .map(|limit| format!("| {} | {} |", limit.what, limit.why));
        assert_eq!(rows.collect::<Vec<_>>(), known.collect::<Vec<_>>());
    }
}

/// The state that `explain sandbox` gives the first grant of a tool, and the one of protected files.
fn explained(grants: &str, without: &str) -> (String, String) {
    let desk = Desk::new(&format!("command = \"true\"\n{grants}"));
    let mut command = desk.command(&["explain", "sandbox", "--tool", "t", "--format", "json"]);
    let output = command
        .env("JP_LSP_SANDBOX_WITHOUT", without)
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |pointer: &str| {
        let value = answer.pointer(pointer).and_then(serde_json::Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    (text("/grants/0/state"), text("/protected/state"))
}

#[test]
fn the_table_of_what_holds_what_is_what_is_explained() {
    let page = page();
    let (_, table) = page
        .split_once(
            "\n| what | Landlock and namespaces | Landlock alone | neither |\n|---|---|---|---|\n",
        )
        .unwrap();
    let cells = |row: &str| -> Vec<String> {
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("| {row} |")));
        let cells = line.unwrap().split(" | ").skip(1);
        cells
            .map(|cell| cell.trim_end_matches(" |").to_owned())
            .collect()
    };
    let found = confined::mechanisms();
    let columns = [
        ("", found.hold_mounts()),
        ("namespaces", found.hold_ports()),
        ("landlock", true),
    ];
    for (row, grants) in [
        (
            "`access.fs`",
            "access.fs = [{ path = \".jp\", read = true }]",
        ),
        (
            "`access.net` that opens nothing",
            "access.net = [{ host = \"a.example\", allow = false }]",
        ),
        (
            "`access.net` that opens hosts",
            "access.net = [{ host = \"a.example\", allow = true }]",
        ),
        (
            "`access.env`",
            "access.env = [{ name = \"A\", read = true }]",
        ),
        ("protected files, of a tool without `access.fs`", ""),
    ] {
        for (cell, (without, is_here)) in cells(row).iter().zip(columns) {
            let (grant, protected) = explained(grants, without);
            let state = if grants.is_empty() { protected } else { grant };
            // A machine that lacks the mechanism says what stands in the last column.
            let last = cells(row).pop().unwrap();
            let said = if is_here { cell } else { &last };
            let said = said
                .rsplit([':', ';'])
                .find(|part| part.contains("held"))
                .unwrap()
                .trim();
            assert_eq!(state, said, "{row} without `{without}`");
        }
    }
}

#[test]
fn a_refusal_names_the_grant() {
    let found = confined::mechanisms();
    let desk = Desk::new(
        "command = { program = \"sh\", args = [\"-c\", \"echo x > docs/a.md\"] }\n\
         access.fs = [{ path = \"src\", read = true }]",
    );
    desk.write("w/docs/b.md", "");
    let told: Result<serde_json::Value, _> = serde_json::from_str(&desk.call(&[]));
    if !found.hold_files() {
        assert!(told.is_err(), "nothing holds it, so that it does its work");
        return;
    }
    let told = told.unwrap();
    assert_eq!(
        told["missing"],
        serde_json::json!([{
            "access": "fs",
            "capability": "create",
            "path": "docs/a.md",
            "rule": { "path": "docs/a.md", "create": true },
        }])
    );
    assert_eq!(
        told["refused"],
        serde_json::json!([
            "`create` on `docs/a.md` is not granted; this rule in `conversation.tools.t.access.fs` would grant it: \
             `{ path = \"docs/a.md\", create = true }`"
        ])
    );
}
