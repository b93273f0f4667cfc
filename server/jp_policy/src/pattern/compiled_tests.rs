use std::cell::Cell;

use regex::Regex;

use super::*;

fn counted(source: &str, builds: &Cell<usize>) -> Result<Regex, regex::Error> {
    regex(source, |source| {
        builds.set(builds.get() + 1);
        Regex::new(source)
    })
}

#[test]
fn a_program_is_built_once() {
    let builds = Cell::new(0);
    for _ in 0..3 {
        let regex = counted("^built once$", &builds).unwrap();
        assert!(regex.is_match("built once"));
    }
    assert_eq!(builds.get(), 1);
}

#[test]
fn what_cannot_be_built_is_tried_again() {
    let builds = Cell::new(0);
    for _ in 0..2 {
        assert!(counted("(never built", &builds).is_err());
    }
    assert_eq!(builds.get(), 2);
}

#[test]
fn only_so_many_are_kept() {
    let builds = Cell::new(0);
    for index in 0..3 * CAPACITY {
        let text = format!("one of many {index}");
        let regex = counted(&format!("^{text}$"), &builds).unwrap();
        assert!(regex.is_match(&text));
        assert!(PROGRAMS.lock().unwrap().len() <= CAPACITY);
    }
}
