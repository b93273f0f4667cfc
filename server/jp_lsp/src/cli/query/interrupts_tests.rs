use jp_agent::{EditorError, TurnPhase};
use pretty_assertions::assert_eq;

use super::*;

/// A person who picks and writes these.
#[derive(Debug)]
struct Person {
    pick: Option<usize>,
    text: Option<&'static str>,
}

impl Dialogue for Person {
    fn show(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn select(&mut self, _: &str, _: &[String], _: usize) -> io::Result<Option<usize>> {
        Ok(self.pick)
    }

    fn text(&mut self, _: &str, _: Option<&str>) -> io::Result<Option<String>> {
        Ok(self.text.map(str::to_owned))
    }

    fn secret(&mut self, _: &str) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn edit(&mut self, _: &str, _: &str) -> Result<Option<String>, EditorError> {
        Ok(None)
    }
}

fn chosen(
    phase: TurnPhase,
    action: InterruptAction,
    pick: Option<usize>,
    text: Option<&'static str>,
) -> Interrupt {
    let configured = ConfiguredInterrupt {
        phase,
        action,
        cooldown: Duration::from_secs(2),
    };
    match choose(configured, &mut Person { pick, text }).unwrap() {
        Choice::Interrupt(interrupt) => interrupt,
        Choice::Cancel => panic!("nobody pressed Ctrl-C"),
    }
}

#[test]
fn the_config_decides_unless_it_says_to_ask() {
    use InterruptAction::{Abort, Continue, Prompt, Reply, Respond, Restart, Stop};
    use TurnPhase::{Streaming, ToolCalls};
    let said = |text: &str| Interrupt::StopAndReply {
        text: Some(text.to_owned()),
    };
    assert_eq!(chosen(Streaming, Continue, None, None), Interrupt::Continue);
    assert_eq!(chosen(Streaming, Stop, None, None), Interrupt::Stop);
    assert_eq!(chosen(Streaming, Abort, None, None), Interrupt::Abort);
    assert_eq!(chosen(Streaming, Reply, None, Some("Wait.")), said("Wait."));
    assert_eq!(
        chosen(Streaming, Reply, None, Some(" ")),
        Interrupt::Continue
    );
    assert_eq!(chosen(Streaming, Reply, None, None), Interrupt::Continue);
    assert_eq!(chosen(ToolCalls, Restart, None, None), Interrupt::Restart);
    assert_eq!(
        chosen(ToolCalls, Respond, None, None),
        Interrupt::StopAndReply { text: None }
    );
    let picks = |phase| -> Vec<Interrupt> {
        (0..4)
            .map(|pick| chosen(phase, Prompt, Some(pick), Some("No.")))
            .collect()
    };
    assert_eq!(
        picks(Streaming),
        [
            Interrupt::Continue,
            said("No."),
            Interrupt::Stop,
            Interrupt::Abort
        ]
    );
    assert_eq!(
        picks(ToolCalls),
        [
            Interrupt::Continue,
            said("No."),
            Interrupt::Restart,
            Interrupt::Stop
        ]
    );
    assert_eq!(chosen(Streaming, Prompt, None, None), Interrupt::Continue);
}

#[test]
fn a_second_interrupt_soon_after_cancels() {
    let cooldown = Duration::from_secs(2);
    let start = Instant::now();
    let mut interrupts = Interrupts::default();
    assert!(!interrupts.escalates(start, cooldown));
    assert!(!interrupts.escalates(start + Duration::from_secs(2), cooldown));
    assert!(interrupts.escalates(start + Duration::from_secs(3), cooldown));
    let mut interrupts = Interrupts {
        last: Some(start),
        is_ending: true,
        ..Interrupts::default()
    };
    assert!(interrupts.escalates(start + Duration::from_secs(60), cooldown));
}
