//! Argument-conditional tool policy: compile, evaluate, exact coverage.
