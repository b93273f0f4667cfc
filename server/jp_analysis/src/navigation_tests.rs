use std::fmt::Write as _;

use camino::Utf8PathBuf;
use expect_test::{Expect, expect};
use jp_config::{graph::Roots, memory::MemoryFiles};

use super::*;

/// A graph, and the marked file and offset.
struct Marked {
    graph: Arc<Graph>,
    files: MemoryFiles,
    file: FileId,
    offset: usize,
}

impl Marked {
    fn new(fixture: &str) -> Self {
        let mut files = MemoryFiles::from_fixture(fixture.trim_start());
        let path: Utf8PathBuf = files
            .paths()
            .find(|path| files.text(path).is_some_and(|text| text.contains("$0")))
            .expect("a marker")
            .to_owned();
        let text = files.text(&path).unwrap_or_default().to_owned();
        files.insert(path.clone(), &text.replacen("$0", "", 1));
        let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
        Self {
            file: graph.file_at(&path).expect("a file of the graph"),
            offset: text.find("$0").unwrap_or_default(),
            graph,
            files,
        }
    }

    fn document(&self) -> &Document {
        let content = self.graph.content(self.file);
        content
            .and_then(|content| content.document())
            .expect("TOML")
    }

    fn show(&self, places: &[Place]) -> String {
        let mut shown = String::new();
        for place in places {
            let path = self.graph.path(place.file);
            let line = crate::explain::line_of(&self.graph, *place);
            let text = self.files.text(path).unwrap_or_default();
            let text = text.get(place.span.range()).expect("a valid span");
            writeln!(shown, "{path}:{}: {text}", line + 1).expect("a string takes all");
        }
        shown
    }
}

fn check_rename(fixture: &str, to: &str, expect: &Expect) {
    let marked = Marked::new(fixture);
    let shown = match rename(&marked.graph, marked.document(), marked.offset, to) {
        Err(error) => format!("error: {error}\n"),
        Ok(edits) => {
            let mut shown = String::new();
            for path in marked.files.paths() {
                let mut text = marked.files.text(path).unwrap_or_default().to_owned();
                let edits: Vec<_> = edits
                    .iter()
                    .filter(|edit| marked.graph.path(edit.place.file) == path)
                    .collect();
                for edit in edits.iter().rev() {
                    text.replace_range(edit.place.span.range(), &edit.text);
                }
                write!(shown, "//- {path}\n{text}").expect("a string takes all");
            }
            shown
        }
    };
    expect.assert_eq(&shown);
}

const WORKSPACE: &str = r#"
//- /w/.jp/config.toml
extends = ["tools/*.toml"]
[assistant]
tool_choice = "edit"
[conversation.tools.'*'.policy]
run = [{ arg = "/path", prefix = "src", mode = "ask" }]
[conversation.tools.edit.policy]
run = [{ arg = "/pa$0th", prefix = "path", mode = "ask" }, { arg = '/path', const = "/path", mode = "ask" }]
result = [{ arg = "/list/path", const = "a", mode = "ask" }]
[conversation.tools.edit]
questions.sure.answer = true
[conversation.tools.other]
source = "mcp.git.path"
policy.run = [{ arg = "/path", const = "a", mode = "ask" }]
[providers.mcp.git]
type = "stdio"
[[conversation.tools.edit.access.config]]
path = "conversation.tools.edit.parameters.path.summary"
write = true
//- /w/.jp/tools/edit.toml
[conversation.tools.edit]
source = "local"
[conversation.tools.edit.parameters.path]
type = "path"
[conversation.tools.edit.parameters]
list = { type = "array", items = { type = "object", properties.path = { type = "path" } } }
"#;

#[test]
fn a_parameter_is_renamed_in_its_table_and_in_every_pointer_to_it() {
    check_rename(
        WORKSPACE,
        "fi/le",
        &expect![[r#"
            //- /w/.jp/config.toml
            extends = ["tools/*.toml"]
            [assistant]
            tool_choice = "edit"
            [conversation.tools.'*'.policy]
            run = [{ arg = "/path", prefix = "src", mode = "ask" }]
            [conversation.tools.edit.policy]
            run = [{ arg = "/fi~1le", prefix = "path", mode = "ask" }, { arg = '/fi~1le', const = "/path", mode = "ask" }]
            result = [{ arg = "/list/path", const = "a", mode = "ask" }]
            [conversation.tools.edit]
            questions.sure.answer = true
            [conversation.tools.other]
            source = "mcp.git.path"
            policy.run = [{ arg = "/path", const = "a", mode = "ask" }]
            [providers.mcp.git]
            type = "stdio"
            [[conversation.tools.edit.access.config]]
            path = "conversation.tools.edit.parameters.fi/le.summary"
            write = true
            //- /w/.jp/tools/edit.toml
            [conversation.tools.edit]
            source = "local"
            [conversation.tools.edit.parameters."fi/le"]
            type = "path"
            [conversation.tools.edit.parameters]
            list = { type = "array", items = { type = "object", properties.path = { type = "path" } } }
        "#]],
    );
}

#[test]
fn a_nested_parameter_is_another_name() {
    let fixture = WORKSPACE
        .replace("$0", "")
        .replace("/list/path", "/list/pa$0th");
    check_rename(
        &fixture,
        "file",
        &expect![[r#"
        //- /w/.jp/config.toml
        extends = ["tools/*.toml"]
        [assistant]
        tool_choice = "edit"
        [conversation.tools.'*'.policy]
        run = [{ arg = "/path", prefix = "src", mode = "ask" }]
        [conversation.tools.edit.policy]
        run = [{ arg = "/path", prefix = "path", mode = "ask" }, { arg = '/path', const = "/path", mode = "ask" }]
        result = [{ arg = "/list/file", const = "a", mode = "ask" }]
        [conversation.tools.edit]
        questions.sure.answer = true
        [conversation.tools.other]
        source = "mcp.git.path"
        policy.run = [{ arg = "/path", const = "a", mode = "ask" }]
        [providers.mcp.git]
        type = "stdio"
        [[conversation.tools.edit.access.config]]
        path = "conversation.tools.edit.parameters.path.summary"
        write = true
        //- /w/.jp/tools/edit.toml
        [conversation.tools.edit]
        source = "local"
        [conversation.tools.edit.parameters.path]
        type = "path"
        [conversation.tools.edit.parameters]
        list = { type = "array", items = { type = "object", properties.file = { type = "path" } } }
    "#]],
    );
}

#[test]
fn a_tool_is_renamed_in_headers_and_strings() {
    let fixture = WORKSPACE
        .replace("$0", "")
        .replace("tool_choice = \"edit\"", "tool_choice = \"e$0dit\"");
    check_rename(
        &fixture,
        "modify file",
        &expect![[r#"
        //- /w/.jp/config.toml
        extends = ["tools/*.toml"]
        [assistant]
        tool_choice = "modify file"
        [conversation.tools.'*'.policy]
        run = [{ arg = "/path", prefix = "src", mode = "ask" }]
        [conversation.tools."modify file".policy]
        run = [{ arg = "/path", prefix = "path", mode = "ask" }, { arg = '/path', const = "/path", mode = "ask" }]
        result = [{ arg = "/list/path", const = "a", mode = "ask" }]
        [conversation.tools."modify file"]
        questions.sure.answer = true
        [conversation.tools.other]
        source = "mcp.git.path"
        policy.run = [{ arg = "/path", const = "a", mode = "ask" }]
        [providers.mcp.git]
        type = "stdio"
        [[conversation.tools."modify file".access.config]]
        path = "conversation.tools.\"modify file\".parameters.path.summary"
        write = true
        //- /w/.jp/tools/edit.toml
        [conversation.tools."modify file"]
        source = "local"
        [conversation.tools."modify file".parameters.path]
        type = "path"
        [conversation.tools."modify file".parameters]
        list = { type = "array", items = { type = "object", properties.path = { type = "path" } } }
    "#]],
    );
}

#[test]
fn a_server_is_renamed_within_the_source() {
    let fixture = WORKSPACE
        .replace("$0", "")
        .replace("mcp.git.path", "mcp.g$0it.path");
    check_rename(
        &fixture,
        "hub",
        &expect![[r#"
        //- /w/.jp/config.toml
        extends = ["tools/*.toml"]
        [assistant]
        tool_choice = "edit"
        [conversation.tools.'*'.policy]
        run = [{ arg = "/path", prefix = "src", mode = "ask" }]
        [conversation.tools.edit.policy]
        run = [{ arg = "/path", prefix = "path", mode = "ask" }, { arg = '/path', const = "/path", mode = "ask" }]
        result = [{ arg = "/list/path", const = "a", mode = "ask" }]
        [conversation.tools.edit]
        questions.sure.answer = true
        [conversation.tools.other]
        source = "mcp.hub.path"
        policy.run = [{ arg = "/path", const = "a", mode = "ask" }]
        [providers.mcp.hub]
        type = "stdio"
        [[conversation.tools.edit.access.config]]
        path = "conversation.tools.edit.parameters.path.summary"
        write = true
        //- /w/.jp/tools/edit.toml
        [conversation.tools.edit]
        source = "local"
        [conversation.tools.edit.parameters.path]
        type = "path"
        [conversation.tools.edit.parameters]
        list = { type = "array", items = { type = "object", properties.path = { type = "path" } } }
    "#]],
    );
}

#[test]
fn a_server_keeps_its_name_for_a_tool() {
    check_rename(
        "\n//- /w/.jp/config.toml\nextends = [\"b.toml\"]\n[conversation.tools.li$0st]\nsource = 'mcp.git' # there\n[conversation.tools.other]\nsource = \"mcp.git\"\n//- /w/.jp/b.toml\nconversation.tools = { list = { source = \"mcp.git.issues\" } }\n",
        "issues",
        &expect![[r#"
            //- /w/.jp/b.toml
            conversation.tools = { issues = { source = "mcp.git.issues" } }
            //- /w/.jp/config.toml
            extends = ["b.toml"]
            [conversation.tools.issues]
            source = "mcp.git.list" # there
            [conversation.tools.other]
            source = "mcp.git"
        "#]],
    );
}

#[test]
fn a_rename_that_cannot_be_is_refused() {
    check_rename(
        WORKSPACE,
        "list",
        &expect![[r#"
        error: there is already a parameter `list`; choose another name
    "#]],
    );
    check_rename(
        WORKSPACE,
        " ",
        &expect![[r#"
            error: ` ` cannot be the name of this parameter: write at least one character
        "#]],
    );
    check_rename(
        WORKSPACE,
        "it's",
        &expect![[r#"
        error: `it's` cannot stand in a literal string; choose a name without `'`
    "#]],
    );
    check_rename(
        "\n//- /w/.jp/config.toml\n[conversation.tools.e$0dit]\n",
        "auto",
        &expect![[r#"
            error: `auto` cannot be the name of this tool: `tool_choice` would not name the tool any more
        "#]],
    );
    check_rename(
        "\n//- /w/.jp/config.toml\nextends = [\"b.json\"]\n[conversation.tools.e$0dit]\n//- /w/.jp/b.json\n{\"conversation\": {\"tools\": {\"a.b\": {\"access\": {\"config\": [null, {\"path\": \"conversation.tools.edit.run\", \"write\": true}]}}}}}\n",
        "other",
        &expect![[r#"
            error: `.jp/b.json` has the tool `edit` too, and only TOML files can be edited: change it there first
        "#]],
    );
    check_rename(
        "\n//- /w/.jp/config.toml\n[assis$0tant]\n",
        "x",
        &expect![[r#"
        error: only tools, parameters, questions, model aliases and MCP servers can be renamed
    "#]],
    );
    check_rename(
        "\n//- /w/.jp/config.toml\n[assistant]\ntool_choice = \"no$0ne\"\n",
        "x",
        &expect![[r#"
        error: no file of the workspace defines the tool `none`
    "#]],
    );
}

#[test]
fn definitions_and_references_are_found_in_every_file() {
    let marked = Marked::new(WORKSPACE);
    let document = marked.document();
    let found = definitions(&marked.graph, document, marked.offset);
    expect![[r#"
        /w/.jp/tools/edit.toml:3: path
    "#]]
    .assert_eq(&marked.show(&found));
    let found = references(&marked.graph, document, marked.offset, false);
    expect![[r#"
        /w/.jp/config.toml:7: path
        /w/.jp/config.toml:7: path
        /w/.jp/config.toml:17: path
    "#]]
    .assert_eq(&marked.show(&found));
    assert_eq!(highlights(document, marked.offset).len(), 3);
}

#[test]
fn a_tool_is_defined_where_its_source_is() {
    let fixture = "//- /w/.jp/config.toml\nextends = [\"tool.toml\", \"more.toml\"]\nassistant.tool_choice = \"e$0dit\"\n[conversation.tools.edit]\nrun = \"ask\"\n[[conversation.tools.edit.access.fs]]\npath = \".\"\n//- /w/.jp/tool.toml\n[conversation.tools.edit]\nsource = \"local\"\n[conversation.tools.edit.style]\nhidden = true\n//- /w/.jp/more.toml\n[conversation.tools.edit.style]\nhidden = true\n[conversation.tools.edit.policy]\nrun = \"ask\"\n";
    let places = |fixture: &str| {
        let marked = Marked::new(fixture);
        marked.show(&definitions(
            &marked.graph,
            marked.document(),
            marked.offset,
        ))
    };
    expect![[r#"
        /w/.jp/tool.toml:1: edit
    "#]]
    .assert_eq(&places(fixture));
    expect![[r#"
        /w/.jp/config.toml:3: edit
        /w/.jp/tool.toml:1: edit
    "#]]
    .assert_eq(&places(&fixture.replace("source = \"local\"\n", "")));
    expect![[r#"
        /w/.jp/config.toml:3: edit
        /w/.jp/tool.toml:1: edit
        /w/.jp/more.toml:1: edit
    "#]]
    .assert_eq(&places(
        &fixture.replace("tools.edit]\n", "tools.edit.options]\n"),
    ));
}
