use expect_test::expect;

use super::*;

#[test]
fn sections_lists_texts_and_comments_fold() {
    let text = "# one\n# two\na = 1 # not this\n# alone\n\n[b]\nc = [\n  { d = 1 },\n]\ne = \"\"\"\nx\n\"\"\"\nf = {\n  g = 1,\n}\n\n# of h\n# too\n[h]\n";
    let document = Document::parse(text);
    let shown: Vec<String> = folds(&document)
        .into_iter()
        .map(|fold| format!("{:?} {:?}", fold.kind, text.get(fold.span.range())))
        .collect();
    expect![[r##"
        Comment Some("# one\n# two")
        Region Some("[b]\nc = [\n  { d = 1 },\n]\ne = \"\"\"\nx\n\"\"\"\nf = {\n  g = 1,\n}")
        Region Some("[\n  { d = 1 },\n]")
        Region Some("\"\"\"\nx\n\"\"\"")
        Region Some("{\n  g = 1,\n}")
        Comment Some("# of h\n# too")"##]]
    .assert_eq(&shown.join("\n"));
}
