use pretty_assertions::assert_eq;

use super::{ServerAddressError, parse};

#[test]
fn https_is_taken_from_anywhere_and_http_from_this_machine() {
    for address in [
        "https://docs.example/mcp",
        "HTTPS://docs.example",
        "http://localhost:8080/mcp",
        "http://127.0.0.1",
        "http://127.3.2.1:9/x",
        "http://[::1]:8080/",
    ] {
        assert!(parse(address).is_ok(), "{address}");
    }
}

#[test]
fn what_is_not_taken_says_what_to_write() {
    let said: Vec<String> = [
        "",
        " ",
        "docs.example/mcp",
        "https://",
        "ftp://docs.example",
        "localhost:8080",
        "http://docs.example/mcp",
        "http://localhost.example/mcp",
        "http://127.0.0.1.example/mcp",
        "https://me:secret@docs.example/mcp",
        "http://secret@docs.example/mcp",
    ]
    .into_iter()
    .map(|address| {
        let error = parse(address).unwrap_err();
        match error.suggestion() {
            Some(suggestion) => format!("{error} -> {suggestion}"),
            None => error.to_string(),
        }
    })
    .collect();
    expect_test::expect![[r#"
        the address is empty, write one such as `https://docs.example/mcp`
        the address is empty, write one such as `https://docs.example/mcp`
        `docs.example/mcp` is not an address: relative URL without a base; write one such as `https://docs.example/mcp`
        `https://` is not an address: empty host; write one such as `https://docs.example/mcp`
        `ftp://docs.example` cannot be asked over HTTP, write `https://…`
        `localhost:8080` cannot be asked over HTTP, write `https://…`
        what is sent to `http://docs.example/mcp` could be read and changed on its way: write `https://…`, or an address of this machine -> https://docs.example/mcp
        what is sent to `http://localhost.example/mcp` could be read and changed on its way: write `https://…`, or an address of this machine -> https://localhost.example/mcp
        what is sent to `http://127.0.0.1.example/mcp` could be read and changed on its way: write `https://…`, or an address of this machine -> https://127.0.0.1.example/mcp
        the address holds a name or a password, which anybody reads who reads the config: put a token into a variable of the environment, and name that as `bearer_token_env`
        the address holds a name or a password, which anybody reads who reads the config: put a token into a variable of the environment, and name that as `bearer_token_env`"#]].assert_eq(&said.join("\n"));
}

#[test]
fn a_password_is_not_said_again() {
    let error = parse("https://me:secret@docs.example/mcp").unwrap_err();
    assert_eq!(error, ServerAddressError::Credentials);
    for address in [
        "https://me:secret@",
        "me:secret@docs.example",
        "http://a:secret@b:x",
        "ftp://a:secret@b",
    ] {
        let error = parse(address).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
