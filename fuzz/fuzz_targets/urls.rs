//! A canonical target is a fixed point, and nothing below a denied path is allowed.
#![no_main]

use std::sync::LazyLock;

use jp_tool::{NetPolicy, NetRule};
use libfuzzer_sys::fuzz_target;

static POLICY: LazyLock<NetPolicy> = LazyLock::new(|| {
    let rule = |path: Option<&str>, allow| NetRule {
        host: "a.com".to_owned(),
        path_prefix: path.map(str::to_owned),
        allow,
        ..NetRule::default()
    };
    NetPolicy::compile(&[rule(None, true), rule(Some("/admin"), false)]).unwrap()
});

fuzz_target!(|input: &str| {
    if let Ok(decision) = POLICY.decide(input) {
        assert!(decision.target.is_ascii());
        let (_, target) = decision.target.split_once("://").unwrap();
        assert!(!(decision.allowed && target.starts_with("a.com/admin/")));
        assert_eq!(POLICY.decide(&decision.target), Ok(decision));
    }
});
