use std::{cell::Cell, sync::Arc};

use camino::Utf8Path;
use expect_test::{Expect, expect};

use super::{
    FileKind, Files, Graph, GraphProblemKind, Listing, LoaderKeys, MAXIMUM_FILES, ReadProblem,
    Roots, loader::MAXIMUM_WATCHED,
};
use crate::{
    content::{Content, ContentFormat},
    memory::MemoryFiles,
    view::View,
};

fn show(graph: &Graph) -> String {
    let mut lines = Vec::new();
    for layer in graph.layers.iter() {
        lines.push(format!("{:?} {}", layer.source, graph.path(layer.file)));
    }
    for fragment in graph.fragments.iter() {
        let files: Vec<_> = fragment
            .layers
            .iter()
            .map(|layer| graph.path(layer.file).file_name().unwrap_or_default())
            .collect();
        lines.push(format!(
            "Fragment {} = {}",
            graph.path(fragment.file),
            files.join(" + ")
        ));
    }
    for problem in graph.problems.iter() {
        let what = match &problem.kind {
            GraphProblemKind::ExtendsMissing { path, .. } => format!("missing {path}"),
            GraphProblemKind::ExtendsCycle { chain } => format!(
                "cycle {}",
                chain
                    .iter()
                    .map(|path| path.as_str())
                    .collect::<Vec<_>>()
                    .join(" -> ")
            ),
            other => format!("{other:?}"),
        };
        lines.push(format!("problem in {}: {what}", graph.path(problem.file)));
    }
    lines.join("\n")
}

fn check(fixture: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(fixture);
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    expected.assert_eq(&show(&graph));
}

#[test]
fn extends_merge_before_the_file_unless_they_say_after() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["a.toml", { path = "b.toml", strategy = "after" }, "tools/**/*.toml"]
//- /w/.jp/a.toml
extends = ["deep/c.toml"]
//- /w/.jp/b.toml
//- /w/.jp/deep/c.toml
//- /w/.jp/tools/y/2.toml
//- /w/.jp/tools/x/1.toml
"#,
        &expect![[r#"
            Workspace /w/.jp/deep/c.toml
            Workspace /w/.jp/a.toml
            Workspace /w/.jp/tools/x/1.toml
            Workspace /w/.jp/tools/y/2.toml
            Workspace /w/.jp/config.toml
            Workspace /w/.jp/b.toml"#]],
    );
}

#[test]
fn sources_merge_from_the_user_to_the_user_of_the_workspace() {
    let files = MemoryFiles::from_fixture(
        r#"
//- /home/config.toml
//- /w/.jp/config.yaml
inherit: true
//- /w/.jp.toml
//- /w/sub/.jp.toml
//- /data/config.json
{}
"#,
    );
    let roots = Roots {
        user_global: Some("/home".into()),
        workspace: "/w".into(),
        locals: vec!["/w".into(), "/w/sub".into()],
        user_workspace: Some("/data".into()),
        decisions: Vec::new(),
        fragments: Vec::new(),
    };
    expect![[r#"
        UserGlobal /home/config.toml
        Workspace /w/.jp/config.yaml
        Local /w/.jp.toml
        Local /w/sub/.jp.toml
        UserWorkspace /data/config.json"#]]
    .assert_eq(&show(&Graph::load(&roots, &files)));
}

#[test]
fn toml_is_probed_before_the_other_formats() {
    check(
        r#"
//- /w/.jp/config.json
{}
//- /w/.jp/config.toml
"#,
        &expect!["Workspace /w/.jp/config.toml"],
    );
}

#[test]
fn inherit_false_stops_all_later_sources() {
    check(
        r#"
//- /w/.jp/config.toml
inherit = false
//- /w/.jp.toml
"#,
        &expect!["Workspace /w/.jp/config.toml"],
    );
}

#[test]
fn a_cycle_is_cut_and_named() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["a.toml"]
//- /w/.jp/a.toml
extends = ["./b.toml"]
//- /w/.jp/b.toml
extends = ["../.jp/a.toml"]
"#,
        &expect![[r#"
            Workspace /w/.jp/b.toml
            Workspace /w/.jp/a.toml
            Workspace /w/.jp/config.toml
            problem in /w/.jp/b.toml: cycle /w/.jp/a.toml -> /w/.jp/b.toml -> /w/.jp/a.toml"#]],
    );
}

#[test]
fn a_missing_file_and_a_matched_directory_are_problems() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["nowhere.toml", "config.d/*", "none/**/*.toml"]
//- /w/.jp/config.d/sub/x.toml
"#,
        &expect![[r#"
            Workspace /w/.jp/config.toml
            problem in /w/.jp/config.toml: missing /w/.jp/nowhere.toml
            problem in /w/.jp/config.toml: ExtendsMatchesDirectory { path: "/w/.jp/config.d/sub", pattern: "config.d/*" }"#]],
    );
}

#[test]
fn a_format_that_jp_cannot_read_is_a_problem() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["d/*"]
//- /w/.jp/d/README.md
//- /w/.jp/d/x.toml
"#,
        &expect![[r#"
            Workspace /w/.jp/d/x.toml
            Workspace /w/.jp/config.toml
            problem in /w/.jp/config.toml: ExtendsUnsupported { path: "/w/.jp/d/README.md" }"#]],
    );
}

#[test]
fn files_under_load_paths_are_alternatives() {
    check(
        r#"
//- /w/.jp/config.toml
extends = ["config/personas/default.toml"]
config_load_paths = [".jp/config", ".jp/config/personas"]
//- /w/.jp/config/personas/default.toml
//- /w/.jp/config/personas/dev.toml
extends = ["../skill/web.toml"]
//- /w/.jp/config/skill/web.toml
//- /w/.jp/config/README.md
"#,
        &expect![[r#"
            Workspace /w/.jp/config/personas/default.toml
            Workspace /w/.jp/config.toml
            Fragment /w/.jp/config/personas/dev.toml = web.toml + dev.toml
            Fragment /w/.jp/config/skill/web.toml = web.toml"#]],
    );
}

#[test]
fn a_wide_load_path_takes_only_files_that_look_like_config() {
    check(
        r#"
//- /w/.jp/config.toml
config_load_paths = ["."]
//- /w/Cargo.toml
[package]
name = "x"
//- /w/roles/dev.toml
[assistant]
name = "dev"
//- /w/.jp/conversations/1-x/base_config.json
{}
"#,
        &expect![[r#"
            Workspace /w/.jp/config.toml
            Fragment /w/roles/dev.toml = dev.toml"#]],
    );
}

#[test]
fn a_wide_fan_out_is_bounded() {
    let mut files = MemoryFiles::default();
    files.insert("/w/.jp/config.toml", "extends = [\"0.toml\", \"0.toml\"]");
    for level in 0..40 {
        let next = level + 1;
        files.insert(
            format!("/w/.jp/{level}.toml"),
            &format!("extends = [\"{next}.toml\", \"{next}.toml\"]"),
        );
    }
    files.insert("/w/.jp/40.toml", "");
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    // Each file once, and 2,000 times more one that was followed before.
    assert_eq!(graph.layers.len(), 42 + 2_000);
    assert!(
        graph
            .problems
            .iter()
            .any(|problem| matches!(problem.kind, GraphProblemKind::ExtendsTooMany { .. }))
    );
    assert!(graph.file_at(Utf8Path::new("/w/.jp/40.toml")).is_some());
}

/// Files that count how often they are asked.
#[derive(Default)]
struct Counted {
    files: MemoryFiles,
    reads: Cell<usize>,
    looks: Cell<usize>,
}

impl Counted {
    fn new(fixture: &str) -> Self {
        Self {
            files: MemoryFiles::from_fixture(fixture),
            ..Self::default()
        }
    }

    /// How often a load reads a file, and looks for one or into directories.
    fn load(&self) -> (Graph, usize, usize) {
        let graph = Graph::load(&Roots::workspace_only("/w"), self);
        (graph, self.reads.get(), self.looks.get())
    }

    fn look(&self) {
        self.looks.set(self.looks.get() + 1);
    }
}

impl Files for Counted {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        self.reads.set(self.reads.get() + 1);
        self.files.read(path)
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        self.look();
        match self.files.text(path) {
            Some(_) => FileKind::File,
            None => FileKind::Missing,
        }
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        self.look();
        self.files.glob(base, pattern)
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        self.look();
        self.files.walk(directory)
    }
}

#[test]
fn each_file_is_read_once() {
    let files = Counted::new(
        r#"
//- /w/.jp/config.toml
extends = ["a.toml", "*.toml", "a.toml"]
config_load_paths = [".", ".jp"]
//- /w/.jp/a.toml
extends = ["b.toml"]
//- /w/.jp/b.toml
//- /w/roles/dev.toml
assistant.name = "dev"
extends = ["../.jp/b.toml"]
"#,
    );
    let (graph, reads, _) = files.load();
    assert_eq!((graph.files.len(), reads), (4, 4));
}

#[test]
fn entries_that_lead_nowhere_cost_little() {
    let entries = "\"gone.toml\", ".repeat(2 * MAXIMUM_FILES);
    let files = Counted::new(&format!("//- /w/.jp/config.toml\nextends = [{entries}]\n"));
    let (graph, reads, looks) = files.load();
    assert_eq!(reads, 1);
    assert!(looks <= 3 * MAXIMUM_FILES, "{looks}");
    assert!(graph.problems.len() <= 2 * MAXIMUM_FILES + 1);
}

#[test]
fn a_wide_fan_out_of_entries_that_lead_nowhere_is_bounded() {
    let mut files = Counted::default();
    let gone = "\"gone.toml\", ".repeat(1_000);
    let many = "\"many.toml\", ".repeat(1_000);
    files
        .files
        .insert("/w/.jp/config.toml", &format!("extends = [{many}]"));
    files
        .files
        .insert("/w/.jp/many.toml", &format!("extends = [{gone}]"));
    let (_, reads, looks) = files.load();
    assert_eq!(reads, 2);
    assert!(looks <= 3 * MAXIMUM_FILES, "{looks}");
}

#[test]
fn many_load_paths_cost_little() {
    let paths: Vec<String> = (0..3 * MAXIMUM_FILES)
        .map(|index| format!("\"p{index}\""))
        .collect();
    let config = format!("config_load_paths = [{}]", paths.join(", "));
    let files = Counted::new(&format!("//- /w/.jp/config.toml\n{config}\n"));
    let (graph, reads, looks) = files.load();
    assert_eq!(reads, 1);
    assert!(looks <= 3 * MAXIMUM_FILES, "{looks}");
    assert_eq!(graph.watched.len(), MAXIMUM_WATCHED);
    let problem = graph.problems.first().unwrap();
    assert!(matches!(
        problem.kind,
        GraphProblemKind::ExtendsTooMany { .. }
    ));
    assert!(problem.span.is_some());
}

#[test]
fn files_that_all_extend_each_other_are_named_once_each() {
    let mut files = Counted::default();
    files
        .files
        .insert("/w/.jp/config.toml", "extends = [\"m/*.toml\"]");
    for index in 0..100 {
        files
            .files
            .insert(format!("/w/.jp/m/{index}.toml"), "extends = [\"*.toml\"]");
    }
    let (graph, reads, _) = files.load();
    assert_eq!((graph.files.len(), reads), (101, 101));
    assert!(graph.layers.len() <= 2_000 + 101, "{}", graph.layers.len());
    let cycles = graph
        .problems
        .iter()
        .filter(|problem| matches!(problem.kind, GraphProblemKind::ExtendsCycle { .. }));
    let cycles = cycles.count();
    assert!((1..=100).contains(&cycles), "{cycles}");
    assert!(graph.problems.len() <= 2 * 101, "{}", graph.problems.len());
}

/// A graph of so many layers that it knows which of them to ask.
fn many_layers() -> Graph {
    let mut files = MemoryFiles::default();
    files.insert(
        "/w/.jp/config.toml",
        "extends = ['tools/*.toml', 'gone.toml']",
    );
    for index in 0..40 {
        let text = format!("conversation.tools.t{index}.run = 'ask'\nassistant.name = 'n{index}'");
        files.insert(format!("/w/.jp/tools/t{index:02}.toml"), &text);
    }
    Graph::load(&Roots::workspace_only("/w"), &files)
}

fn edited(graph: &Graph, path: &str, text: &str) -> Graph {
    let file = graph.file_at(path.into()).unwrap();
    graph.with_content(file, Arc::new(Content::parse(ContentFormat::Toml, text)))
}

fn effective(graph: &Graph, path: &[&str]) -> String {
    let found = View::new(Arc::new(graph.clone())).effective(path);
    found.map_or_else(|| "nothing".to_owned(), |found| found.to_json().to_string())
}

#[test]
fn a_graph_of_many_layers_asks_those_that_name_a_tool_after_every_edit() {
    let graph = many_layers();
    assert_eq!(
        effective(&graph, &["conversation", "tools", "t7", "run"]),
        r#""ask""#
    );
    assert_eq!(effective(&graph, &["assistant", "name"]), r#""n39""#);
    let graph = edited(
        &graph,
        "/w/.jp/tools/t08.toml",
        "conversation.tools.t7.run = 'unattended'\nstyle.code.line_numbers = true",
    );
    assert_eq!(
        effective(&graph, &["conversation", "tools", "t7", "run"]),
        r#""unattended""#
    );
    assert_eq!(
        effective(&graph, &["conversation", "tools", "t8", "run"]),
        "nothing"
    );
    assert_eq!(
        effective(&graph, &["style", "code", "line_numbers"]),
        "true"
    );
    let none = graph.with_layers(|_| false);
    assert_eq!(
        effective(&none, &["conversation", "tools", "t7", "run"]),
        "nothing"
    );
    let some = graph.with_layers(|layer| graph.path(layer.file) != "/w/.jp/tools/t08.toml");
    assert_eq!(
        effective(&some, &["conversation", "tools", "t7", "run"]),
        r#""ask""#
    );
}

#[test]
fn an_edit_above_the_entries_moves_what_is_wrong_with_them() {
    let graph = many_layers();
    let text = "# a comment\nextends = ['tools/*.toml', 'gone.toml']";
    let graph = edited(&graph, "/w/.jp/config.toml", text);
    let spans: Vec<_> = graph
        .problems
        .iter()
        .filter_map(|problem| problem.span)
        .collect();
    let texts: Vec<_> = spans
        .iter()
        .filter_map(|span| text.get(span.range()))
        .collect();
    assert_eq!(texts, ["'gone.toml'"]);
}

#[test]
fn a_file_that_is_put_below_another_is_found_at_its_path() {
    let files = MemoryFiles::from_fixture("\n//- /w/.jp/config.toml\nuser.name = \"own\"\n");
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let (own, new) = (
        Utf8Path::new("/w/.jp/config.toml"),
        Utf8Path::new("/w/.jp/a.toml"),
    );
    // What is looked up before must not hide what comes.
    assert_eq!(graph.file_at(new), None);
    let file = graph.file_at(own).unwrap();
    let content = Content::parse(ContentFormat::Toml, "user.name = 'below'");
    let with = graph.with_file_below(file, true, new.to_owned(), Arc::new(content));
    assert_eq!(graph.file_at(new), None);
    let below = with.file_at(new).unwrap();
    assert_eq!(with.path(below), new);
    expect![[r#"
        Workspace /w/.jp/a.toml
        Workspace /w/.jp/config.toml"#]]
    .assert_eq(&show(&with));
}

#[test]
fn one_more_entry_is_another_graph() {
    let keys = |text: &str| LoaderKeys::of(&Content::parse(ContentFormat::Toml, text));
    let one = keys("extends = ['a.toml']\nuser.name = 'x'");
    assert!(one.load_the_same(&keys("# here\nextends = ['a.toml']")));
    assert!(!one.load_the_same(&keys("extends = ['a.toml', 'b.toml']")));
    assert!(!one.load_the_same(&keys("extends = ['b.toml']")));
    assert!(!one.load_the_same(&keys("extends = [{ path = 'a.toml', strategy = 'after' }]")));
    assert!(!one.load_the_same(&keys("extends = ['a.toml']\ninherit = false")));
}

/// Files of which those below `closed` are behind a folder that may not be looked into.
struct WithClosedFolder(MemoryFiles);

impl WithClosedFolder {
    fn told(listing: Listing) -> Listing {
        let (closed, paths): (Vec<_>, Vec<_>) = listing
            .paths
            .into_iter()
            .partition(|path| path.as_str().contains("/closed"));
        let closed = closed.iter().filter_map(|path| path.parent());
        Listing {
            paths,
            closed: closed.map(Utf8Path::to_owned).collect(),
            ..Listing::default()
        }
    }
}

impl Files for WithClosedFolder {
    fn read(&self, path: &Utf8Path) -> Result<Arc<Content>, ReadProblem> {
        match self.kind(path) {
            FileKind::Closed => Err(ReadProblem::Refused("Permission denied".to_owned())),
            _ => self.0.read(path),
        }
    }

    fn kind(&self, path: &Utf8Path) -> FileKind {
        match path.as_str().contains("/closed/") {
            true => FileKind::Closed,
            false => self.0.kind(path),
        }
    }

    fn glob(&self, base: &Utf8Path, pattern: &str) -> Listing {
        Self::told(self.0.glob(base, pattern))
    }

    fn walk(&self, directory: &Utf8Path) -> Listing {
        Self::told(self.0.walk(directory))
    }
}

#[test]
fn what_a_closed_folder_holds_is_told_as_missing() {
    let files = WithClosedFolder(MemoryFiles::from_fixture(
        r#"
//- /w/.jp/config.toml
extends = ["closed/*.toml", "closed/a.toml", "gone.toml"]
config_load_paths = ["frag"]
//- /w/.jp/closed/a.toml
//- /w/frag/closed/b.toml
//- /w/frag/c.toml
assistant.name = "c"
//- /home/closed/config.toml
"#,
    ));
    let roots = Roots {
        user_global: Some("/home/closed".into()),
        ..Roots::workspace_only("/w")
    };
    let graph = Graph::load(&roots, &files);
    let problems: Vec<String> = graph
        .problems
        .iter()
        .map(|problem| match &problem.kind {
            GraphProblemKind::Unreadable(reason) => {
                format!("{}: {reason}", graph.path(problem.file))
            }
            other => format!("{other:?}"),
        })
        .collect();
    expect![[r#"
        /w/.jp/config.toml: the folder `/w/.jp/closed` may not be looked into, so what it holds is missing here
        /w/.jp/closed/a.toml: the file cannot be read: Permission denied
        ExtendsMissing { path: "/w/.jp/gone.toml", near: None }
        /w/.jp/config.toml: the folder `/w/frag/closed` may not be looked into, so what it holds is missing here"#]].assert_eq(&problems.join("\n"));
}
