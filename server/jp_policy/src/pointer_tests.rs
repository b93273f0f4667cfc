use super::{decoded, encoded, segments};

#[test]
fn a_name_comes_back_from_its_segment() {
    for name in ["path", "", "a/b", "~", "~1", "~0~1", "*", "ä b"] {
        assert_eq!(decoded(&encoded(name)).as_deref(), Some(name));
    }
    assert_eq!(encoded("a/~b"), "a~1~0b");
}

#[test]
fn segments_are_names() {
    let names = |pointer| segments(pointer).map(|names| names.join("|"));
    assert_eq!(names("/a/b~1c/~0").as_deref(), Some("a|b/c|~"));
    assert_eq!(names("/").as_deref(), Some(""));
    assert_eq!(segments(""), Some(Vec::new()));
}

#[test]
fn what_is_no_pointer_names_nothing() {
    for text in ["a", "a/b", "/a~", "/a~2/b"] {
        assert_eq!(segments(text), None);
    }
    assert_eq!(decoded("a~2"), None);
    assert_eq!(decoded("a/b"), None);
}
