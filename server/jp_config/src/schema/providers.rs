//! `providers`: model providers, model aliases and MCP servers.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"
//!
//! [providers.mcp.bookworm]
//! type = "stdio"
//! command = "just"
//! arguments = ["serve-bookworm"]
//! ```

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{
    Effect, KeyKind, Merge, PathKind, Requirement, Shared, StringFormat, Variant, model, spec::*,
};

const REACH: &[Variant] = &[
    variant(
        "stdio",
        "A process that speaks MCP on its standard streams.",
    ),
    new_variant(
        "http",
        "An address that is spoken to over HTTP (the transport \"streamable HTTP\" of MCP).",
    ),
];

const ALGORITHM: &[Variant] = &[variant("sha256", "SHA-256."), variant("sha1", "SHA-1.")];

pub(super) fn providers() -> Spec {
    table([
        field("llm", "Model providers.", llm()),
        field(
            "mcp",
            "MCP servers, by name.",
            map(
                KeyKind::Server,
                server()
                    .never_null()
                    .doc("An MCP server.")
                    .effect(Effect::Process),
            )
            .privileged(),
        ),
    ])
}

/// A model provider.
struct Provider {
    /// Its name in model ids and under `providers.llm`.
    name: &'static str,
    /// What it is.
    doc: &'static str,
    /// What it is where a model id names it.
    id_doc: &'static str,
    /// Its table under `providers.llm`.
    settings: fn() -> Spec,
}

/// The model providers, in the order in which documentation shows them.
const PROVIDERS: [Provider; 9] = [
    Provider {
        name: "anthropic",
        doc: "Anthropic's API.",
        id_doc: "Anthropic's API, configured under `providers.llm.anthropic`.",
        settings: anthropic,
    },
    Provider {
        name: "cerebras",
        doc: "Cerebras' API.",
        id_doc: "Cerebras' API, configured under `providers.llm.cerebras`.",
        settings: || table([key("CEREBRAS_API_KEY"), url("https://api.cerebras.ai")]),
    },
    Provider {
        name: "deepseek",
        doc: "DeepSeek's API.",
        id_doc: "DeepSeek's API; the released `jp` does not implement it.",
        settings: || table([key("DEEPSEEK_API_KEY"), url("https://api.deepseek.com")]),
    },
    Provider {
        name: "google",
        doc: "Google's Gemini API.",
        id_doc: "Google's Gemini API, configured under `providers.llm.google`.",
        settings: || {
            let address = "https://generativelanguage.googleapis.com/v1beta";
            table([key("GEMINI_API_KEY"), url(address)])
        },
    },
    Provider {
        name: "llamacpp",
        doc: "A local llama.cpp server.",
        id_doc: "A local llama.cpp server, configured under `providers.llm.llamacpp`.",
        settings: || table([url("http://127.0.0.1:8080")]),
    },
    Provider {
        name: "ollama",
        doc: "A local Ollama server.",
        id_doc: "A local Ollama server, configured under `providers.llm.ollama`.",
        settings: || table([url("http://localhost:11434")]),
    },
    Provider {
        name: "openai",
        doc: "OpenAI's API.",
        id_doc: "OpenAI's API, configured under `providers.llm.openai`.",
        settings: openai,
    },
    Provider {
        name: "openrouter",
        doc: "OpenRouter's API.",
        id_doc: "OpenRouter's API, configured under `providers.llm.openrouter`.",
        settings: openrouter,
    },
    Provider {
        name: "xai",
        doc: "xAI's API.",
        id_doc: "xAI's API; the released `jp` does not implement it.",
        settings: || table([key("XAI_API_KEY"), url("https://api.x.ai")]).unreleased(),
    },
];

/// The names of the model providers, as model ids spell them.
pub fn provider_names() -> impl Iterator<Item = &'static str> {
    PROVIDERS.iter().map(|provider| provider.name)
}

/// The providers as what a model id may name.
pub(super) static PROVIDER: LazyLock<Vec<Variant>> = LazyLock::new(|| {
    let variants = PROVIDERS.iter();
    variants
        .map(|provider| variant(provider.name, provider.id_doc))
        .collect()
});

fn llm() -> Spec {
    let aliases = field(
        "aliases",
        "Short names of models; an alias may name another one.",
        map(KeyKind::Alias, model::model_id())
            .examples(&[r#"{ haiku = "anthropic/claude-haiku-4-5" }"#]),
    );
    let providers = PROVIDERS
        .iter()
        .map(|provider| field(provider.name, provider.doc, (provider.settings)()));
    table_of([aliases].into_iter().chain(providers))
}

fn anthropic() -> Spec {
    table([
        key("ANTHROPIC_API_KEY"),
        url("https://api.anthropic.com"),
        field(
            "chain_on_max_tokens",
            "Whether an answer that hits the token limit is continued.",
            boolean().default(true),
        ),
        field(
            "beta_headers",
            "Beta features to ask for; those of later layers follow.",
            list(plain())
                .merge(Merge::Append)
                .default(Value::Array(Vec::new())),
        ),
    ])
}

fn openai() -> Spec {
    table([
        key("OPENAI_API_KEY"),
        url("https://api.openai.com"),
        field(
            "base_url_env",
            "The environment variable that overrides `base_url`.",
            string(StringFormat::EnvName)
                .default("OPENAI_BASE_URL")
                .privileged()
                .effect(Effect::AddressVariable),
        ),
    ])
}

fn openrouter() -> Spec {
    table([
        key("OPENROUTER_API_KEY"),
        url("https://openrouter.ai"),
        field(
            "app_name",
            "The name of this application.",
            plain().default("JP"),
        ),
        field("app_referrer", "The address of this application.", plain()),
    ])
}

fn key(variable: &'static str) -> (&'static str, Spec) {
    field(
        "api_key_env",
        "The environment variable that holds the API key.",
        string(StringFormat::EnvName)
            .default(variable)
            .privileged()
            .effect(Effect::Key),
    )
}

fn url(address: &'static str) -> (&'static str, Spec) {
    field(
        "base_url",
        "The address of the API.",
        plain()
            .default(address)
            .privileged()
            .effect(Effect::Address),
    )
}

fn server() -> Spec {
    table([
        field(
            "type",
            "How the server is reached; every file that names the server must say it.",
            one_of(REACH).required(Requirement::Local),
        ),
        field(
            "command",
            "The executable of a server of type `stdio`: a path, or a name on the search path.",
            string(StringFormat::Path(PathKind::Program)).required(Requirement::Companion {
                key: "type",
                value: "stdio",
            }),
        ),
        field(
            "arguments",
            "The arguments of the command.\n\nA later layer's list stands instead of this one.",
            list(plain()).default(Value::Array(Vec::new())),
        ),
        field(
            "variables",
            "The environment variables that the server may see.\n\nA later layer's list stands instead of this one.",
            list(string(StringFormat::EnvName)).default(Value::Array(Vec::new())),
        ),
        field("checksum", "The checksum that the executable must have.", checksum().optional()),
        field(
            "url",
            "The address of a server of type `http`: over `https`, or on this machine.",
            string(StringFormat::ServerAddress)
                .unreleased()
                .required(Requirement::Companion { key: "type", value: "http" }),
        ),
        field(
            "bearer_token_env",
            "The environment variable with the token that a server of type `http` is sent.",
            string(StringFormat::EnvName).unreleased(),
        ),
        field("optional", "Whether a failure to start is ignored.", boolean().default(false)),
        field("startup_timeout_secs", "How long the server may take to start, in seconds.", unsigned().default(60)),
    ])
    .hints(&[
        ("args", "write `arguments`"),
        ("env", "write `variables`"),
        ("binary_checksum", "write `checksum`"),
        ("headers", "name the variable with a token as `bearer_token_env`"),
    ])
}

/// The checksum of an executable.
pub(super) fn checksum() -> Spec {
    shared(Shared::Checksum, || {
        table([
            field(
                "algorithm",
                "The algorithm.",
                one_of(ALGORITHM).default(json!("sha256")),
            ),
            field(
                "value",
                "The checksum in hexadecimal digits.",
                plain().required(Requirement::Conditional),
            ),
        ])
    })
}
