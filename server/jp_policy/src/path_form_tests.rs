use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn resolves_dots_and_strips_separators() {
    let table = [
        ("", "."),
        (".", "."),
        ("./", "."),
        ("/", "/"),
        ("//", "/"),
        ("src", "src"),
        ("src/", "src"),
        ("./src/", "src"),
        ("src//lib.rs", "src/lib.rs"),
        ("src/./lib.rs", "src/lib.rs"),
        ("src/../.env", ".env"),
        ("src/..", "."),
        ("a/b/../c", "a/c"),
        ("a/b/../../c", "c"),
        ("..", ".."),
        ("../..", "../.."),
        ("a/../..", ".."),
        ("../a/../b", "../b"),
        ("/..", "/"),
        ("/a/..", "/"),
        ("/a/../../b", "/b"),
        ("...", "..."),
        ("..a/..", "."),
        ("é/../ü", "ü"),
    ];
    for (path, expected) in table {
        assert_eq!(normalize_path(path), expected, "{path}");
    }
}

/// Another way to the normal form: a stack of components.
fn by_stack(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut stack: Vec<&str> = Vec::new();
    for component in path.split('/') {
        if component == ".." {
            if stack.last().is_some_and(|last| *last != "..") {
                stack.pop();
            } else if !absolute {
                stack.push("..");
            }
        } else if !component.is_empty() && component != "." {
            stack.push(component);
        }
    }
    match (absolute, stack.is_empty()) {
        (true, _) => format!("/{}", stack.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => stack.join("/"),
    }
}

proptest! {
    #[test]
    fn agrees_with_a_stack_of_components(path in "(/|\\.|a|é){0,12}") {
        prop_assert_eq!(normalize_path(&path), by_stack(&path));
    }

    #[test]
    fn is_idempotent(path in "(/|\\.|a|b){0,12}") {
        let normal = normalize_path(&path);
        prop_assert_eq!(normalize_path(&normal), normal);
    }
}
