//! The compiled evaluators against a direct reading of the RFDs, on random rules and targets.

use camino::Utf8Path;
use pretty_assertions::assert_eq;
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::{
    ConfigCapability, ConfigPath, ConfigPolicy, ConfigRule, EnvPolicy, EnvRule, FsCapability,
    FsPolicy, FsRule, NetPolicy, NetRule, WriteGrant, overlaps_sensitive,
};

/// The last of the rules that match with the greatest specificity.
fn most_specific<R, S: Ord>(rules: &[R], specificity: impl Fn(&R) -> Option<S>) -> Option<usize> {
    let mut best: Option<(S, usize)> = None;
    for (index, rule) in rules.iter().enumerate() {
        if let Some(specificity) = specificity(rule)
            && best.as_ref().is_none_or(|(best, _)| specificity >= *best)
        {
            best = Some((specificity, index));
        }
    }
    best.map(|(_, index)| index)
}

fn names(path: &str) -> Vec<&str> {
    path.split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .collect()
}

fn fs_path() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just(".".to_owned()),
        8 => vec(select(vec!["a", "b", "ab", "*", ".env"]), 1..4).prop_map(|names| names.join("/")),
    ]
}

fn fs_rule() -> impl Strategy<Value = FsRule> {
    let flag = || option::of(any::<bool>());
    (fs_path(), flag(), flag(), flag(), flag()).prop_map(|(path, read, write, create, execute)| {
        FsRule::new(path)
            .with_read(read)
            .with_write(write)
            .with_create(create)
            .with_execute(execute)
    })
}

fn env_name(last: &'static str) -> impl Strategy<Value = String> {
    (
        vec(select(vec!["A", "B", "_", "AB"]), 0..4),
        select(vec!["", last]),
    )
        .prop_map(|(parts, last)| parts.concat() + last)
        .prop_filter("a name", |name| !name.is_empty())
}

fn net_rule() -> impl Strategy<Value = NetRule> {
    (
        select(vec!["a.com", "B.com", "a.com."]),
        option::of(select(vec!["http", "HTTPS", "ssh"])),
        option::of(select(vec![80_u16, 443, 8080])),
        option::of(vec(select(vec!["x", "y", "", "%78"]), 0..4)),
        any::<bool>(),
    )
        .prop_map(|(host, scheme, port, path, allow)| NetRule {
            host: host.to_owned(),
            scheme: scheme.map(str::to_owned),
            port,
            path_prefix: path.map(|segments| format!("/{}", segments.join("/"))),
            allow,
        })
}

fn config_path() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(select(vec!["a", "b", "*"]), 1..5).prop_map(|keys| keys.join(".")),
        select(vec![
            "conversation",
            "conversation.tools",
            "conversation.tools.a",
            "conversation.tools.*.access",
            "conversation.tools.a.access.fs",
            "conversation.tools.a.run",
        ])
        .prop_map(str::to_owned),
    ]
}

fn config_rule() -> impl Strategy<Value = ConfigRule> {
    let write = select(vec![
        WriteGrant::No,
        WriteGrant::Yes,
        WriteGrant::InsecureAllow,
    ]);
    (config_path(), any::<bool>(), write, any::<bool>()).prop_map(|(path, read, write, delete)| {
        ConfigRule {
            path,
            read,
            write,
            delete,
            ..ConfigRule::default()
        }
    })
}

/// RFD 076, "Network rules", for targets made of plain parts.
fn net_specificity(
    rule: &NetRule,
    scheme: &str,
    host: &str,
    port: Option<u16>,
    path: &[&str],
) -> Option<usize> {
    let default = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let same_host = rule.host.to_lowercase().trim_end_matches('.') == host;
    let same_scheme = rule
        .scheme
        .as_ref()
        .is_none_or(|expected| expected.to_lowercase() == scheme);
    let same_port = match rule.port {
        Some(expected) => port.or(default) == Some(expected),
        None => port.is_none() || port == default,
    };
    let prefix = rule
        .path_prefix
        .as_deref()
        .unwrap_or("")
        .replace("%78", "x");
    let prefix = names(&prefix);
    let matches = same_host && same_scheme && same_port && path.starts_with(&prefix);
    matches.then(|| {
        usize::from(rule.scheme.is_some()) + usize::from(rule.port.is_some()) + prefix.len()
    })
}

proptest! {
    #[test]
    fn fs(rules in vec(fs_rule(), 0..12), target in fs_path()) {
        let policy = FsPolicy::compile(&rules).unwrap();
        let path = names(&target);
        let winner = most_specific(&rules, |rule| {
            let prefix = names(rule.path().as_str());
            path.starts_with(&prefix).then_some(prefix.len())
        });
        for capability in FsCapability::ALL {
            let expected = match winner {
                _ if rules.is_empty() => true,
                None => false,
                Some(index) => rules[index].grants(capability),
            };
            let decision = policy.decide(capability, Utf8Path::new(&target));
            assert_eq!((decision.allowed, decision.rule), (expected, winner));
        }
    }

    #[test]
    fn env(declared in vec((env_name("*"), any::<bool>()), 0..16), name in env_name("")) {
        let rules: Vec<EnvRule> =
            declared.into_iter().map(|(name, read)| EnvRule { name, read }).collect();
        let winner = most_specific(&rules, |rule| match rule.name.strip_suffix('*') {
            Some(literal) => name.starts_with(literal).then_some((literal.len(), false)),
            None => (name == rule.name).then_some((name.len(), true)),
        });
        let expected = winner.map_or(rules.is_empty(), |index| rules[index].read);
        let decision = EnvPolicy::compile(&rules).unwrap().decide(&name);
        assert_eq!((decision.allowed, decision.rule), (expected, winner));
    }

    #[test]
    fn net(
        rules in vec(net_rule(), 0..12),
        scheme in select(vec!["http", "https", "ssh"]),
        host in select(vec!["a.com", "b.com", "c.com"]),
        port in option::of(select(vec![80_u16, 443, 8080])),
        path in vec(select(vec!["x", "y", "z"]), 0..4),
    ) {
        let winner = most_specific(&rules, |rule| net_specificity(rule, scheme, host, port, &path));
        let expected = winner.map_or(rules.is_empty(), |index| rules[index].allow);
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        let target = format!("{scheme}://{host}{port}/{}", path.join("/"));
        let decision = NetPolicy::compile(&rules).unwrap().decide(&target).unwrap();
        assert_eq!((decision.allowed, decision.rule), (expected, winner), "{target}");
    }

    #[test]
    fn config(rules in vec(config_rule(), 0..12), target in config_path()) {
        let policy = ConfigPolicy::compile(&rules).unwrap();
        let path = ConfigPath::parse(&target).unwrap();
        let keys: Vec<&str> = target.split('.').collect();
        let winner = most_specific(&rules, |rule| {
            let pattern: Vec<&str> = rule.path.split('.').collect();
            let matches = pattern.len() <= keys.len()
                && pattern.iter().zip(&keys).all(|(pattern, key)| *pattern == "*" || pattern == key);
            matches.then_some(pattern.len())
        });
        for capability in [ConfigCapability::Read, ConfigCapability::Write, ConfigCapability::Delete] {
            let expected = winner.is_some_and(|index| {
                let rule = &rules[index];
                let granted = match capability {
                    ConfigCapability::Read => return rule.read,
                    ConfigCapability::Write => rule.write != WriteGrant::No,
                    ConfigCapability::Delete => rule.delete,
                };
                granted && (rule.write == WriteGrant::InsecureAllow || !overlaps_sensitive(&path))
            });
            let decision = policy.decide(capability, &path);
            assert_eq!((decision.allowed, decision.rule), (expected, winner));
        }
    }
}
