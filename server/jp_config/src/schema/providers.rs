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

use serde_json::{Value, json};

use super::{Effect, KeyKind, Merge, PathKind, Requirement, StringFormat, Variant, model, spec::*};

const STDIO: &[Variant] = &[variant(
    "stdio",
    "A process that speaks MCP on its standard streams.",
)];

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

fn llm() -> Spec {
    table([
        field(
            "aliases",
            "Short names of models; an alias may name another one.",
            map(KeyKind::Alias, model::model_id())
                .examples(&[r#"{ haiku = "anthropic/claude-haiku-4-5" }"#]),
        ),
        field(
            "anthropic",
            "Anthropic's API.",
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
            ]),
        ),
        field(
            "cerebras",
            "Cerebras' API.",
            table([key("CEREBRAS_API_KEY"), url("https://api.cerebras.ai")]),
        ),
        field(
            "deepseek",
            "DeepSeek's API.",
            table([key("DEEPSEEK_API_KEY"), url("https://api.deepseek.com")]),
        ),
        field(
            "google",
            "Google's Gemini API.",
            table([
                key("GEMINI_API_KEY"),
                url("https://generativelanguage.googleapis.com/v1beta"),
            ]),
        ),
        field(
            "llamacpp",
            "A local llama.cpp server.",
            table([url("http://127.0.0.1:8080")]),
        ),
        field(
            "ollama",
            "A local Ollama server.",
            table([url("http://localhost:11434")]),
        ),
        field(
            "openai",
            "OpenAI's API.",
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
            ]),
        ),
        field(
            "openrouter",
            "OpenRouter's API.",
            table([
                key("OPENROUTER_API_KEY"),
                url("https://openrouter.ai"),
                field(
                    "app_name",
                    "The name of this application.",
                    plain().default("JP"),
                ),
                field("app_referrer", "The address of this application.", plain()),
            ]),
        ),
        field(
            "xai",
            "xAI's API.",
            table([key("XAI_API_KEY"), url("https://api.x.ai")]).unreleased(),
        ),
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
            one_of(STDIO).required(Requirement::Local),
        ),
        field(
            "command",
            "The executable: a path, or a name on the search path.",
            string(StringFormat::Path(PathKind::Program)),
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
        field("optional", "Whether a failure to start is ignored.", boolean().default(false)),
        field("startup_timeout_secs", "How long the server may take to start, in seconds.", unsigned().default(60)),
    ])
    .hints(&[
        ("args", "write `arguments`"),
        ("env", "write `variables`"),
        ("binary_checksum", "write `checksum`"),
        ("url", "the only type is `stdio`"),
    ])
}

/// The checksum of an executable.
pub(super) fn checksum() -> Spec {
    shared("Checksum", || {
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
