use jp_tool::{Context, Tool};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::test_support::Workspace;

#[test]
fn serves_the_tools_it_names_and_no_other() {
    let workspace = Workspace::new(&[]);
    assert_eq!(
        workspace.run("fs_format_disk", json!({})),
        "error: Unknown tool 'fs_format_disk'. Use one of: fs_create_file, fs_delete_file, fs_grep_files, \
         fs_list_files, fs_modify_file, fs_move_file, fs_read_file."
    );
    for name in definitions::NAMES {
        let outcome = workspace.run(name, json!({"no_such_argument": 1}));
        assert!(
            outcome.starts_with("error: Invalid arguments: unknown field `no_such_argument`"),
            "{name}: {outcome}"
        );
    }
}

#[test]
fn shows_calls_on_one_line_without_touching_anything() {
    // A formatter of these tools needs no workspace at all.
    let invocation = Invocation {
        tool: Tool {
            name: "fs_read_file".to_owned(),
            arguments: json!({"path": "a b", "start_line": 3})
                .as_object()
                .cloned()
                .unwrap(),
            ..Tool::default()
        },
        context: Context::new("/nowhere", Action::FormatArguments),
    };
    assert_eq!(
        run(&invocation),
        Outcome::success("fs_read_file(path: \"a b\", start_line: 3)")
    );
}

#[test]
fn tells_refusals_from_mistakes() {
    assert!(Error::NotFound.is_transient());
    assert!(Error::Invalid("x".to_owned()).is_transient());
    assert!(!Error::Refused("x".to_owned()).is_transient());
    assert!(!Error::PathEscapes.is_transient());
}
