//! A person who types fast: results of texts that are gone are not shown, and the last text is judged.

use std::{thread, time::Duration};

use crate::desk::Desk;

#[test]
fn forty_keys_show_only_newer_and_newer_texts() {
    let mut desk = Desk::new("//- .jp/config.toml\n[conversation.tools.'*']\nrun = \"ask\"\n");
    let config = ".jp/config.toml";
    desk.open(config);
    desk.shows(config, &[]);
    for key in 0..40 {
        let (old, new) = if key % 2 == 0 {
            ("ask", "asc")
        } else {
            ("asc", "ask")
        };
        desk.replace(config, old, new);
        thread::sleep(Duration::from_millis(25));
    }
    desk.replace(config, "ask", "asc");
    desk.shows(config, &["1:6-11 invalid-value"]);
    let published = desk.publications(config);
    assert!((2..=42).contains(&published), "{published} publications");
}
