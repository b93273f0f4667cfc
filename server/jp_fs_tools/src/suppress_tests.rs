use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn suppress(option: Value) -> Result<Suppress, String> {
    let options = Map::from_iter([("suppress".to_owned(), option)]);
    Suppress::from_options(&options).map_err(|error| error.to_string())
}

#[test]
fn a_directory_covers_what_is_in_it_at_any_depth() {
    let suppress = suppress(json!([".git/", "**/target/"])).unwrap();
    for (path, is_directory, hidden) in [
        (".git", true, true),
        (".git", false, false),
        (".git/HEAD", false, true),
        ("a/.git/HEAD", false, true),
        ("a/b/target/x/y", false, true),
        ("target.rs", false, false),
        ("", true, false),
    ] {
        assert_eq!(
            suppress.hides(Utf8Path::new(path), is_directory),
            hidden,
            "{path}"
        );
    }
}

#[test]
fn a_broken_option_stops_the_call() {
    assert_eq!(
        suppress(json!(".git/")).unwrap_err(),
        "Invalid option `suppress`: write a list of `.ignore` patterns, such as `[\".git/\"]`."
    );
    assert_eq!(
        suppress(json!([1])).unwrap_err(),
        "Invalid option `suppress`: write a list of `.ignore` patterns, such as `[\".git/\"]`."
    );
    assert_eq!(
        suppress(json!(["[z-a]", "b"])).unwrap_err(),
        "Invalid option `suppress`: error parsing glob '[z-a]': invalid range; 'z' > 'a'."
    );
}

#[test]
fn no_option_hides_nothing() {
    for option in [Value::Null, json!([])] {
        let suppress = suppress(option).unwrap();
        assert!(!suppress.hides(Utf8Path::new(".git/HEAD"), false));
    }
}
