use expect_test::expect;
use jp_llm::ProviderId;

use super::*;

#[test]
fn a_key_is_named_by_where_it_is() {
    let key = KeyUse {
        provider: ProviderId::Openai,
        variable: "OPENAI_API_KEY".to_owned(),
        origin: "http://127.0.0.1:8080".to_owned(),
    };
    let said = |is_kept| {
        let consent = send(&key, is_kept);
        format!("{}\n{}\n", consent.title, consent.text)
    };
    expect![[r#"
        Send the key in `OPENAI_API_KEY` to http://127.0.0.1:8080?
        The value of the environment variable `OPENAI_API_KEY` would go with every request for openai to http://127.0.0.1:8080, which is not the address of openai.
        The answer holds from now on for this variable and this address.
        Send the key in `OPENAI_API_KEY` to http://127.0.0.1:8080?
        The key that is kept in the keyring as `OPENAI_API_KEY` would go with every request for openai to http://127.0.0.1:8080, which is not the address of openai.
        The answer holds from now on for this variable and this address.
    "#]].assert_eq(&(said(false) + &said(true)));
}
