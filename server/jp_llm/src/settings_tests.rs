use pretty_assertions::assert_eq;

use super::*;

fn resolve(provider: ProviderId, settings: ProviderSettings, variables: &[(&str, &str)]) -> String {
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    match Endpoint::resolve(provider, settings, &environment) {
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
        ("OPENAI_BASE_URL", "http://fake"),
        ("OPENAI_API_KEY", "a"),
        ("MINE", "b"),
        ("PLACE", "http://here"),
    ];
    let settings = at("http://configured");
    assert_eq!(
        resolve(ProviderId::Openai, settings.clone(), &variables),
        "http://fake/v1/ a"
    );
    let settings = ProviderSettings {
        api_key_env: Some("MINE".into()),
        base_url_env: Some("PLACE".into()),
        ..settings
    };
    assert_eq!(
        resolve(ProviderId::Openai, settings.clone(), &variables),
        "http://here/v1/ b"
    );
    assert_eq!(
        resolve(ProviderId::Openai, settings, &[("MINE", " ")]),
        "openai needs an API key, set the environment variable `MINE`"
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
