//! A normalized host is a fixed point.
#![no_main]

use jp_tool::validate_host;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    if let Ok(host) = validate_host(input) {
        assert!(host.as_str().is_ascii());
        assert_eq!(validate_host(host.as_str()), Ok(host));
    }
});
