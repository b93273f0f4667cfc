//! `jp-lsp explain CODE`: the page of a diagnostic, out of the binary.
//!
//! ```text
//! $ jp-lsp explain rule-shadowed
//! # `rule-shadowed`
//!
//! **error**: a rule that earlier rules with another mode always decide first.
//! ```

use std::io::{self, Write};

use jp_analysis::Code;
use jp_config::words::suggest;

use crate::disk::pages;

/// What lists the codes instead of being one.
const LIST: &str = "codes";

/// Prints the page of a code, or for `codes` the list of them.
///
/// # Errors
///
/// What to write instead, where no code has the name; else what the system says.
pub(crate) fn print(name: &str, output: &mut dyn Write) -> Result<(), PageError> {
    if name == LIST {
        for code in Code::ALL {
            let severity = code.severity().as_str();
            writeln!(
                output,
                "{:26} {severity:12} {}",
                code.as_str(),
                code.summary()
            )?;
        }
        return Ok(());
    }
    let page = pages::all().find(|(known, _)| *known == name);
    let (_, text) = page.ok_or_else(|| {
        let known = pages::all().map(|(known, _)| known);
        let topics = ["policy", "access", "config"];
        PageError::Unknown {
            written: jp_conversation::visible(name).to_string(),
            near: suggest(name, known.chain(topics)),
        }
    })?;
    writeln!(output, "{}", text.trim_end())?;
    Ok(())
}

/// Why no page was printed.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// No code and no topic has the name.
    #[error("`{written}` is no topic and no code of a finding{}: `jp-lsp explain {LIST}` lists the codes", near.as_ref().map_or_else(String::new, |near| format!(", did you mean `{near}`?")))]
    Unknown {
        /// The name.
        written: String,
        /// The code or topic that was probably meant.
        near: Option<&'static str>,
    },
    /// The page could not be written.
    #[error("the page cannot be written: {0}")]
    Output(#[from] io::Error),
}
