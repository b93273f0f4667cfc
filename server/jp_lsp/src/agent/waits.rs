//! What a turn waits for, so that its progress says so.
//!
//! ```json
//! {"value": {"kind": "report", "message": "waiting for your decision about leave_note"}}
//! ```

use jp_agent::{Surface, SurfaceEvent};
use tokio::sync::mpsc;

use super::command::Command;
use crate::wire::Outbox;

/// Tells the host which tool's prompt waits in which conversation, until the client is gone or the broker ends.
pub(super) async fn serve(
    mut surface: Surface,
    host: mpsc::WeakUnboundedSender<Command>,
    outbox: Outbox,
) {
    let mut shown = None;
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            () = outbox.closed() => return,
        };
        let (conversation, tool) = match event {
            Some(SurfaceEvent::Show(prompt)) => {
                let Ok(conversation) = prompt.conversation.parse() else {
                    continue;
                };
                shown = Some(conversation);
                (conversation, Some(prompt.tool.name.clone()))
            }
            Some(SurfaceEvent::Resolved { .. }) => match shown.take() {
                Some(conversation) => (conversation, None),
                None => continue,
            },
            None => return,
        };
        if let Some(host) = host.upgrade() {
            // A host that has ended shows nothing any more.
            let _ = host.send(Command::Waits(conversation, tool));
        }
    }
}
