//! What the templates of commands are rendered with, and what an editor judges them by.
//!
//! ```toml
//! command = "just serve-tools {{context}} {{tool}}"
//! ```

use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State,
    value::{Value, ValueKind},
};

/// More than any real command needs, and an end to a loop that has none.
const FUEL: u64 = 200_000;

/// The environment of every template of a command: its filters, tests and functions, and how it writes values.
///
/// It knows no other templates, so that none can be included or imported.
#[must_use]
pub fn environment<'source>() -> Environment<'source> {
    let mut environment = Environment::new();
    environment.set_formatter(write_value);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment
}

/// Strings, numbers and booleans as they are, nothing as `null`, everything else as JSON.
fn write_value(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => out.write_str("null")?,
        ValueKind::String => out.write_str(value.as_str().unwrap_or_default())?,
        ValueKind::Bool => out.write_str(if value.is_true() { "true" } else { "false" })?,
        ValueKind::Number => out.write_str(&value.to_string())?,
        _ => {
            let text = serde_json::to_string(value).map_err(|error| {
                Error::new(ErrorKind::BadSerialization, "no JSON").with_source(error)
            })?;
            out.write_str(&text)?;
        }
    }
    Ok(())
}
