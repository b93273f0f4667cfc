//! The effective view over all layers.
