use expect_test::expect;
use proptest::prelude::*;

use super::*;

#[test]
fn a_title_is_the_beginning_of_a_question() {
    let questions = [
        "What does main.rs do?",
        "Why does the version lack its date? I looked at `build.rs`.",
        "Fix it. Please.",
        "\n\n  ## Refactor the   parser\nand its tests",
        "Look at e.g. the lexer. Then stop.",
        "Wait... what",
        "Rename `alpha_beta_gamma_delta_epsilon_zeta` to something that people can say aloud, everywhere",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\u{1b}[31mred\u{7} text\u{202e}",
        ".\0",
        "\u{1b}",
        "   \n",
        "",
    ];
    let titles: String = questions
        .iter()
        .map(|question| format!("{:?}\n", title_of(question)))
        .collect();
    expect![[r#"
        Some("What does main.rs do?")
        Some("Why does the version lack its date?")
        Some("Fix it")
        Some("Refactor the parser")
        Some("Look at e.g. the lexer")
        Some("Wait... what")
        Some("Rename `alpha_beta_gamma_delta_epsilon_zeta` to something…")
        Some("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
        Some("[31mred text")
        Some(".")
        None
        None
        None
    "#]]
    .assert_eq(&titles);
}

proptest! {
    #[test]
    fn a_title_is_short_and_on_one_line(question in "(\\PC|\\pC|[ .?!\n#]){0,200}") {
        if let Some(title) = title_of(&question) {
            prop_assert!(!title.trim().is_empty());
            prop_assert!(title.chars().count() <= 60);
            prop_assert!(!title.chars().any(char::is_control), "{title:?}");
        }
    }
}
