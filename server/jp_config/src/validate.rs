//! Structural validation against the schema tree.
