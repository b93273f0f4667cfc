use jp_config::{document::Span, graph::FileId};
use pretty_assertions::assert_eq;

use super::Severities;
use crate::{Code, Diagnostic, Place, Severity};

fn finding(severity: Severity) -> Diagnostic {
    let place = Place {
        file: FileId(0),
        span: Span::new(0, 0),
    };
    Diagnostic::new(Code::RuleShadowed, place, "covered").with_severity(severity)
}

fn severity(assignments: &[&str], of: Severity) -> Option<Severity> {
    let mut severities = Severities::default();
    for assignment in assignments {
        severities.assign(assignment).unwrap();
    }
    severities.of(&finding(of))
}

#[test]
fn a_finding_is_as_bad_as_it_is_set() {
    let warning = Severity::Warning;
    assert_eq!(severity(&[], warning), Some(warning));
    assert_eq!(severity(&["merge-trap=off"], warning), Some(warning));
    assert_eq!(
        severity(&["rule-shadowed=hint"], warning),
        Some(Severity::Hint)
    );
    assert_eq!(
        severity(&["rule-shadowed=off", " rule-shadowed = error "], warning),
        Some(Severity::Error)
    );
    assert_eq!(severity(&["rule-shadowed=off"], warning), None);
}

#[test]
fn an_error_stays_one() {
    for level in super::Level::NAMES {
        let assignment = format!("rule-shadowed={level}");
        assert_eq!(
            severity(&[&assignment], Severity::Error),
            Some(Severity::Error)
        );
    }
}

#[test]
fn the_stronger_word_counts() {
    let mut weaker = Severities::default();
    weaker.assign("rule-shadowed=off").unwrap();
    let mut stronger = Severities::default();
    assert_eq!(
        stronger
            .clone()
            .over(&weaker)
            .of(&finding(Severity::Warning)),
        None
    );
    stronger.assign("rule-shadowed=hint").unwrap();
    assert_eq!(
        stronger.over(&weaker).of(&finding(Severity::Warning)),
        Some(Severity::Hint)
    );
}

#[test]
fn what_cannot_be_set_is_said() {
    let error = |assignment: &str| {
        let mut severities = Severities::default();
        severities.assign(assignment).unwrap_err().to_string()
    };
    assert_eq!(
        error("rule-shadwed=off"),
        "unknown code `rule-shadwed`, did you mean `rule-shadowed`?"
    );
    assert_eq!(error("zzz=off"), "unknown code `zzz`");
    assert_eq!(
        error("rule-shadowed=warn"),
        "unknown severity `warn`: write `error`, `warning`, `information`, `hint` or `off`"
    );
    assert_eq!(
        error("rule-shadowed"),
        "`rule-shadowed` sets no severity: write CODE=LEVEL, such as `missing-catch-all=error`"
    );
}
