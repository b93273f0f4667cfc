//! Whatever context arrives survives a round trip, and each of its checks gives an answer.
#![no_main]

use camino::Utf8Path;
use jp_tool::Context;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let Ok(context) = serde_json::from_str::<Context>(input) else {
        return;
    };
    let wire = serde_json::to_string(&context).unwrap();
    assert_eq!(serde_json::from_str::<Context>(&wire).unwrap(), context);
    let _ = context.check_read(Utf8Path::new("a/b"));
    let _ = context.check_net("https://a.com/b");
    let _ = context.check_env("A_B");
    let _ = context.check_config_write("a.b");
});
