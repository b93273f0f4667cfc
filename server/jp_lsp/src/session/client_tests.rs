use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{ClientProfile, Dialect, INITIALIZATION_OPTIONS_SCHEMA, OPTIONS, READING_AIDS};
use crate::line_index::PositionEncoding;

fn options(options: &Value) -> ClientProfile {
    ClientProfile::from_json(&json!({ "capabilities": {}, "initializationOptions": options }))
}

#[test]
fn an_empty_introduction_is_an_untrusted_client_without_abilities() {
    let profile = ClientProfile::from_json(&json!({}));
    assert_eq!(profile.encoding, PositionEncoding::Utf16);
    assert_eq!(
        (profile.trusted, profile.dialect, profile.prompts),
        (false, Dialect::Rfd, false)
    );
    assert_eq!(
        (
            profile.pulls(),
            profile.watches_files(),
            profile.shows_progress()
        ),
        (false, false, false)
    );
    assert_eq!(
        (profile.folders, profile.complaints),
        (vec![], Vec::<String>::new())
    );
}

#[test]
fn options_are_read() {
    let profile =
        options(&json!({ "trusted": true, "dialect": "released", "disabled": ["codeLens"] }));
    assert_eq!(
        (profile.trusted, profile.dialect),
        (true, Dialect::Released)
    );
    assert!(!profile.wants("codeLens") && profile.wants("inlayHint"));
    assert_eq!(profile.complaints, Vec::<String>::new());
}

#[test]
fn malformed_options_are_reported_and_never_trusted() {
    let profile = options(&json!({ "trusted": "yes", "dialect": "old" }));
    assert_eq!((profile.trusted, profile.dialect), (false, Dialect::Rfd));
    assert_eq!(
        profile.complaints,
        [
            "`initializationOptions.trusted` is `\"yes\"`: write `true` or `false`; the workspace counts as untrusted",
            "`initializationOptions.dialect` is `\"old\"`: write `\"rfd\"` or `\"released\"`; `\"rfd\"` is used",
        ]
    );
}

#[test]
fn what_a_client_adds_is_announced_under_experimental() {
    let announced = |name: &str| {
        let client = ClientProfile::from_json(
            &json!({ "capabilities": { "experimental": { "jp": { name: true } } } }),
        );
        (client.prompts, client.config_files, client.turn_details)
    };
    assert_eq!(announced("prompts"), (true, false, false));
    assert_eq!(announced("configFiles"), (false, true, false));
    assert_eq!(announced("turnDetails"), (false, false, true));
}

#[test]
fn folders_come_from_the_best_source() {
    let paths = |params: Value| -> Vec<String> {
        ClientProfile::from_json(&params)
            .folders
            .into_iter()
            .filter_map(|folder| folder.path)
            .map(Into::into)
            .collect()
    };
    let folder = json!({ "uri": "file:///a", "name": "a" });
    assert_eq!(
        paths(
            json!({ "workspaceFolders": [folder, { "uri": "::" }], "rootUri": "file:///b", "rootPath": "/c" })
        ),
        ["/a"]
    );
    assert_eq!(
        paths(json!({ "workspaceFolders": null, "rootUri": "file:///b", "rootPath": "/c" })),
        ["/b"]
    );
    assert_eq!(paths(json!({ "rootUri": null, "rootPath": "/c" })), ["/c"]);
    assert_eq!(
        paths(json!({ "workspaceFolders": [], "rootUri": "file:///b" })),
        Vec::<String>::new()
    );
}

#[test]
fn only_a_client_that_can_be_refreshed_pulls() {
    let pulls = |capabilities: Value| {
        ClientProfile::from_json(&json!({ "capabilities": capabilities })).pulls()
    };
    let pull = json!({ "diagnostic": { "dynamicRegistration": true } });
    assert!(pulls(
        json!({ "textDocument": pull, "workspace": { "diagnostics": { "refreshSupport": true } } })
    ));
    assert!(!pulls(json!({ "textDocument": pull })));
    assert!(!pulls(
        json!({ "textDocument": pull, "workspace": { "diagnostic": { "refreshSupport": true } } })
    ));
    assert!(!pulls(
        json!({ "workspace": { "diagnostics": { "refreshSupport": true } } })
    ));
}

#[test]
fn options_that_would_do_nothing_are_reported() {
    let profile = options(
        &json!({ "trust": true, "disabled": ["codeLens", "codelens", 1], "agent": { "maxCycles": 0, "cycles": 1 } }),
    );
    assert!(!profile.trusted && !profile.wants("codeLens"));
    assert_eq!(
        profile.complaints,
        [
            "`initializationOptions.trust` is no option and does nothing: the options are `trusted`, `dialect`, `disabled`, `severity` and `agent`",
            "`initializationOptions.disabled` holds `\"codelens\"`, which is no reading aid: write a list of `\"inlayHint\"`, `\"codeLens\"`, `\"semanticTokens\"` and `\"signatureHelp\"`",
            "`initializationOptions.disabled` holds `1`, which is no reading aid: write a list of `\"inlayHint\"`, `\"codeLens\"`, `\"semanticTokens\"` and `\"signatureHelp\"`",
            "`initializationOptions.agent.cycles` is no option and does nothing: the options are `maxCycles`, `sandbox` and `sandboxFolders`",
            "`initializationOptions.agent.maxCycles` is `0`: write a whole number from 1; 100 is used",
        ]
    );
}

#[test]
fn the_schema_of_the_options_says_what_is_read() {
    let schema: Value = serde_json::from_str(INITIALIZATION_OPTIONS_SCHEMA).expect("JSON");
    let fields = schema["properties"].as_object().expect("an object");
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut read = OPTIONS;
    read.sort_unstable();
    assert_eq!(names, read);
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(fields["disabled"]["items"]["enum"], json!(READING_AIDS));
    let defaults: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, field)| (name.clone(), field["default"].clone()))
        .collect();
    assert_eq!(options(&Value::Object(defaults)), options(&json!({})));
    for dialect in fields["dialect"]["enum"].as_array().expect("a list") {
        let profile = options(&json!({ "dialect": dialect }));
        assert_eq!(profile.complaints, Vec::<String>::new());
    }
}
