//! The surface that every client has: the prompts that wait are known to the event loop, which shows them as diagnostics.

use jp_agent::{Surface, SurfaceEvent};

use crate::{
    session::event::{Event, EventSender},
    wire::Outbox,
};

/// Tells the event loop which prompt of one broker waits, until the client is gone or the broker ends.
pub(super) async fn serve(mut surface: Surface, events: EventSender, outbox: Outbox) {
    let mut shown = None;
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            () = outbox.closed() => None,
        };
        match event {
            Some(SurfaceEvent::Show(prompt)) => {
                shown = Some(prompt.id.clone());
                events.send(Event::PromptShown(prompt));
            }
            Some(SurfaceEvent::Resolved { id, .. }) => {
                events.send(Event::PromptResolved(id));
            }
            None => break,
        }
    }
    if let Some(id) = shown {
        events.send(Event::PromptResolved(id));
    }
}
