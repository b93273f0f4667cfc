//! Conversation events, their JSON, the append-only store, replay of config deltas.
