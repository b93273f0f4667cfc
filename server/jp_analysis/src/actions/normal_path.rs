//! A path in its normal form, the one that is compared (RFD 076, RFD D25).

use jp_config::document::PathSegment;
use jp_policy::normalize_path;

use super::{action::Action, site::Site};
use crate::text::toml_text;

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let string = site.string()?;
    let is_path = match site.position.path.as_slice() {
        [
            ..,
            PathSegment::Key("fs"),
            PathSegment::Index(_),
            PathSegment::Key("path"),
        ] => true,
        path => is_path_matcher(site, path),
    };
    let text = string.value();
    let normal = normalize_path(&text);
    if !is_path || text.is_empty() || normal == *text {
        return None;
    }
    let edit = site.edit(string.span(), toml_text::string(&normal));
    Some(site.rewrite(format!("Write the path as `{normal}`"), vec![edit]))
}

/// Whether a string is a value that a rule compares with a `path` parameter.
fn is_path_matcher(site: &Site<'_>, path: &[PathSegment<'_>]) -> bool {
    let [.., rule, key] = path else {
        return false;
    };
    let is_matcher = matches!(
        (rule, key),
        (PathSegment::Index(_), PathSegment::Key("const" | "prefix"))
            | (PathSegment::Key("enum"), PathSegment::Index(_))
    );
    if !is_matcher {
        return false;
    }
    let [
        PathSegment::Key("conversation"),
        PathSegment::Key("tools"),
        PathSegment::Key(tool),
        ..,
    ] = path
    else {
        return false;
    };
    let Some(arg) = site.position.table.get("arg") else {
        return false;
    };
    let Some(pointer) = arg.value().as_str() else {
        return false;
    };
    let parameters = site
        .view
        .effective(&["conversation", "tools", tool, "parameters"]);
    let Some(parameters) = parameters else {
        return false;
    };
    let mut names = pointer.split('/').skip(1);
    let mut declaration = names.next().and_then(|name| parameters.get(name));
    let inner = |mut found: Option<&'_ jp_config::merge::Located>| {
        while let Some(items) = found.and_then(|found| found.get("items")) {
            found = Some(items);
        }
        found.cloned()
    };
    let mut current = inner(declaration.take());
    for name in names {
        let next = current
            .as_ref()
            .and_then(|found| found.at(&["properties", name]));
        current = inner(next);
    }
    let kind = current.as_ref().and_then(|found| found.get("type"));
    kind.is_some_and(|kind| kind.value.as_str() == Some("path"))
}
