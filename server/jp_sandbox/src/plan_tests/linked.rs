//! Files that could be linked or moved to where less is granted.

use expect_test::expect;

use super::{BOTH, LANDLOCK, check, fs};

#[test]
fn a_rule_for_a_file_is_one_wherever_it_is_linked_to() {
    let paths = ["f", "d/"];
    // What is linked into `d` would be changed there.
    check(
        &fs(&[(".", "read write"), ("d", "read create delete")]),
        &paths,
        LANDLOCK,
        &expect![[r#"
            /w read, create
            /w/d read, create, delete
            1: held, less than granted; update of files directly in `.`, for which a rule would hold wherever they are moved or linked to; removing or renaming what lies directly in `.`
            2: held, less than granted; writing into what it makes in `d`, which takes `update`
            held by the kernel: files
        "#]],
    );
    check(
        &fs(&[(".", "read write"), ("d", "read delete")]),
        &paths,
        LANDLOCK,
        &expect![[r#"
            /w read
            /w/d read, delete
            /w/f update
            1: held, less than granted; making files directly in `.`; changing files that are made directly in `.`; removing or renaming what lies directly in `.`
            2: held
            held by the kernel: files
        "#]],
    );
    // Nothing is linked from one mount into another.
    check(
        &fs(&[(".", "read write"), ("d", "read create delete")]),
        &paths,
        BOTH,
        &expect![[r#"
            /w read, create, delete
            /w/d read, create, delete
            /w/f update
            cover /w/d
            1: held, less than granted; changing files that are made directly in `.`
            2: held, less than granted; writing into what it makes in `d`, which takes `update`
            held by the kernel: files
        "#]],
    );
    check(
        &fs(&[("f", "read update"), (".", "create"), ("d", "read create")]),
        &paths,
        LANDLOCK,
        &expect![[r#"
            /w/d read, create
            /w/f read, update
            1: held
            2: held, less than granted; making files directly in `.`; writing into what it makes in `.`, which takes `update`
            3: held, less than granted; writing into what it makes in `d`, which takes `update`
            held by the kernel: files
        "#]],
    );
}
