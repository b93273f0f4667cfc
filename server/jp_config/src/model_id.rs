//! Model ids and aliases.
