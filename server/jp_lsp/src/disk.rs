//! Files and folders on this machine's disk: where a workspace is, and which files of it are read.

pub(crate) mod below;
pub(crate) mod config_files;
pub mod data;
pub(crate) mod git_files;
pub(crate) mod known_files;
pub mod lint_settings;
pub(crate) mod moved_files;
pub(crate) mod own_repository;
pub(crate) mod pages;
pub(crate) mod paths;
mod search;
pub mod settings_file;
pub mod starter;
pub mod user_settings;
pub mod workspace;
