use std::fmt::Write as _;

use expect_test::expect_file;

use super::schema;

#[test]
fn every_path_is_listed() {
    let mut out = String::new();
    for (path, id) in schema().paths() {
        let node = schema().node(id);
        let released = if node.released { "" } else { " (unreleased)" };
        let default = match &node.default {
            Some(default) => format!(" = {default}"),
            None => String::new(),
        };
        writeln!(
            out,
            "{path}: {}{default} [{:?}]{released}",
            schema().describe(id),
            node.merge
        )
        .unwrap();
    }
    expect_file!["schema/paths.txt"].assert_eq(&out);
}
