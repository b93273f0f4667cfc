//! What a person chose about the analysis.

/// Which syntax counts as legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Dialect {
    /// Everything in the design documents.
    #[default]
    Rfd,
    /// The same, with a warning on each key that the released `jp` refuses to load.
    Released,
}

impl Dialect {
    /// The dialect with a name, as settings and the command line spell it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "rfd" => Some(Self::Rfd),
            "released" => Some(Self::Released),
            _ => None,
        }
    }
}

/// What a person chose about the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Which syntax counts as legal.
    pub dialect: Dialect,
}
