//! A tool that goes into a file of its own.

use jp_config::merge::Located;
use pretty_assertions::assert_eq;

use super::*;
use crate::actions::NewFile;

const TITLE: &str = "Move the tool to";

/// The actions at the `$0` of a workspace.
fn asked(fixture: &str) -> (MemoryFiles, FileId, Vec<Action>) {
    let marked = MemoryFiles::from_fixture(fixture);
    let mut files = MemoryFiles::default();
    let mut cursor = None;
    for path in marked.paths() {
        let text = marked.text(path).unwrap();
        files.insert(path, &text.replacen("$0", "", 1));
        let offset = text.find("$0").map(|offset| (path.to_owned(), offset));
        cursor = cursor.or(offset);
    }
    let (path, offset) = cursor.expect("a cursor");
    let analysis = analyse(&files);
    let file = analysis.graph().file_at(&path).unwrap();
    (files, file, ask(&analysis, file, offset))
}

/// What a workspace says, and what is wrong with it.
fn meaning(files: &MemoryFiles) -> (Option<serde_json::Value>, Vec<Code>) {
    let analysis = analyse(files);
    let view = View::new(analysis.graph().clone());
    let tools = view.effective(&["conversation", "tools"]);
    let codes = analysis.all_diagnostics();
    let codes = codes.flat_map(|(_, found)| found.iter().map(|it| it.code).collect::<Vec<_>>());
    (tools.as_ref().map(Located::to_json), codes.collect())
}

/// Compares the file and the new one, and holds that the workspace says what it said.
#[track_caller]
fn check_moved(fixture: &str, expected: &Expect) {
    let (mut files, file, found) = asked(fixture);
    let before = meaning(&files);
    let action = found.iter().find(|action| action.title.starts_with(TITLE));
    let action = action.unwrap_or_else(|| panic!("no `{TITLE}` in {found:#?}"));
    let path = analyse(&files).graph().path(file).to_owned();
    let text = applied(files.text(&path).unwrap(), action);
    let NewFile {
        path: new,
        text: own,
    } = action.creates.clone().unwrap();
    expected.assert_eq(&format!("{}\n{text}---- {new}\n{own}", action.title));
    assert_eq!(files.text(&new), None);
    files.insert(path, &text);
    files.insert(new, &own);
    assert_eq!(meaning(&files), before);
}

#[track_caller]
fn is_not_offered(fixture: &str) {
    let (_, _, found) = asked(fixture);
    let action = found.iter().find(|action| action.title.starts_with(TITLE));
    assert_eq!(action, None);
}

const TOOL: &str = "# Looks for text.
[conversation.tools.gr$0ep] # it is fast
source = \"local\"
command = \"grep {{tool.arguments.text}}\"

# What to look for.
[conversation.tools.grep.parameters.text]
type = \"string\"
required = true

[[conversation.tools.grep.access.fs]]
path = \"src\"
read = true
";

#[test]
fn a_tool_goes_with_its_comments_and_is_named() {
    let other = "\n# Another.\n[conversation.tools.ls]\nsource = \"local\"\ncommand = \"ls\"\n";
    check_moved(
        &format!("//- /w/.jp/config.toml\n#:schema x.json\n\n[style]\n\n{TOOL}{other}"),
        &expect![[r#"
            Move the tool to `.jp/tools/grep.toml`
            #:schema x.json

            extends = ["tools/grep.toml"]

            [style]

            # Another.
            [conversation.tools.ls]
            source = "local"
            command = "ls"
            ---- /w/.jp/tools/grep.toml
            # Looks for text.
            [conversation.tools.grep] # it is fast
            source = "local"
            command = "grep {{tool.arguments.text}}"

            # What to look for.
            [conversation.tools.grep.parameters.text]
            type = "string"
            required = true

            [[conversation.tools.grep.access.fs]]
            path = "src"
            read = true
        "#]],
    );
    check_moved(
        &format!("//- /w/.jp/config.toml\n{TOOL}"),
        &expect![[r#"
        Move the tool to `.jp/tools/grep.toml`
        extends = ["tools/grep.toml"]

        ---- /w/.jp/tools/grep.toml
        # Looks for text.
        [conversation.tools.grep] # it is fast
        source = "local"
        command = "grep {{tool.arguments.text}}"

        # What to look for.
        [conversation.tools.grep.parameters.text]
        type = "string"
        required = true

        [[conversation.tools.grep.access.fs]]
        path = "src"
        read = true
    "#]],
    );
    check_moved(
        &format!("//- /w/.jp.toml\nextends = [\n  \"a.toml\", # base\n]\n{TOOL}//- /w/a.toml\n"),
        &expect![[r#"
            Move the tool to `.jp/tools/grep.toml`
            extends = [
              "a.toml", # base
              ".jp/tools/grep.toml",
            ]
            ---- /w/.jp/tools/grep.toml
            # Looks for text.
            [conversation.tools.grep] # it is fast
            source = "local"
            command = "grep {{tool.arguments.text}}"

            # What to look for.
            [conversation.tools.grep.parameters.text]
            type = "string"
            required = true

            [[conversation.tools.grep.access.fs]]
            path = "src"
            read = true
        "#]],
    );
}

#[test]
fn a_glob_that_covers_it_names_it() {
    check_moved(
        &format!(
            "//- /w/.jp/config.toml\nextends = [\"b.toml\", \"mcp/**/*.toml\"]\n{TOOL}//- /w/.jp/b.toml\n//- /w/.jp/mcp/ls.toml\n\
             [conversation.tools.ls]\nsource = \"local\"\ncommand = \"ls\"\n"
        ),
        &expect![[r#"
            Move the tool to `.jp/mcp/grep.toml`
            extends = ["b.toml", "mcp/**/*.toml"]
            ---- /w/.jp/mcp/grep.toml
            # Looks for text.
            [conversation.tools.grep] # it is fast
            source = "local"
            command = "grep {{tool.arguments.text}}"

            # What to look for.
            [conversation.tools.grep.parameters.text]
            type = "string"
            required = true

            [[conversation.tools.grep.access.fs]]
            path = "src"
            read = true
        "#]],
    );
}

#[test]
fn a_move_that_would_mean_something_else_is_not_offered() {
    // Another file that the config builds on says something of the tool, and a glob may put the new one below it.
    is_not_offered(&format!(
        "//- /w/.jp/config.toml\nextends = [\"a/*.toml\"]\n{TOOL}//- /w/.jp/a/z.toml\nconversation.tools.grep.command = \"rg\"\n"
    ));
    // A part of the tool stands elsewhere in the file.
    is_not_offered(&format!(
        "//- /w/.jp/config.toml\nconversation.tools.grep.enable = false\n{TOOL}"
    ));
    // There is a file of that name.
    is_not_offered(&format!(
        "//- /w/.jp/config.toml\nextends = [\"tools/*.toml\"]\n{TOOL}//- /w/.jp/tools/grep.toml\n"
    ));
    // The glob of another file would bring it in twice.
    is_not_offered(&format!(
        "//- /w/.jp/config.toml\n{TOOL}//- /w/.jp.toml\nextends = [\".jp/**/*.toml\"]\n"
    ));
    // The text is broken.
    is_not_offered(&format!("//- /w/.jp/config.toml\n{TOOL}delete = \n"));
    for name in ["'*'", "\"a/b\"", "\"..\"", "\"a b\""] {
        is_not_offered(&format!(
            "//- /w/.jp/config.toml\n[conversation.tools.$0{name}]\nenable = true\n"
        ));
    }
}
