use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

#[test]
fn every_tool_is_defined_where_its_name_says() {
    let names: Vec<_> = ALL.iter().map(|definition| definition.name).collect();
    assert_eq!(names, NAMES);
    for definition in ALL {
        let document: toml_edit::DocumentMut = definition.text.parse().unwrap();
        let tools = document["conversation"]["tools"].as_table().unwrap();
        let defined: Vec<_> = tools.iter().map(|(name, _)| name).collect();
        assert_eq!(defined, [definition.name]);
        let tool = &tools[definition.name];
        assert_eq!(tool["source"].as_str(), Some("local"));
        assert_eq!(
            tool["command"].as_str(),
            Some("jp-fs-tools {{context}} {{tool}}")
        );
        assert_eq!(
            definition.path,
            format!("fs/{}.toml", definition.name.trim_start_matches("fs_"))
        );
    }
}

#[test]
fn the_whole_document_is_one_config() {
    let document: toml_edit::DocumentMut = document().parse().unwrap();
    let tools = document["conversation"]["tools"].as_table().unwrap();
    assert_eq!(
        tools.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        NAMES
    );
}

#[test]
fn commented_rules_are_rules() {
    for definition in ALL {
        let text = definition.text;
        let (_, rules) = text.split_once("# [[conversation").unwrap();
        let rules: String = format!("# [[conversation{rules}")
            .lines()
            .map(|line| {
                format!(
                    "{}\n",
                    line.trim_start_matches("# ").trim_start_matches('#')
                )
            })
            .collect();
        let document: toml_edit::DocumentMut = rules.parse().unwrap();
        let rules = document["conversation"]["tools"][definition.name]["access"]["fs"]
            .as_array_of_tables()
            .unwrap();
        assert!(rules.iter().all(|rule| rule.contains_key("path")));
    }
}

#[test]
fn writes_only_what_is_missing() {
    let directory = TempDir::new().unwrap();
    let root = Utf8Path::from_path(directory.path())
        .unwrap()
        .join("mcp/tools");
    std::fs::create_dir_all(root.join("fs")).unwrap();
    std::fs::write(root.join("fs/read_file.toml"), "mine").unwrap();
    let written = write(&root).unwrap();
    assert_eq!(
        written.first(),
        Some(&Written::Created(root.join("fs/create_file.toml")))
    );
    assert_eq!(
        written.last(),
        Some(&Written::Kept(root.join("fs/read_file.toml")))
    );
    assert_eq!(
        std::fs::read_to_string(root.join("fs/read_file.toml")).unwrap(),
        "mine"
    );
    assert_eq!(
        std::fs::read_to_string(root.join("fs/create_file.toml")).unwrap(),
        ALL[0].text
    );
}
