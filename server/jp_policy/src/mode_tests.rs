use pretty_assertions::assert_eq;

use super::*;

#[test]
fn skip_is_stricter_than_edit_and_ask_which_are_stricter_than_unattended() {
    fn check<M: Mode>(skip: M, edit: M) {
        assert!(skip.is_stricter_than(edit));
        assert!(skip.is_stricter_than(M::ASK));
        assert!(!edit.is_stricter_than(M::ASK));
        assert!(!M::ASK.is_stricter_than(edit));
        assert!(edit.is_stricter_than(M::UNATTENDED));
        assert!(M::ASK.is_stricter_than(M::UNATTENDED));
        assert!(!M::UNATTENDED.is_stricter_than(M::UNATTENDED));
    }
    check(RunMode::Skip, RunMode::Edit);
    check(ResultMode::Skip, ResultMode::Edit);
}

#[test]
fn keywords_read_back() {
    for mode in RunMode::ALL {
        assert_eq!(RunMode::from_keyword(mode.keyword()), Some(*mode));
    }
    for mode in ResultMode::ALL {
        assert_eq!(ResultMode::from_keyword(&mode.to_string()), Some(*mode));
    }
    assert_eq!(RunMode::from_keyword("Ask"), None);
    assert_eq!(ResultMode::from_keyword(""), None);
}
