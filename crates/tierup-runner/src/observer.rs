//! Observers are told what a command does. They may show it on the terminal.

use tierup_diagnostic::Failure;
use tierup_requests::{Request, Secrets};

/// Receives the progress of programs that take a while.
pub trait Progress {
    /// A program starts that may take a while.
    fn started(&mut self, label: &str);
    /// The program printed a line.
    fn line(&mut self, line: &str);
    /// The program ended, successfully or not.
    fn finished(&mut self);
}

/// Receives everything that the user may want to see of a command before its result.
pub trait Observer: Progress {
    /// One line about what happened.
    fn note(&self, text: &str);
    /// A line that is shown only once, even if it is repeated.
    fn note_once(&self, text: &str);
    /// The current activity, which replaces the previous one.
    fn status(&self, text: &str);
    /// The current activity has ended.
    fn done(&self);
    /// From now on, secrets in these requests are not shown.
    fn hide(&mut self, requests: &[Request]);
    /// All secrets in the requests that [`Observer::hide`] was given.
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
