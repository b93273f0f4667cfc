//! `jp-lsp schema`: the JSON Schemas of what goes in and out.
//!
//! ```text
//! $ jp-lsp schema check-output > check-output.schema.json
//! ```

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::{disk::user_settings, session::client::INITIALIZATION_OPTIONS_SCHEMA};

/// The JSON Schema of `jp-lsp check --format json`.
pub const CHECK_OUTPUT_SCHEMA: &str = include_str!("../../../../schemas/check-output.schema.json");

/// The JSON Schema of `.jp/policy.tests.toml`.
pub const POLICY_TESTS_SCHEMA: &str = include_str!("../../../../schemas/policy-tests.schema.json");

/// Which schema to print.
#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// Which schema to print.
    #[arg(value_enum, default_value_t = SchemaName::Config)]
    pub name: SchemaName,
}

/// A JSON Schema that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// A config file.
    Config,
    /// What a tool is told about where it runs.
    ToolContext,
    /// What a tool answers.
    ToolOutcome,
    /// What `jp-lsp check --format json` prints.
    CheckOutput,
    /// What an editor sends as `initializationOptions`.
    InitializationOptions,
    /// Examples beside rules, `.jp/policy.tests.toml`.
    PolicyTests,
    /// How findings are judged in a repository, `.jp/lsp.toml`.
    LspSettings,
    /// What a person lets servers do, `lsp.toml` in the folder of their own config.
    UserSettings,
}

/// Prints a schema; answers the exit code.
///
/// # Errors
///
/// When the output cannot be written.
pub fn run(arguments: &SchemaArguments, output: &mut dyn Write) -> io::Result<u8> {
    match arguments.name {
        SchemaName::Config => write_json(&jp_config::schema::json_schema(), output)?,
        SchemaName::ToolContext => write_text(jp_tool::TOOL_CONTEXT_SCHEMA, output)?,
        SchemaName::ToolOutcome => write_text(jp_tool::TOOL_OUTCOME_SCHEMA, output)?,
        SchemaName::CheckOutput => write_text(CHECK_OUTPUT_SCHEMA, output)?,
        SchemaName::InitializationOptions => write_text(INITIALIZATION_OPTIONS_SCHEMA, output)?,
        SchemaName::PolicyTests => write_text(POLICY_TESTS_SCHEMA, output)?,
        SchemaName::LspSettings => write_json(jp_analysis::settings::json_schema(), output)?,
        SchemaName::UserSettings => write_json(user_settings::json_schema(), output)?,
    }
    Ok(0)
}

fn write_json(schema: &Value, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, schema)?;
    writeln!(output)
}

fn write_text(text: &str, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{}", text.trim_end())
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
