//! Who is told what a command does, and shows it or does not: the terminal, or nobody.

use tierup_diagnostic::Failure;
use tierup_requests::{Request, Secrets};

/// Is told of programs that take a while.
pub trait Progress {
    /// Something starts that may take a while.
    fn started(&mut self, label: &str);
    /// It printed a line.
    fn line(&mut self, line: &str);
    /// It ended, well or not.
    fn finished(&mut self);
}

/// Is told everything that the user may want to see of a command before its result.
pub trait Observer: Progress {
    /// One line about what happened.
    fn note(&self, text: &str);
    /// The same line a second time is left out.
    fn note_once(&self, text: &str);
    /// What goes on now, in the place of what went on before.
    fn status(&self, text: &str);
    /// Nothing goes on any more.
    fn done(&self);
    /// From now on, what is secret in these requests is shown to nobody.
    fn hide(&mut self, requests: &[Request]);
    /// Everything that [`Observer::hide`] was told.
    fn secrets(&self) -> Secrets;
    /// A failure as the user reads it, without colours: for notes about what is left out.
    fn shown(&self, failure: &Failure) -> String;
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn started(&mut self, _label: &str) {}
    fn line(&mut self, _line: &str) {}
    fn finished(&mut self) {}
}

impl Observer for Quiet {
    fn note(&self, _text: &str) {}
    fn note_once(&self, _text: &str) {}
    fn status(&self, _text: &str) {}
    fn done(&self) {}
    fn hide(&mut self, _requests: &[Request]) {}

    fn secrets(&self) -> Secrets {
        Secrets::default()
    }

    fn shown(&self, failure: &Failure) -> String {
        failure.to_string()
    }
}
