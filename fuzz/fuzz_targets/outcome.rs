//! Whatever outcome arrives survives a round trip.
#![no_main]

use jp_tool::Outcome;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    if let Ok(outcome) = Outcome::from_json(input) {
        let wire = serde_json::to_string(&outcome).unwrap();
        assert_eq!(Outcome::from_json(&wire), Ok(outcome));
    }
});
