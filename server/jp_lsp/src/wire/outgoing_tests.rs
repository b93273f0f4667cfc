use super::{BACKLOG_LIMIT, Wire};

#[tokio::test]
async fn the_wire_says_when_the_client_does_not_read() {
    let (wire, mut queue) = Wire::new();
    wire.room().await;
    wire.send(&"x".repeat(BACKLOG_LIMIT));
    wire.send(&"y");
    assert!(wire.is_full());
    let mut room = Box::pin(wire.room());
    assert!(polled(room.as_mut()).is_pending());
    drop(queue.recv().await);
    assert!(!wire.is_full());
    room.await;
    // A client that is gone reads nothing, and nothing waits for it.
    wire.send(&"x".repeat(BACKLOG_LIMIT));
    drop(queue);
    wire.room().await;
}

/// Polls once.
fn polled<F: Future>(future: std::pin::Pin<&mut F>) -> std::task::Poll<F::Output> {
    future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
}
