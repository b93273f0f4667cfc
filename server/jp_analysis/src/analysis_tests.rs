use std::{fmt::Write as _, sync::Arc};

use jp_config::{
    content::Content,
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

use super::*;

/// How the files of the tools become config.
#[derive(Clone, Copy, Debug)]
enum Way {
    Extends,
    LoadPaths,
}

const WAYS: [Way; 2] = [Way::Extends, Way::LoadPaths];

const CONFIG: &str = "/w/.jp/config.toml";
const OWN: &str = "/w/.jp/tools/tool_0001.toml";

const TOOL: &str = r#"
[conversation.tools.NAME]
source = "local"
command = "NAME {{tool}}"

[conversation.tools.NAME.policy]
run = [{ arg = "/path", prefix = "src", mode = "unattended" }]

[conversation.tools.NAME.parameters.path]
type = "path"
"#;

/// A workspace with a file for each tool, each with a finding.
fn workspace(way: Way, count: usize) -> Analysis {
    let load = match way {
        Way::Extends => "extends = ['tools/*.toml']",
        Way::LoadPaths => "config_load_paths = ['.jp/tools']",
    };
    let config = format!(
        r#"{load}

[assistant]
model.id = "anthropic/claude-sonnet-5"
name = "a"

[providers.llm.aliases]
small = "anthropic/claude-haiku-4-5"

[conversation.tools.'*']
run = "ask"
"#
    );
    let mut files = MemoryFiles::default();
    files.insert(CONFIG, &config);
    for index in 0..count {
        let name = format!("tool_{index:04}");
        let text = TOOL.replace("NAME", &name);
        files.insert(format!("/w/.jp/tools/{name}.toml"), &text);
    }
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    Analysis::new(Arc::new(graph), Options::default())
}

/// The next analysis, with one text of a file in place of another.
fn edit(analysis: &Analysis, path: &str, old: &str, new: &str) -> Analysis {
    let graph = analysis.graph();
    let file = graph.file_at(path.into()).unwrap();
    let mut document = graph.content(file).unwrap().document().unwrap().clone();
    let start = document.text().find(old).unwrap();
    document.edit(start..start + old.len(), new);
    let graph = graph.with_content(file, Arc::new(Content::Toml(document)));
    let next = analysis.update(Arc::new(graph));
    assert_eq!(
        show(&next),
        show(&fresh(&next)),
        "{path}: {old:?} -> {new:?}"
    );
    next
}

/// The same workspace, analysed from scratch.
fn fresh(analysis: &Analysis) -> Analysis {
    Analysis::new(Arc::clone(analysis.graph()), analysis.options())
}

fn show(analysis: &Analysis) -> String {
    let mut shown = String::new();
    for (file, found) in analysis.all_diagnostics() {
        let _ = writeln!(shown, "{}", analysis.graph().path(file));
        for finding in found.iter() {
            let _ = writeln!(shown, "{finding:?}");
        }
    }
    shown
}

#[test]
fn a_comment_costs_the_file_that_it_is_typed_in() {
    for way in WAYS {
        for count in [3, 300] {
            let before = workspace(way, count);
            let after = edit(&before, CONFIG, "name = \"a\"", "name = \"a\" # why");
            let expected = Effort {
                files: 1,
                tools: 0,
                views: 0,
                lists: 1,
            };
            assert_eq!(after.effort(), expected, "{way:?}, {count} tools");
            let again = edit(&after, CONFIG, "small", "# all tools see this\nsmall");
            assert_eq!(again.effort(), expected, "{way:?}, {count} tools");
        }
    }
}

#[test]
fn a_comment_above_the_entries_that_load_files_moves_them() {
    for way in WAYS {
        let before = workspace(way, 300);
        let key = match way {
            Way::Extends => "extends",
            Way::LoadPaths => "config_load_paths",
        };
        let after = edit(&before, CONFIG, key, &format!("# first\n{key}"));
        assert_eq!(after.effort().files, 1, "{way:?}");
        assert_eq!(after.effort().tools, 0, "{way:?}");
    }
}

#[test]
fn a_comment_beside_the_defaults_judges_no_other_tool() {
    for way in WAYS {
        for count in [3, 300] {
            let before = workspace(way, count);
            let after = edit(&before, CONFIG, "run = \"ask\"", "run = \"ask\" # for all");
            let expected = Effort {
                files: 1,
                tools: 1,
                views: 0,
                lists: 1,
            };
            assert_eq!(after.effort(), expected, "{way:?}, {count} tools");
        }
    }
}

#[test]
fn a_key_in_the_file_of_a_tool_judges_that_tool() {
    for way in WAYS {
        for count in [3, 300] {
            let expected = Effort {
                files: 1,
                tools: 1,
                views: 0,
                lists: 1,
            };
            let before = workspace(way, count);
            let after = edit(&before, OWN, "command", "# why\ncommand");
            assert_eq!(after.effort(), expected, "{way:?}, {count} tools");
            let after = edit(&after, OWN, "\"src\"", "\"srcs\"");
            assert_eq!(after.effort(), expected, "{way:?}, {count} tools");
        }
    }
}

#[test]
fn what_the_assistant_is_told_judges_no_tool() {
    for way in WAYS {
        for count in [3, 300] {
            let before = workspace(way, count);
            let after = edit(&before, CONFIG, "name = \"a\"", "name = \"ab\"");
            let expected = Effort {
                files: 1,
                tools: 0,
                views: 1,
                lists: 1,
            };
            assert_eq!(after.effort(), expected, "{way:?}, {count} tools");
        }
    }
}

#[test]
fn what_all_tools_depend_on_judges_all_of_them() {
    for way in WAYS {
        let before = workspace(way, 30);
        let after = edit(&before, CONFIG, "run = \"ask\"", "run = \"unattended\"");
        assert_eq!(after.effort().tools, 31, "{way:?}");
        let after = edit(&after, CONFIG, "haiku-4-5", "haiku-5");
        assert_eq!(after.effort().tools, 31, "{way:?}");
    }
}

#[test]
fn an_update_finds_what_a_fresh_analysis_finds() {
    for way in WAYS {
        let mut analysis = workspace(way, 40);
        for (path, old, new) in [
            (
                OWN,
                "[conversation.tools.tool_0001]\n",
                "[conversation.tools.tool_0002]\n",
            ),
            (CONFIG, "run = \"ask\"", "run = \"aks\""),
            (OWN, "\"path\"", "\"string\""),
            (OWN, "source", "sauce"),
            (
                CONFIG,
                "[assistant]",
                "[assistant]\ntool_choice = \"tool_0001\"",
            ),
            (OWN, "tool_0002]", "tool_0001]"),
            (
                CONFIG,
                "[assistant]",
                "[conversation.tools.tool_0003.policy]\nresult = []\n[assistant]",
            ),
            (OWN, "sauce", "enable = false\nsource"),
            (
                CONFIG,
                "[conversation.tools.tool_0003.policy]\n",
                "[[conversation.tools.tool_0003.access.fs]]\n",
            ),
            (CONFIG, "aliases", "aliase"),
            (
                OWN,
                "[conversation.tools.tool_0001.policy]",
                "# moved\n\n[conversation.tools.tool_0001.policy]",
            ),
            (
                CONFIG,
                "[conversation.tools.'*']",
                "[conversation.tools.'*'.x]",
            ),
        ] {
            analysis = edit(&analysis, path, old, new);
        }
    }
}

#[test]
fn a_report_that_did_not_change_is_the_same_allocation() {
    for way in WAYS {
        let before = workspace(way, 3);
        let after = edit(&before, OWN, "\"src\"", "\"srcs\"");
        let own = after.graph().file_at(OWN.into()).unwrap();
        for ((file, before), (_, after)) in before.all_diagnostics().zip(after.all_diagnostics()) {
            let is_kept = Arc::ptr_eq(before, after);
            assert_eq!(is_kept, **before == **after, "{way:?}");
            assert!(is_kept || file == own, "{way:?}");
        }
    }
}
