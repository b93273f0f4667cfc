use pretty_assertions::assert_eq;

use super::*;

fn resolve(provider: ProviderId, settings: ProviderSettings, variables: &[(&str, &str)]) -> String {
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let surroundings = Surroundings {
        variable: &environment,
        kept_key: &|_| Ok(None),
        may_send: &|_| true,
    };
    match Endpoint::resolve(provider, settings, surroundings) {
        Ok(endpoint) => format!("{} {}", endpoint.base, endpoint.key.unwrap_or_default()),
        Err(error) => error.to_string(),
    }
}

fn at(base_url: &str) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(base_url.into()),
        ..ProviderSettings::default()
    }
}

#[test]
fn every_provider_has_its_place() {
    let expected = [
        "https://api.anthropic.com/v1/ k",
        "https://api.cerebras.ai/v1/ k",
        "https://api.deepseek.com/v1/ k",
        "https://generativelanguage.googleapis.com/v1beta/ k",
        "http://127.0.0.1:8080/v1/ ",
        "http://localhost:11434/api/ ",
        "https://api.openai.com/v1/ k",
        "https://openrouter.ai/api/v1/ k",
        "https://api.x.ai/v1/ k",
    ];
    let keys = [
        "ANTHROPIC",
        "CEREBRAS",
        "DEEPSEEK",
        "GEMINI",
        "OPENAI",
        "OPENROUTER",
        "XAI",
    ];
    let keys = keys.map(|name| (format!("{name}_API_KEY"), " k\n"));
    let variables: Vec<_> = keys
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let found = ProviderId::ALL.map(|id| resolve(id, ProviderSettings::default(), &variables));
    assert_eq!(found, expected);
}

#[test]
fn a_base_url_may_have_a_path_and_its_version() {
    for (configured, expected) in [
        ("http://127.0.0.1:9", "http://127.0.0.1:9/v1/ "),
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/ "),
        ("http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1/ "),
        ("https://gate/way?x=1#y", "https://gate/way/v1/ "),
        ("https://gate/way/v1", "https://gate/way/v1/ "),
    ] {
        assert_eq!(resolve(ProviderId::Llamacpp, at(configured), &[]), expected);
    }
    for url in ["", "localhost:1", "file:///x", "127.0.0.1", "mailto:a@b"] {
        assert_eq!(
            resolve(ProviderId::Llamacpp, at(url), &[]),
            format!(
                "`{url}` is no base URL for llamacpp, write for example `http://127.0.0.1:8080`"
            )
        );
    }
}

#[test]
fn the_environment_names_the_place_and_the_key() {
    let variables = [
        ("OPENAI_BASE_URL", "https://fake"),
        ("OPENAI_API_KEY", "a"),
        ("MINE", "b"),
        ("PLACE", "https://here"),
    ];
    let settings = at("http://configured");
    assert_eq!(
        resolve(ProviderId::Openai, settings.clone(), &variables),
        "https://fake/v1/ a"
    );
    let settings = ProviderSettings {
        api_key_env: Some("MINE".into()),
        base_url_env: Some("PLACE".into()),
        ..settings
    };
    assert_eq!(
        resolve(ProviderId::Openai, settings.clone(), &variables),
        "https://here/v1/ b"
    );
    assert_eq!(
        resolve(ProviderId::Openai, settings, &[("MINE", " ")]),
        "openai needs an API key, set the environment variable `MINE` or keep the key with `jp-lsp key set MINE`"
    );
    let local = ProviderSettings {
        api_key_env: Some("MINE".into()),
        ..ProviderSettings::default()
    };
    assert_eq!(
        resolve(ProviderId::Ollama, local, &variables),
        "http://localhost:11434/api/ b"
    );
}

#[test]
fn names_are_those_of_model_ids() {
    for id in ProviderId::ALL {
        assert_eq!(id.as_str().parse(), Ok(id));
    }
    assert_eq!(
        "gpt".parse::<ProviderId>().unwrap_err().to_string(),
        "`gpt` is no provider, write one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, \
         `openai`, `openrouter`, `xai`"
    );
}

fn asked(provider: ProviderId, settings: &ProviderSettings) -> String {
    let environment = |name: &str| (name != "OPENAI_BASE_URL").then(|| "sesame".to_owned());
    let surroundings = Surroundings {
        variable: &environment,
        kept_key: &|_| Ok(None),
        may_send: &|_| false,
    };
    let refused = Endpoint::resolve(provider, settings.clone(), surroundings);
    match refused {
        Ok(_) => "sent".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_key_leaves_unasked_for_its_own_address_alone() {
    for id in ProviderId::ALL {
        assert_eq!(asked(id, &ProviderSettings::default()), "sent", "{id:?}");
    }
    let own = [
        "https://api.openai.com",
        "https://API.openai.com:443/v1",
        "https://user:word@api.openai.com/other",
    ];
    for address in own {
        assert_eq!(asked(ProviderId::Openai, &at(address)), "sent", "{address}");
    }
    for (address, origin) in [
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://localhost:9", "http://localhost:9"),
        ("http://[::1]:9", "http://[::1]:9"),
        ("https://api.openai.com:8443", "https://api.openai.com:8443"),
        (
            "https://api.openai.com.evil.example",
            "https://api.openai.com.evil.example",
        ),
        (
            "https://api.openai.com@evil.example",
            "https://evil.example",
        ),
        (
            "https://evil.example\\@api.openai.com",
            "https://evil.example",
        ),
        (
            "https://\u{430}pi.openai.com",
            "https://xn--pi-6kc.openai.com",
        ),
    ] {
        let expected = format!(
            "the key in `OPENAI_API_KEY` is not sent to {origin} for openai: nobody has confirmed that address for it; \
             run `jp-lsp trust` in the workspace, or name both in your own config file"
        );
        assert_eq!(asked(ProviderId::Openai, &at(address)), expected);
    }
    // The address of another provider is not its own.
    assert!(asked(ProviderId::Openai, &at("https://api.anthropic.com")).contains("nobody has"));
}

#[test]
fn a_key_never_crosses_a_network_in_clear() {
    for address in [
        "http://api.openai.com",
        "http://10.0.0.5:8080",
        "http://0.0.0.0:1",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://2130706434.example",
    ] {
        let refused = asked(ProviderId::Openai, &at(address));
        assert!(
            refused.contains("everybody on the way could read it"),
            "{address}: {refused}"
        );
    }
    // Without a key there is nothing to read.
    assert_eq!(
        asked(ProviderId::Ollama, &at("http://nas.local:11434")),
        "sent"
    );
}

#[test]
fn a_variable_that_is_named_for_a_provider_on_this_machine_is_asked_about() {
    let settings = ProviderSettings {
        api_key_env: Some("AWS_SECRET_ACCESS_KEY".into()),
        ..ProviderSettings::default()
    };
    let refused = asked(ProviderId::Ollama, &settings);
    assert!(
        refused.starts_with(
            "the key in `AWS_SECRET_ACCESS_KEY` is not sent to http://localhost:11434"
        ),
        "{refused}"
    );
}

fn kept(variables: &[(&str, &str)], kept: Result<Option<&str>, &str>, may_send: bool) -> String {
    let asked = std::cell::RefCell::new(String::new());
    let surroundings = Surroundings {
        variable: &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        },
        kept_key: &|name| {
            asked.borrow_mut().push_str(&format!(" (asked for {name})"));
            kept.map(|key| key.map(str::to_owned))
                .map_err(str::to_owned)
        },
        may_send: &|_| may_send,
    };
    let settings = at("https://gateway");
    let found = match Endpoint::resolve(ProviderId::Openai, settings, surroundings) {
        Ok(endpoint) => endpoint.key.unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    found + &asked.into_inner()
}

#[test]
fn a_kept_key_is_taken_where_the_environment_has_none() {
    let variables = [("OPENAI_API_KEY", "theirs")];
    assert_eq!(kept(&variables, Ok(Some("mine")), true), "theirs");
    assert_eq!(
        kept(&[("OPENAI_API_KEY", " ")], Ok(Some("mine")), true),
        "mine (asked for OPENAI_API_KEY)"
    );
    assert_eq!(
        kept(&[], Ok(None), true),
        "openai needs an API key, set the environment variable `OPENAI_API_KEY` or keep the key with `jp-lsp key set \
         openai` (asked for OPENAI_API_KEY)"
    );
    assert_eq!(
        kept(&[], Err("it is locked"), true),
        "openai needs an API key, set the environment variable `OPENAI_API_KEY` or keep the key with `jp-lsp key set \
         openai`; the key that is kept cannot be read: it is locked (asked for OPENAI_API_KEY)"
    );
}

#[test]
fn a_kept_key_goes_where_a_person_lets_it_go() {
    assert_eq!(
        kept(&[], Ok(Some("mine")), false),
        "the key in `OPENAI_API_KEY` is not sent to https://gateway for openai: nobody has confirmed that address for \
         it; run `jp-lsp trust` in the workspace, or name both in your own config file (asked for OPENAI_API_KEY)"
    );
}

#[test]
fn variables_of_kept_keys_are_written_in_capitals() {
    for name in ["OPENAI_API_KEY", "_X", "A1"] {
        assert!(is_key_variable(name), "{name}");
    }
    for name in ["", "openai", "1A", "A-B", "../A", "A/B", "ÄB", "A b"] {
        assert!(!is_key_variable(name), "{name}");
    }
}
