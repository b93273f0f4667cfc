use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::*;

struct Folder {
    home: tempfile::TempDir,
}

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        fs::create_dir_all(home.path().join("w/src")).unwrap();
        Self { home }
    }

    fn ask(&self, attached: &[&str]) -> String {
        let home = Utf8Path::from_path(self.home.path()).unwrap();
        let home = home.canonicalize_utf8().unwrap();
        let attached: Vec<String> = attached.iter().map(|it| (*it).to_owned()).collect();
        let asked = with_attachments("Why?", &attached, &home.join("w"), &home.join("w/src"));
        match asked {
            Ok(text) => text,
            Err(error) => error.to_string().replace(home.as_str(), "<home>"),
        }
    }

    fn check(&self, attached: &[&str], expected: &Expect) {
        expected.assert_eq(&self.ask(attached));
    }
}

#[test]
fn files_and_lines_of_them_stand_behind_the_question() {
    let folder = Folder::new(&[
        ("w/src/a.rs", b"one\ntwo\nthree"),
        ("w/notes/b.md", b"Write\n```sh\nls\n```\n"),
        ("w/src/c:1", b"a name with a colon\n"),
        ("w/src/d`\n.x`y", b"a name that plays tricks\n"),
    ]);
    folder.check(
        &[
            "a.rs",
            "a.rs:2-3",
            "a.rs:1",
            "../notes/b.md",
            "c:1",
            "d`\n.x`y",
        ],
        &expect![[r#"
            Why?

            `src/a.rs`:

            ```rs
            one
            two
            three
            ```

            `src/a.rs`, lines 2 to 3:

            ```rs
            two
            three
            ```

            `src/a.rs`, line 1:

            ```rs
            one
            ```

            `notes/b.md`:

            ````md
            Write
            ```sh
            ls
            ```
            ````

            `src/c:1`:

            ```
            a name with a colon
            ```

            `src/d??.x?y`:

            ```
            a name that plays tricks
            ```
        "#]],
    );
    assert_eq!(folder.ask(&[]), "Why?");
}

#[test]
fn what_cannot_be_attached_says_why() {
    let folder = Folder::new(&[
        ("secret.txt", b"sesame"),
        ("w/src/a.rs", b"one\n"),
        ("w/src/picture.png", b"\x89PNG\xff"),
        ("w/src/nul", b"a\0b"),
    ]);
    let attached = [
        "missing.rs",
        "a.rs:2",
        "a.rs:0",
        "a.rs:3-2",
        "a.rs:x",
        "../../secret.txt",
        "..",
        "picture.png",
        "nul",
    ];
    let said = attached.map(|path| folder.ask(&["a.rs", path]));
    expect![[r#"
        `missing.rs` cannot be attached: No such file or directory (os error 2)
        `a.rs` has 1 lines, so that there is no line 2
        `a.rs:0` cannot be attached: No such file or directory (os error 2)
        `a.rs:3-2` cannot be attached: No such file or directory (os error 2)
        `a.rs:x` cannot be attached: No such file or directory (os error 2)
        `../../secret.txt` cannot be attached: it lies outside of the workspace `<home>/w`; copy it there, or write its text into the question
        `..` cannot be attached: it is no file; name the files in it
        `picture.png` cannot be attached: it is no text in UTF-8
        `nul` cannot be attached: it is no text in UTF-8
    "#]].assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn attachments_have_one_bound_together() {
    let half = vec![b'a'; (LARGEST / 2) as usize];
    let folder = Folder::new(&[("w/src/half", &half), ("w/src/more", b"b")]);
    assert!(
        folder
            .ask(&["half", "half"])
            .starts_with("Why?\n\n`src/half`:")
    );
    folder.check(&["half", "half", "more"], &expect!["`more` cannot be attached: all attachments of a question have 512 KiB at most; name lines, as in `more:1-200`"]);
}

#[test]
fn lines_of_a_large_file_may_be_attached() {
    let mut large = b"first\n".to_vec();
    large.extend(vec![b'a'; LARGEST as usize + 1]);
    let folder = Folder::new(&[("w/src/large.log", &large)]);
    assert_eq!(
        folder.ask(&["large.log:1"]),
        "Why?\n\n`src/large.log`, line 1:\n\n```log\nfirst\n```\n"
    );
    for path in ["large.log", "large.log:2"] {
        assert_eq!(
            folder.ask(&[path]),
            "`large.log` cannot be attached: all attachments of a question have 512 KiB at most; name lines, as in \
             `large.log:1-200`"
        );
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_read_through_a_link_that_leads_outside() {
    let folder = Folder::new(&[("secret.txt", b"sesame"), ("w/src/a", b"here")]);
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, folder.home.path().join(from)).unwrap();
    };
    link("../../secret.txt", "w/src/out");
    link("a", "w/src/in");
    assert_eq!(
        folder.ask(&["out"]),
        "`out` cannot be attached: it lies outside of the workspace `<home>/w`; copy it there, or write its text into \
         the question"
    );
    assert_eq!(folder.ask(&["in"]), "Why?\n\n`src/a`:\n\n```\nhere\n```\n");
}
