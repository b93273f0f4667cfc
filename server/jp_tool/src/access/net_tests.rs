use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn rule(host: &str, allow: bool) -> NetRule {
    NetRule {
        host: host.to_owned(),
        allow,
        ..NetRule::default()
    }
}

fn at(host: &str, path: &str, allow: bool) -> NetRule {
    NetRule {
        path_prefix: Some(path.to_owned()),
        ..rule(host, allow)
    }
}

/// The example of RFD 076, "Network rules".
fn example() -> Vec<NetRule> {
    vec![
        rule("api.github.com", true),
        at("api.github.com", "/admin", false),
    ]
}

fn decided(rules: &[NetRule], target: &str) -> String {
    match NetPolicy::compile(rules).unwrap().decide(target) {
        Ok(decision) => format!(
            "{} by {} {}",
            if decision.allowed {
                "allowed"
            } else {
                "denied"
            },
            decision
                .rule
                .map_or("none".to_owned(), |rule| rule.to_string()),
            decision.target
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn hosts_and_path_prefixes() {
    for (target, expected) in [
        (
            "https://api.github.com/repos",
            "allowed by 0 https://api.github.com/repos",
        ),
        (
            "https://api.github.com/admin/users",
            "denied by 1 https://api.github.com/admin/users",
        ),
        (
            "https://api.github.com/administration",
            "allowed by 0 https://api.github.com/administration",
        ),
        (
            "https://api.github.com.evil.com/",
            "denied by none https://api.github.com.evil.com/",
        ),
        ("https://example.com", "denied by none https://example.com/"),
        (
            "https://API.GITHUB.COM./repos/?page=2#top",
            "allowed by 0 https://api.github.com/repos",
        ),
    ] {
        assert_eq!(decided(&example(), target), expected, "{target}");
    }
}

#[test]
fn a_user_name_is_never_the_host() {
    assert_eq!(
        decided(&example(), "https://api.github.com@evil.com/"),
        "denied by none https://evil.com/"
    );
    assert_eq!(
        decided(&example(), "https://user:secret@api.github.com/"),
        "allowed by 0 https://api.github.com/"
    );
    assert_eq!(
        decided(&example(), "https://evil.com\\@api.github.com/"),
        "denied by none https://evil.com/@api.github.com"
    );
}

#[test]
fn a_denied_path_cannot_be_respelled() {
    for target in [
        "https://api.github.com/%61dmin",
        "https://api.github.com//admin",
        "https://api.github.com/./admin",
        "https://api.github.com/x/../admin",
        "https://api.github.com/x/%2e%2e/admin",
        "https://api.github.com/admin/",
        "https://api.github.com\\admin",
        "https://api.github.com/admin%2Fusers",
        "https://api.github.com/admin%5Cusers",
        "https://api.github.com/x%2F..%2Fadmin",
    ] {
        let decision = decided(&example(), target);
        assert!(decision.starts_with("denied by 1 "), "{target}: {decision}");
    }
}

#[test]
fn an_encoded_separator_needs_both_readings() {
    let rules = [
        at("gitlab.com", "/api/projects", true),
        at("gitlab.com", "/api/projects/group%2Fsecret", false),
    ];
    for (target, expected) in [
        ("/api/projects/group%2Fopen", "allowed by 0"),
        ("/api/projects/group%2Fsecret", "denied by 1"),
        ("/api/projects%2Fgroup", "denied by none"),
        ("/api/projects/..%2F..%2Fadmin", "denied by none"),
    ] {
        let decision = decided(&rules, &format!("https://gitlab.com{target}"));
        assert!(
            decision.starts_with(&format!("{expected} ")),
            "{target}: {decision}"
        );
    }
}

#[test]
fn a_host_that_programs_disagree_on_is_never_granted() {
    let policy = NetPolicy::compile(&example()).unwrap();
    let reason = |target: &str| policy.decide(target).unwrap().reason;
    for target in [
        r"https://api.github.com\@evil.com/",
        r"https:\\api.github.com/repos",
        r"https:/\api.github.com/repos",
        r"https://api.github.com\repos",
    ] {
        assert_eq!(reason(target), Reason::Ambiguous, "{target}");
        assert!(policy.check(target).is_err(), "{target}");
    }
    // Behind the host all programs agree.
    for target in [
        r"https://api.github.com/a\b",
        r"https://api.github.com?a\b",
        r"https://api.github.com#a\b",
    ] {
        assert_eq!(reason(target), Reason::Granted, "{target}");
        assert!(policy.check(target).is_ok(), "{target}");
    }
}

#[test]
fn a_rule_without_port_is_about_the_default_port() {
    let open = [rule("example.com", true)];
    let fixed = [NetRule {
        port: Some(8443),
        ..rule("example.com", true)
    }];
    let standard = [NetRule {
        port: Some(443),
        ..rule("example.com", true)
    }];
    for (rules, target, expected) in [
        (
            &open,
            "https://example.com:443/",
            "allowed by 0 https://example.com/",
        ),
        (
            &open,
            "http://example.com/",
            "allowed by 0 http://example.com/",
        ),
        (
            &open,
            "ftp://example.com:21/",
            "allowed by 0 ftp://example.com/",
        ),
        (
            &standard,
            "ftp://example.com/",
            "denied by none ftp://example.com/",
        ),
        (
            &open,
            "https://example.com:8443/",
            "denied by none https://example.com:8443/",
        ),
        (
            &open,
            "https://example.com:80/",
            "denied by none https://example.com:80/",
        ),
        (
            &open,
            "ssh://example.com/",
            "allowed by 0 ssh://example.com/",
        ),
        (
            &open,
            "ssh://example.com:22/",
            "denied by none ssh://example.com:22/",
        ),
        (
            &fixed,
            "https://example.com:8443/",
            "allowed by 0 https://example.com:8443/",
        ),
        (
            &fixed,
            "https://example.com/",
            "denied by none https://example.com/",
        ),
        (
            &standard,
            "https://example.com/",
            "allowed by 0 https://example.com/",
        ),
        (
            &standard,
            "http://example.com/",
            "denied by none http://example.com/",
        ),
        (
            &standard,
            "http://example.com:443/",
            "allowed by 0 http://example.com:443/",
        ),
    ] {
        assert_eq!(decided(rules, target), expected, "{target}");
    }
}

#[test]
fn specificity_counts_scheme_port_and_segments() {
    let https = NetRule {
        scheme: Some("HTTPS".to_owned()),
        ..rule("a.com", true)
    };
    let port = NetRule {
        port: Some(443),
        ..rule("a.com", false)
    };
    let path = at("a.com", "/x", false);
    let both = NetRule {
        port: Some(443),
        ..https.clone()
    };
    for (rules, target, expected) in [
        (
            vec![https.clone(), rule("a.com", false)],
            "https://a.com/x",
            "allowed by 0",
        ),
        (
            vec![https.clone(), port.clone()],
            "https://a.com/x",
            "denied by 1",
        ),
        (
            vec![port.clone(), https.clone()],
            "https://a.com/x",
            "allowed by 1",
        ),
        (
            vec![https.clone(), path.clone()],
            "https://a.com/x",
            "denied by 1",
        ),
        (
            vec![path.clone(), https.clone()],
            "https://a.com/x",
            "allowed by 1",
        ),
        (
            vec![both.clone(), path.clone()],
            "https://a.com/x",
            "allowed by 0",
        ),
        (
            vec![both, at("a.com", "/x/y", false)],
            "https://a.com/x/y",
            "denied by 1",
        ),
        (
            vec![https, rule("a.com", false)],
            "http://a.com/",
            "denied by 1",
        ),
    ] {
        let decision = decided(&rules, target);
        assert!(
            decision.starts_with(&format!("{expected} ")),
            "{rules:?}: {decision}"
        );
    }
}

#[test]
fn hosts_are_compared_in_one_form() {
    for (host, target) in [
        ("münchen.de", "https://xn--mnchen-3ya.de/"),
        ("xn--mnchen-3ya.de", "https://MÜNCHEN.de/"),
        ("127.0.0.1", "http://0x7f.1/"),
        ("[::1]", "http://[0:0:0:0:0:0:0:1]/"),
        ("::1", "http://[::1]/"),
        ("example.com.", "https://example.com/"),
        ("EXAMPLE.com", "ssh://EXAMPLE.com/"),
    ] {
        let decision = decided(&[rule(host, true)], target);
        assert!(decision.starts_with("allowed by 0 "), "{host}: {decision}");
    }
}

#[test]
fn a_target_without_a_host_is_refused() {
    for rules in [example(), vec![]] {
        assert_eq!(
            decided(&rules, "api.github.com"),
            "`api.github.com` is not an absolute URL (relative URL without a base); \
             write one such as `https://example.com/path`"
        );
        assert_eq!(
            decided(&rules, "mailto:a@b"),
            "`mailto:a@b` names no host; write a URL such as `https://example.com/path`"
        );
        assert_eq!(
            decided(&rules, "file:///etc/passwd"),
            "`file:///etc/passwd` names no host; write a URL such as `https://example.com/path`"
        );
        assert_eq!(
            decided(&rules, "https://u:p@a..b/"),
            "cannot connect to `https://a..b/`: host `a..b` has an empty label; \
             write the dots only between names"
        );
    }
}

#[test]
fn rules_that_match_nothing_are_refused() {
    let error = |rule: NetRule| {
        NetPolicy::compile(&[example().remove(0), rule])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(rule("*.a.com", true)),
        "access.net, rule 2: host `*.a.com` holds `*`, which matches no host; write one rule for each host"
    );
    assert_eq!(
        error(NetRule {
            scheme: Some("https://".to_owned()),
            ..rule("a.com", true)
        }),
        "access.net, rule 2: scheme `https://` is not a scheme; write its name alone, such as `https`"
    );
    assert_eq!(
        error(at("a.com", "/x?y", true)),
        "access.net, rule 2: path prefix `/x?y` holds `?`; write the path alone, `/x`"
    );
    assert_eq!(
        error(at("a.com", "/x/../y", true)),
        "access.net, rule 2: path prefix `/x/../y` holds `..`; write the path without it"
    );
}

#[test]
fn a_grant_reads_like_a_url() {
    let policy = NetPolicy::compile(&[
        NetRule {
            scheme: Some("https".to_owned()),
            port: Some(8443),
            ..at("A.com", "x//y/", true)
        },
        rule("b.com", false),
        rule("c.com", true),
    ])
    .unwrap();
    assert_eq!(
        policy.granting_targets().collect::<Vec<_>>(),
        ["https://a.com:8443/x/y", "c.com"]
    );
}

proptest! {
    /// No text panics, and a canonical target is decided like the target itself.
    #[test]
    fn canonical_targets_are_fixed_points(
        target in r"(https?|ssh)://(a\.com|b@a\.com|A\.com\.)(:[0-9]{1,4})?(/(admin|%61dmin|x|%2F|\.\.|%C3|ü)?){0,4}|.*"
    ) {
        let policy = NetPolicy::compile(&[rule("a.com", true), at("a.com", "/admin", false)]).unwrap();
        if let Ok(decision) = policy.decide(&target) {
            prop_assert!(decision.target.is_ascii());
            prop_assert_eq!(policy.decide(&decision.target), Ok(decision));
        }
    }
}
