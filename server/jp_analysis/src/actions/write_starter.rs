//! A whole config for a file that has nothing yet.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/claude-sonnet-4-5"   # and what else one starts with
//! ```

use jp_config::model_id::ModelId;

use super::{action::Action, site::Site};
use crate::{
    Edit, Place,
    starter::{DEFAULT_MODEL, starter},
};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    if !site.document.text().trim().is_empty() {
        return None;
    }
    let model = ModelId::parse(DEFAULT_MODEL).ok()?;
    let edit = Edit {
        place: Place {
            file: site.file,
            span: site.document.span(),
        },
        text: starter(&model),
    };
    Some(site.rewrite("Write a starter config", vec![edit]))
}
