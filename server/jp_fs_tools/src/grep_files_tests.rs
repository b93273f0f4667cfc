use jp_tool::FsRule;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::test_support::Workspace;

fn grep(workspace: &Workspace, arguments: Value) -> String {
    workspace.run("fs_grep_files", arguments)
}

fn grep_text(text: impl AsRef<[u8]>, pattern: &str) -> String {
    let workspace = Workspace::new(&[]);
    workspace.write("a.txt", text);
    grep(&workspace, json!({"pattern": pattern}))
}

const NOTHING: &str = "Nothing matches. A wider pattern or more paths may.";

#[test]
fn prints_matching_lines() {
    let workspace = Workspace::new(&[
        ("b.txt", "  foo\nbar\n"),
        ("sub/a.txt", "x\r\n\tfoo foo\r\n"),
        ("c.txt", "foobar"),
    ]);
    assert_eq!(
        grep(&workspace, json!({"pattern": r"\bfoo\b"})),
        "b.txt:1:foo\nsub/a.txt:2:foo foo\n"
    );
    assert_eq!(
        grep(
            &workspace,
            json!({"pattern": "foo", "paths": ["sub", "c.txt"]})
        ),
        "c.txt:1:foobar\nsub/a.txt:2:foo foo\n"
    );
    assert_eq!(grep(&workspace, json!({"pattern": "FOO"})), NOTHING);
}

#[test]
fn prints_lines_around_a_match() {
    let text = "1\n2\n3\n4\nhit\n6\n7\n8\n9\n10\nhit\n12\n";
    let workspace = Workspace::new(&[("a.txt", text)]);
    assert_eq!(
        grep(&workspace, json!({"pattern": "hit", "context": 1})),
        "a.txt-4-4\na.txt:5:hit\na.txt-6-6\n--\na.txt-10-10\na.txt:11:hit\na.txt-12-12\n"
    );
}

#[test]
fn matches_line_by_line() {
    assert_eq!(
        grep_text("alpha\nbeta\nalphabet\n", "^alpha$"),
        "a.txt:1:alpha\n"
    );
    assert_eq!(grep_text("a\nb\n", "a.b"), NOTHING);
    assert_eq!(grep_text("alpha\n\nbeta\n", "^$"), "a.txt:2:\n");
}

#[test]
fn knows_lookaround_and_backreferences() {
    assert_eq!(
        grep_text("foo bar\nfoo baz\n", "foo (?!bar)"),
        "a.txt:2:foo baz\n"
    );
    assert_eq!(
        grep_text("let needle\nfn needle\n", "(?<=let )needle"),
        "a.txt:1:let needle\n"
    );
    assert_eq!(
        grep_text("hello hello\nhello world\n", r"(\w+) \1"),
        "a.txt:1:hello hello\n"
    );
}

#[test]
fn gives_up_on_a_pattern_that_explodes() {
    let line = "a".repeat(200);
    assert_eq!(
        grep_text(line, r"^(?=(a+)+$)(a|aa)+\2b$"),
        "error: Pattern is too complex: Error executing regex: Max limit for backtracking count exceeded. Write it \
         without nested repetitions."
    );
}

#[test]
fn explains_a_broken_pattern() {
    let message = grep_text("", "a(");
    assert_eq!(
        message,
        "error: Invalid pattern: regex parse error:\n    (?:a()\n    ^\nerror: unclosed group"
    );
}

#[test]
fn skips_binary_files_and_survives_other_encodings() {
    let workspace = Workspace::new(&[]);
    workspace.write("lib.a", b"!<arch>\x00\x01needle\xff\xfe");
    workspace.write("latin1.txt", b"caf\xe9 needle\nneedle\n");
    assert_eq!(
        grep(&workspace, json!({"pattern": "needle"})),
        "latin1.txt:1:caf\u{fffd} needle\nlatin1.txt:2:needle\n"
    );
    assert_eq!(
        grep(&workspace, json!({"pattern": "(?<=caf. )needle"})),
        "latin1.txt:1:caf\u{fffd} needle\n"
    );
}

#[test]
fn cuts_long_output() {
    let text = "x\n".repeat(150);
    let workspace = Workspace::new(&[("a.txt", &text), ("b.txt", "x\n")]);
    let shown: String = (1..=100).map(|n| format!("a.txt:{n}:x\n")).collect();
    assert_eq!(
        grep(&workspace, json!({"pattern": "x"})),
        format!(
            "{shown}\n[Showing 100/101 lines of matches... Narrow down your search to see more.]\n"
        )
    );
}

#[test]
fn drops_context_that_fills_the_answer() {
    let text = "hit\n1\n2\n3\n4\n5\n6\n".repeat(50);
    let workspace = Workspace::new(&[("a.txt", &text)]);
    let matches: String = (0..50)
        .map(|n| format!("a.txt:{}:hit\n", n * 7 + 1))
        .collect();
    assert_eq!(
        grep(&workspace, json!({"pattern": "hit", "context": 2})),
        format!(
            "{matches}\n[The lines around the matches are left out, there are too many. A narrower search shows them.]"
        )
    );
}

#[test]
fn cuts_long_lines() {
    let line = format!("hit{}", "é".repeat(1000));
    assert_eq!(
        grep_text(line, "hit"),
        format!(
            "a.txt:1:hit{} [... omitted end of long line]\n",
            "é".repeat(498)
        )
    );
}

#[test]
fn searches_only_what_may_be_read_and_says_so() {
    let workspace = Workspace::new(&[("src/lib.rs", "needle"), ("secret.txt", "needle")])
        .rules([FsRule::new("src").with_read(true)]);
    assert_eq!(
        grep(&workspace, json!({"pattern": "needle"})),
        "src/lib.rs:1:needle\n"
    );
    assert_eq!(
        grep(
            &workspace,
            json!({"pattern": "needle", "paths": ["secret.txt"]})
        ),
        "Nothing matches in what could be searched.\n\nNote: 'secret.txt' was left out: this tool may not read it. The user \
         can say what it holds."
    );
    assert_eq!(
        grep(
            &workspace,
            json!({"pattern": "needle", "paths": ["src", "secret.txt"]})
        ),
        "src/lib.rs:1:needle\n\nNote: 'secret.txt' was left out: this tool may not read it. The user can say what \
         it holds."
    );
}

#[test]
fn keeps_what_is_suppressed() {
    let workspace = Workspace::new(&[(".git/HEAD", "ref: refs/heads/main")])
        .option("suppress", json!([".git/"]));
    assert_eq!(grep(&workspace, json!({"pattern": "refs"})), NOTHING);
    assert_eq!(
        grep(
            &workspace,
            json!({"pattern": "refs", "paths": [".git/HEAD"]})
        ),
        "Nothing matches in what could be searched.\n\nNote: '.git/HEAD' is suppressed from this tool's \
         results. If you need it, ask the user to provide it."
    );
}

#[cfg(unix)]
#[test]
fn does_not_follow_links_out() {
    let workspace = Workspace::new(&[("a.txt", "nothing")]);
    workspace.link("out.txt", workspace.outside().join("secret.txt"));
    workspace.link("out", workspace.outside());
    assert_eq!(grep(&workspace, json!({"pattern": "secret"})), NOTHING);
    assert_eq!(
        grep(
            &workspace,
            json!({"pattern": "secret", "paths": ["out.txt"]})
        ),
        "refusal: Path must not escape the workspace root."
    );
}

#[test]
fn a_line_ends_before_its_carriage_return() {
    for pattern in ["b$", "^ab$", "(?<=a)b$"] {
        assert_eq!(
            grep_text("ab\r\nabc\r\n", pattern),
            "a.txt:1:ab\n",
            "{pattern}"
        );
        assert_eq!(grep_text("ab\nabc\n", pattern), "a.txt:1:ab\n", "{pattern}");
    }
}

#[test]
fn a_pattern_may_not_take_all_memory() {
    let message = grep_text("a\n", "(.{1000}){1000}");
    assert_eq!(
        message,
        "error: Invalid pattern: compiled regex exceeds size limit of 10485760"
    );
}
