//! Whether a load balancer's configuration can name what makes requests one client's.

use tierup_rollout::Sticky;

use crate::{Error, Result};

/// Names become words of a configuration: other characters could end one.
///
/// # Errors
/// A name with other characters than letters, digits, `_` and, where `hyphens` may be part of one, `-`.
pub(crate) fn check(sticky: &Sticky, program: &'static str, hyphens: bool) -> Result<()> {
    let (kind, name) = match sticky {
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
