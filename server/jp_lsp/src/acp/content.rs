//! What a person says, out of the pieces in which an ACP client sends it.
//!
//! ```json
//! [{"type": "text", "text": "What does this do?"},
//!  {"type": "resource", "resource": {"uri": "file:///w/src/main.rs", "text": "fn main() {}\n"}}]
//! ```
//!
//! A file that the client sends along stands below the words in a fence, and one that it only names as a link.

use agent_client_protocol::v1::schema::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ResourceLink,
};
use camino::Utf8Path;
use jp_conversation::fenced;
use url::Url;

/// Why a prompt cannot be asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ContentError {
    /// There are no words in it.
    #[error("the prompt is empty: write what to ask")]
    Empty,
    /// It holds what no model of ours is sent.
    #[error("{0} cannot be sent to the model: send text, or name a file")]
    Unsupported(&'static str),
}

/// The question.
pub(super) fn question(root: &Utf8Path, blocks: &[ContentBlock]) -> Result<String, ContentError> {
    let mut said = String::new();
    let mut files = String::new();
    for block in blocks {
        match block {
            ContentBlock::Text(text) => said.push_str(&text.text),
            ContentBlock::ResourceLink(link) => said.push_str(&mention(root, link)),
            ContentBlock::Resource(resource) => {
                let (name, text) = embedded(root, resource)?;
                said.push_str(&format!("`{name}`"));
                files.push_str(&format!("\n\n`{name}`:\n\n{}", fenced("", text).trim_end()));
            }
            ContentBlock::Image(_) => return Err(ContentError::Unsupported("an image")),
            ContentBlock::Audio(_) => return Err(ContentError::Unsupported("a sound")),
            _ => return Err(ContentError::Unsupported("what is neither text nor a file")),
        }
    }
    if said.trim().is_empty() {
        return Err(ContentError::Empty);
    }
    Ok(said + &files)
}

fn mention(root: &Utf8Path, link: &ResourceLink) -> String {
    format!("`{}`", place(root, &link.uri))
}

fn embedded<'a>(
    root: &Utf8Path,
    resource: &'a EmbeddedResource,
) -> Result<(String, &'a str), ContentError> {
    match &resource.resource {
        EmbeddedResourceResource::TextResourceContents(contents) => {
            Ok((place(root, &contents.uri), &contents.text))
        }
        _ => Err(ContentError::Unsupported("a file that is no text")),
    }
}

/// A file of the workspace as tools name it, and everything else by its address.
fn place(root: &Utf8Path, uri: &str) -> String {
    let path = Url::parse(uri)
        .ok()
        .filter(|url| url.scheme() == "file")
        .and_then(|url| url.to_file_path().ok());
    let shown = match path.as_deref().and_then(Utf8Path::from_path) {
        Some(path) => path.strip_prefix(root).unwrap_or(path).as_str(),
        None => uri,
    };
    shown.replace(['`', '\n', '\r'], " ")
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
