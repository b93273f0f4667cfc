//! The rules on one argument, which a call asks together.

use crate::{argument::Argument, index::ArgumentIndex};

/// The rules on one argument.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) argument: Argument,
    /// Rules with a condition on the argument, ascending.
    pub(crate) rules: Vec<u32>,
    pub(crate) index: ArgumentIndex,
}
