use super::*;

#[test]
fn tables_are_in_byte_order_for_the_binary_search() {
    for table in [
        GENERAL_CATEGORIES,
        BINARY_PROPERTIES,
        UNSUPPORTED_PROPERTIES,
        UNSUPPORTED_SCRIPTS,
        SCRIPTS,
    ] {
        assert!(table.is_sorted());
    }
}

#[test]
fn the_regex_crate_agrees_on_what_it_supports() {
    let compiles = |text: &str| regex::Regex::new(&format!(r"\p{{{text}}}")).is_ok();
    let mut wrong = Vec::new();
    let names = GENERAL_CATEGORIES.iter().chain(BINARY_PROPERTIES);
    let scripts = SCRIPTS
        .iter()
        .flat_map(|name| [format!("sc={name}"), format!("scx={name}")]);
    for text in names.map(|name| (*name).to_owned()).chain(scripts) {
        match resolve(&text) {
            Property::Known(translated) if compiles(&translated) => {}
            Property::Surrogate => {}
            other => wrong.push((text, other)),
        }
    }
    let unsupported_scripts = UNSUPPORTED_SCRIPTS
        .iter()
        .flat_map(|name| [format!("sc={name}"), format!("scx={name}")]);
    let unsupported = UNSUPPORTED_PROPERTIES.iter();
    for text in unsupported
        .map(|name| (*name).to_owned())
        .chain(unsupported_scripts)
    {
        assert_eq!(resolve(&text), Property::Unsupported);
        if compiles(&text) {
            wrong.push((text, Property::Unsupported));
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn names_are_exact_and_near_misses_are_named() {
    let near = |text: &str| match resolve(text) {
        Property::Unknown(near) => near,
        other => panic!("{text} resolves to {other:?}"),
    };
    assert_eq!(near("Greek"), Some("Script=Greek".to_owned()));
    assert_eq!(near("letter"), Some("Letter".to_owned()));
    assert_eq!(
        near("gc=letter"),
        Some("General_Category=Letter".to_owned())
    );
    assert_eq!(near("Script=greek"), Some("Script=Greek".to_owned()));
    assert_eq!(
        near("scx=GREEK"),
        Some("Script_Extensions=Greek".to_owned())
    );
    assert_eq!(near("Block=Greek"), None);
    assert_eq!(near(""), None);
    assert_eq!(near("gc="), None);
}
