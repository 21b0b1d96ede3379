//! The address of the database that proxies and judges of a rollout share, as users name it. It never has a password.

use std::{fmt, str::FromStr};

/// `postgres://USER@HOST:PORT/DATABASE`, with parameters after a `?`. Three of them are tierup's, or more strict than
/// those of other programs: `rollout`, `sslmode` and `sslrootcert`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreUrl {
    /// The address without these three parameters.
    pub address: String,
    /// Which of the rollouts in the database.
    pub rollout: String,
    /// Whether the connection is encrypted, and the server's certificate checked.
    pub is_encrypted: bool,
    /// The file with the certificates that may vouch for the server; `None` for those of the system.
    pub root: Option<String>,
}

/// Why a text is no [`StoreUrl`]. The text is in none of them, as it may have a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreUrlError {
    #[error("it must be `postgres://USER@HOST/DATABASE`")]
    Form,
    #[error("it has a password, which everybody could read there")]
    Password,
    #[error("`sslmode` must be `verify-full`, which is the default, or `disable`")]
    Mode,
    #[error("`rollout` must be at most 60 letters, digits, `-` and `_`")]
    Rollout,
}

impl StoreUrlError {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            StoreUrlError::Password => "remove it, and give it in PGPASSWORD or in the file that PGPASSFILE names",
            _ => "e.g. \"postgres://tierup@db.internal/app\"; docs/postgres.md has all parameters",
        }
    }
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<StoreUrl, StoreUrlError> {
        let schemes = ["postgres://", "postgresql://"];
        let rest = schemes.iter().find_map(|scheme| text.strip_prefix(scheme)).ok_or(StoreUrlError::Form)?;
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        // A password may have each of these characters in it.
        if let Some((user, _)) = rest.rsplit_once('@')
            && user.contains(':')
        {
            return Err(StoreUrlError::Password);
        }
        if place.is_empty() || place.contains(char::is_whitespace) {
            return Err(StoreUrlError::Form);
        }
        let (mut rollout, mut is_encrypted, mut root) = ("default", true, None);
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("password" | "sslpassword", _)) => return Err(StoreUrlError::Password),
                Some(("rollout", name)) => rollout = name,
                Some(("sslmode", "verify-full")) => is_encrypted = true,
                Some(("sslmode", "disable")) => is_encrypted = false,
                Some(("sslmode", _)) => return Err(StoreUrlError::Mode),
                Some(("sslrootcert", file)) => root = Some(file.to_owned()).filter(|file| file != "system"),
                _ => others.push(parameter),
            }
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !(1..=60).contains(&rollout.len()) || !rollout.chars().all(fits) {
            return Err(StoreUrlError::Rollout);
        }
        let address = format!("postgres://{place}{}{}", if others.is_empty() { "" } else { "?" }, others.join("&"));
        Ok(StoreUrl { address, rollout: rollout.to_owned(), is_encrypted, root })
    }
}

/// For people: the database, and the rollout in it.
impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (rollout {})", self.address, self.rollout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_refused_wherever_it_stands() {
        for text in [
            "postgres://a:secret@h/d", "postgresql://a:s@b@h/d", "postgres://h/d?password=secret&x=1",
            "postgres://a:s?secret@h/d", "postgres://a:s/secret@h/d",
        ] {
            let error = text.parse::<StoreUrl>().expect_err("it has one");
            assert_eq!(error, StoreUrlError::Password, "{text}");
            assert!(!format!("{error} {error:?} {}", error.hint()).contains("secret"));
        }
    }

    #[test]
    fn parameters_of_tierup_are_taken_out_and_encryption_is_the_default() {
        let read = |text: &str| text.parse::<StoreUrl>();
        let plain = read("postgres://a@h:6432/d").expect("an address");
        assert_eq!((plain.rollout.as_str(), plain.is_encrypted, plain.root), ("default", true, None));
        let all = read("postgresql://a@h/d?connect_timeout=3&rollout=shop&sslmode=disable&sslrootcert=/ca.pem");
        let all = all.expect("an address");
        assert_eq!(all.address, "postgres://a@h/d?connect_timeout=3");
        assert_eq!((all.rollout.as_str(), all.is_encrypted, all.root.as_deref()), ("shop", false, Some("/ca.pem")));
        for (text, error) in [
            ("mysql://a@h/d", StoreUrlError::Form),
            ("postgres://", StoreUrlError::Form),
            ("postgres://h/d?sslmode=require", StoreUrlError::Mode),
            ("postgres://h/d?sslmode=prefer", StoreUrlError::Mode),
            ("postgres://h/d?rollout=", StoreUrlError::Rollout),
            ("postgres://h/d?rollout='", StoreUrlError::Rollout),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
    }
}
