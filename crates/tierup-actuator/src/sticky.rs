//! What makes requests one client's, as far as a load balancer's configuration can name it.

use crate::{Error, Result};

/// What makes requests one client's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sticky {
    /// The value of this cookie.
    Cookie(String),
    /// The value of this header.
    Header(String),
    /// The client's address.
    Address,
}

impl Sticky {
    /// Names become words of a configuration: other characters could end one.
    ///
    /// # Errors
    /// A name with other characters than letters, digits, `_` and, where `hyphens` may be part of one, `-`.
    pub(crate) fn check(&self, program: &'static str, hyphens: bool) -> Result<()> {
        let (kind, name) = match self {
            Sticky::Cookie(name) => ("cookie", name),
            Sticky::Header(name) => ("header", name),
            Sticky::Address => return Ok(()),
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c == '-' && hyphens);
        if !name.is_empty() && name.chars().all(fits) {
            return Ok(());
        }
        let also = if hyphens { " and hyphens" } else { "" };
        let what = format!("the {kind} `{name}` cannot be named in its configuration");
        let hint = format!("choose one of letters, digits, underscores{also}");
        Err(Error::NotSetUp { program, what, hint })
    }
}
