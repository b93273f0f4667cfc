//! What a model gets to read of a result.
//!
//! ```json
//! {"content": [{"type": "text", "text": "Two files."}, {"type": "image", "data": "iVBO…", "mimeType": "image/png"}]}
//! ```

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// The result in words; what is no text is named, so that nobody takes it for nothing.
pub(super) fn content(result: &CallToolResult) -> String {
    let texts: Vec<String> = result.content.iter().map(block).collect();
    match (&result.structured_content, texts.is_empty()) {
        (Some(value), true) => value.to_string(),
        _ => texts.join("\n\n"),
    }
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => unseen("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => unseen("sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => {
                let kind = mime_type.as_deref().unwrap_or("of an unknown type");
                unseen(&format!("resource {uri}"), kind, blob)
            }
            _ => "[a resource that cannot be shown here]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => {
            let description = link.description.as_deref().unwrap_or_default();
            let description = match description.trim() {
                "" => String::new(),
                description => format!(": {description}"),
            };
            format!("[resource {} at {}{description}]", link.name, link.uri)
        }
        _ => "[content that cannot be shown here]".to_owned(),
    }
}

/// What stands for data in Base64.
fn unseen(what: &str, kind: &str, data: &str) -> String {
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    format!("[{what}, {kind}, {bytes} bytes, that cannot be shown here]")
}
