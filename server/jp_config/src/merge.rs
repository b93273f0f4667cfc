//! Merging layers by the schema's merge rules.
