//! Configuration that the operator adds.

use std::fmt;

/// A text, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// `the file /etc/haproxy/tierup.map`, `haproxy.cfg, section frontend`.
    pub place: String,
    pub text: String,
}

/// The place as a comment, then the text.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# {}\n{}", self.place, self.text)
    }
}
