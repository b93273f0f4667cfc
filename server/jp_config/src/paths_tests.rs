use super::*;

fn normal(path: &str) -> String {
    normalize(Utf8Path::new(path)).to_string()
}

#[test]
fn dots_are_resolved_by_the_text_alone() {
    assert_eq!(normal("/work/./a/../b.toml"), "/work/b.toml");
    assert_eq!(normal("a/b/../../c"), "c");
    assert_eq!(normal("a/.."), "");
}

#[test]
fn a_relative_path_keeps_what_leads_above_its_start() {
    assert_eq!(normal("../a"), "../a");
    assert_eq!(normal("a/../../.."), "../..");
    assert_eq!(normal("../../a/../b"), "../../b");
}

#[test]
fn nothing_stands_above_the_root() {
    assert_eq!(normal("/../a"), "/a");
    assert_eq!(normal("/a/../../b"), "/b");
    assert_eq!(normal("/.."), "/");
}

#[test]
fn a_path_below_its_start_is_told_from_one_that_leaves_it() {
    let below = |path: &str| normalize_below(Utf8Path::new(path)).map(|path| path.to_string());
    assert_eq!(below("./a/../b").as_deref(), Some("b"));
    assert_eq!(below("/a/b").as_deref(), Some("a/b"));
    assert_eq!(below("").as_deref(), Some(""));
    assert_eq!(below("a/../../a"), None);
    assert_eq!(below("..a/b").as_deref(), Some("..a/b"));
    assert_eq!(below("/.."), None);
}

#[test]
fn stored_conversations_are_those_right_below_the_directory_of_jp() {
    let is_stored = |path: &str| is_stored_conversation(Utf8Path::new(path));
    assert!(is_stored("/work/.jp/conversations/1/config.json"));
    assert!(!is_stored("/work/.jp/config/conversations/a.toml"));
    assert!(!is_stored("/work/conversations/a.toml"));
}

#[test]
fn what_is_about_the_config_stands_right_below_the_directory_of_jp() {
    let is_about = |path: &str| is_about_config(Utf8Path::new(path));
    for name in ["lsp.toml", "policy.tests.toml"] {
        assert!(is_about(&format!("/work/.jp/{name}")));
        assert!(!is_about(&format!("/work/.jp/tools/{name}")));
        assert!(!is_about(&format!("/work/{name}")));
        assert!(!is_about(&format!("/work/.jp/my-{name}")));
    }
}
