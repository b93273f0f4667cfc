use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn checked(host: &str) -> String {
    match validate_host(host) {
        Ok(host) => host.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn spellings_of_one_host_are_one_host() {
    for (written, normalized) in [
        ("api.github.com", "api.github.com"),
        ("API.GitHub.com.", "api.github.com"),
        ("münchen.de", "xn--mnchen-3ya.de"),
        ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("MÜNCHEN.DE", "xn--mnchen-3ya.de"),
        ("example。com", "example.com"),
        ("ｅｘａｍｐｌｅ.com", "example.com"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("①②⑦.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("::1", "[::1]"),
        ("[0:0:0:0:0:0:0:1]", "[::1]"),
        ("2001:DB8::1", "[2001:db8::1]"),
    ] {
        assert_eq!(checked(written), normalized, "{written}");
    }
}

#[test]
fn anything_else_says_what_to_write() {
    for (written, message) in [
        (
            "",
            "the host is empty; write a name such as `api.example.com`",
        ),
        (
            "https://api.github.com/x",
            "host `https://api.github.com/x` holds a scheme; \
             write `host = \"api.github.com\"` and `scheme = \"https\"`",
        ),
        (
            "user@example.com",
            "host `user@example.com` holds a user name; write `host = \"example.com\"`",
        ),
        (
            "example.com/admin",
            "host `example.com/admin` holds a path; \
             write `host = \"example.com\"` and `path_prefix = \"/admin\"`",
        ),
        (
            "example.com:8080",
            "host `example.com:8080` holds a port; write `host = \"example.com\"` and `port = 8080`",
        ),
        (
            "[::1]:80",
            "host `[::1]:80` holds a port; write `host = \"[::1]\"` and `port = 80`",
        ),
        (
            "*.github.com",
            "host `*.github.com` holds `*`, which matches no host; write one rule for each host",
        ),
        (
            "a..b",
            "host `a..b` has an empty label; write the dots only between names",
        ),
        (
            ".example.com",
            "host `.example.com` has an empty label; write the dots only between names",
        ),
        (
            "%65xample.com",
            "host `%65xample.com` is not a valid host (percent-encoding is not decoded here); \
             write a name such as `api.example.com` or an IP address",
        ),
        (
            "a b",
            "host `a b` is not a valid host (invalid international domain name); \
             write a name such as `api.example.com` or an IP address",
        ),
        (
            "1.2.3.4.5",
            "host `1.2.3.4.5` is not a valid host (invalid IPv4 address); \
             write a name such as `api.example.com` or an IP address",
        ),
    ] {
        assert_eq!(checked(written), message, "{written}");
    }
}

proptest! {
    /// No text panics, and what is accepted is a fixed point.
    #[test]
    fn normalized_hosts_are_fixed_points(host in r"[a-zA-Z0-9.:\[\]ü%@/*-]{0,12}|.*") {
        if let Ok(normalized) = validate_host(&host) {
            prop_assert!(normalized.as_str().is_ascii());
            prop_assert_eq!(validate_host(normalized.as_str()), Ok(normalized));
        }
    }
}
