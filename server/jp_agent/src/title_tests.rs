use expect_test::expect;

use super::*;

#[test]
fn a_title_is_what_a_model_said_without_its_frame() {
    let said = [
        "Version without a date",
        "\n\n  \"Version without a date.\"\n\nI hope this helps!",
        "**Version without a date**",
        "# Version without a date",
        "Version\u{1b}[31m without\u{202e} a date",
        "\"\"",
        " \n",
    ];
    let titles: Vec<String> = said.map(|said| format!("{:?}", title_in(said))).into();
    expect![[r#"
        Some("Version without a date")
        Some("Version without a date")
        Some("Version without a date")
        Some("Version without a date")
        Some("Version[31m without a date")
        None
        None"#]]
    .assert_eq(&titles.join("\n"));
}
