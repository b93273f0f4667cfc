//! Files and folders on this machine's disk: where a workspace is, and which files of it are read.

pub(crate) mod config_files;
pub mod data;
pub(crate) mod git_files;
pub mod lint_settings;
pub(crate) mod moved_files;
pub(crate) mod pages;
pub(crate) mod paths;
pub mod starter;
pub mod workspace;
