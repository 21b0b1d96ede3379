//! What keeps a ramp from its work. A trouble that is the same as a second ago is not reported again.

use std::{io, mem::Discriminant, path::PathBuf};

use crate::Error;

/// The causes of a trouble, and its text.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    /// In the order of the text.
    causes: Vec<Cause>,
    words: String,
}

/// What a trouble is about, without numbers that change every second: those are only in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    /// A file, what could not be done with it, and why.
    File {
        path: PathBuf,
        action: &'static str,
        kind: io::ErrorKind,
    },
    Database(Option<rusqlite::ErrorCode>),
    /// What Postgres refuses; `None` if it is away.
    Postgres(Option<String>),
    /// A load balancer, and how it fails.
    Balancer(&'static str, Discriminant<Error>),
    Other(Discriminant<Error>),
    /// A lower weight could not be stored, so all weights were taken back.
    TakenBack,
}

impl Cause {
    fn new(error: &Error) -> Cause {
        let kind = std::mem::discriminant(error);
        match error {
            Error::File { action, path, source } => Cause::File { path: path.clone(), action, kind: source.kind() },
            Error::Database(error) => Cause::Database(error.sqlite_error_code()),
            Error::Postgres { code, .. } => Cause::Postgres(code.clone()),
            Error::NotSetUp { program, .. }
            | Error::Refused { program, .. }
            | Error::NotInForce { program, .. }
            | Error::Unlogged { program, .. }
            | Error::Unreachable { program, .. }
            | Error::Ended { program, .. } => Cause::Balancer(program, kind),
            Error::Judged { .. }
            | Error::Plan(_)
            | Error::Damaged(_)
            | Error::Deposed { .. }
            | Error::ControlFile { .. }
            | Error::Program(_) => Cause::Other(kind),
        }
    }
}

impl Trouble {
    pub(crate) fn new(error: &Error) -> Trouble {
        Trouble { causes: vec![Cause::new(error)], words: error.to_string() }
    }

    /// A lower weight could not be stored, so all weights were taken back, or that failed, too.
    pub(crate) fn with_release(error: &Error, released: Result<(), Error>) -> Trouble {
        let (cause, words) = match released {
            Ok(()) => (Cause::TakenBack, format!("{error}; control answers all: the weights were taken back")),
            Err(removal) => (
                Cause::new(&removal),
                format!(
                    "{error}; {removal}; without heartbeats control answers all within 60 s (ten minutes with nginx)"
                ),
            ),
        };
        Trouble { causes: vec![Cause::new(error), cause], words }
    }

    pub(crate) fn is_same(&self, other: &Trouble) -> bool {
        self.causes == other.causes
    }

    pub(crate) fn words(&self) -> &str {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, kind: io::ErrorKind) -> Trouble {
        Trouble::new(&Error::file("write", path.as_ref())(kind.into()))
    }

    #[test]
    fn only_numbers_in_the_cause_make_another_trouble() {
        let unlogged = |program, answers| Trouble::new(&Error::Unlogged { program, answers, logged: 0 });
        assert!(unlogged("nginx", 20).is_same(&unlogged("nginx", 21)));
        assert!(!unlogged("nginx", 20).is_same(&unlogged("HAProxy", 20)));
        let (full, refused) = (io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied);
        assert!(file("run-1.jsonl", full).is_same(&file("run-1.jsonl", full)));
        assert!(!file("run-1.jsonl", full).is_same(&file("run-2.jsonl", full)), "two files");
        assert!(!file("run-1.jsonl", full).is_same(&file("run-1.jsonl", refused)), "two reasons");
        let error = Error::Damaged("a".into());
        let (kept, fallen) = (Trouble::new(&error), Trouble::with_release(&error, Ok(())));
        assert!(!kept.is_same(&fallen) && fallen.words().ends_with("the weights were taken back"));
    }
}
