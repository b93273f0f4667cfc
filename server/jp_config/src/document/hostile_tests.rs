//! Texts that are made to hurt: they are read in linear time and constant stack.

use pretty_assertions::assert_eq;

use super::{Document, dump};

fn errors(text: &str) -> usize {
    let mut document = Document::parse(text);
    let count = document.error_count();
    let middle = text.floor_char_boundary(text.len() / 2);
    assert!(document.at(middle).path.len() <= 400);
    document.edit(middle..middle, "x");
    document.edit(middle..middle + 1, "");
    assert_eq!(document.error_count(), count);
    count
}

#[test]
fn deep_nesting_is_one_error() {
    for open in ["[", "{a=", "[{a="] {
        assert_eq!(errors(&format!("a = {}", open.repeat(20_000))), 1);
        // A line of its own for each bracket can be a mistake of its own, but not below the limit.
        assert!(errors(&format!("a = {}", format!("{open}\n").repeat(20_000))) <= 80);
    }
    let closed = format!("a = {}{}\nb = 1\n", "[".repeat(20_000), "]".repeat(20_000));
    let document = Document::parse(&closed);
    assert_eq!(document.error_count(), 1);
    assert_eq!(document.root().get("b").unwrap().value().as_i64(), Some(1));
    assert_eq!(errors(&"[".repeat(20_000)), 1);
    assert_eq!(errors(&"[[".repeat(20_000)), 1);
    assert_eq!(errors(&"]".repeat(20_000)), 1);
}

#[test]
fn long_dotted_keys_are_one_error() {
    let key = vec!["a"; 50_000].join(".");
    for text in [
        format!("{key} = 1\n"),
        format!("[{key}]\n"),
        format!("x = {{ {key} = 1 }}"),
        ".".repeat(50_000),
    ] {
        assert_eq!(errors(&text), 1);
        dump::everything(&Document::parse(&text));
    }
}

#[test]
fn unclosed_lines_are_one_error_each() {
    for line in [
        "a = [\n",
        "a = {\n",
        "a = {\na = 1\n",
        "a = \"\n",
        "a =\n",
        "a\n",
    ] {
        let text = line.repeat(10_000);
        assert!(errors(&text) <= 20_000, "{line:?}");
    }
    for line in [
        "x = [\n[\"a\"]\n",
        "x = [\n[\"a\"],\n",
        "x = {\n[a]\n",
        "[a\n",
        "[[a]]\nx = \"\"\"\n",
    ] {
        errors(&line.repeat(5_000));
    }
}

#[test]
fn long_lines_and_odd_bytes() {
    let mebibyte = 1 << 20;
    assert_eq!(errors(&format!("a = \"{}\"", "x".repeat(mebibyte))), 0);
    assert_eq!(errors(&format!("# {}", "x".repeat(mebibyte))), 0);
    assert_eq!(errors(&"\0".repeat(mebibyte)), 1);
    assert_eq!(errors(&" ".repeat(mebibyte)), 0);
    assert_eq!(errors(&"=".repeat(100_000)), 1);
    assert_eq!(errors(&"\r".repeat(20_000)), 20_000);
    assert_eq!(errors(&format!("a = {}", "\"\\".repeat(100_000))), 1);
}

#[test]
fn many_of_everything() {
    let keys: String = (0..20_000).map(|n| format!("key_{n} = {n}\n")).collect();
    let document = Document::parse(&keys);
    assert_eq!(document.errors(), []);
    assert_eq!(document.root().entries().len(), 20_000);
    assert_eq!(
        document.root().get("key_19999").unwrap().value().as_i64(),
        Some(19_999)
    );
    assert_eq!(errors(&keys), 0);
    assert_eq!(errors(&"k = 1\n".repeat(20_000)), 19_999);
    assert_eq!(errors(&"a.b.c = 1\n".repeat(20_000)), 19_999);
    let tables = "[[t]]\n".repeat(20_000);
    let document = Document::parse(&tables);
    let array = document
        .root()
        .get("t")
        .unwrap()
        .value()
        .as_array()
        .unwrap();
    assert_eq!(array.len(), 20_000);
    assert_eq!(errors(&tables), 0);
    assert_eq!(errors(&"[t]\n".repeat(20_000)), 19_999);
    let headers: String = (0..20_000).map(|n| format!("[t.t{n}]\n")).collect();
    assert_eq!(errors(&headers), 0);
    let integers = format!("a = [{}]", "1, ".repeat(100_000));
    let document = Document::parse(&integers);
    assert_eq!(
        document
            .root()
            .get("a")
            .unwrap()
            .value()
            .as_array()
            .unwrap()
            .len(),
        100_000
    );
    assert_eq!(errors(&integers), 0);
}

#[test]
fn a_table_in_a_table_takes_two_levels_of_eighty() {
    let errors = |tables: usize| -> Vec<String> {
        let text = format!("x = {}1{}", "{ a = ".repeat(tables), " }".repeat(tables));
        let document = Document::parse(&text);
        let errors = document.errors();
        errors.iter().map(|error| error.message.clone()).collect()
    };
    assert_eq!(errors(39), Vec::<String>::new());
    assert_eq!(errors(40), ["nested too deeply: write at most 80 levels"]);
}
