//! The subjects of a check: a host's rows, and servers with their sessions.

use tierup_codegen::{Command, Row};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Interrupts, Observer};
use tierup_subject::{Error, Service, Session, Subject, Watch};

/// A host's rows, all built.
pub struct HostRows {
    pub host: &'static str,
    /// The program that calls the functions.
    pub driver: Command,
    /// The rows to call functions through.
    pub called: Vec<Row>,
    /// The rows to send requests to. The first one of all hosts is the control.
    pub served: Vec<LabelledServer>,
    /// Rows that are not available, and why.
    pub left_out: Vec<(String, String)>,
}

/// A server to send requests to.
pub struct LabelledServer {
    /// `node 3:native`, or an address.
    pub label: String,
    pub subject: Box<dyn Subject + Send + Sync>,
    /// The options that select this row in another run, e.g. `--hosts node --tiers 3:native`.
    pub again: String,
}

impl LabelledServer {
    /// Starts the server, unless it is already running.
    pub(crate) fn start<'a>(
        &'a self,
        service: Option<&Service>,
        interrupts: &'a Interrupts,
        observer: &'a (dyn Observer + Sync),
    ) -> Result<Session<'a>> {
        let watch = Progress { label: &self.label, observer };
        Session::start(&*self.subject, service, interrupts, watch).map_err(failure)
    }
}

/// Shows the session's progress to the user.
struct Progress<'a> {
    label: &'a str,
    observer: &'a (dyn Observer + Sync),
}

impl Watch for Progress<'_> {
    fn starts(&self) {
        self.observer.status(&format!("servers: starting {}", self.label));
    }

    fn asks(&self, questions: usize) {
        self.observer.status(&format!("servers: {questions} requests to {}", self.label));
    }
}

/// Turns a session's error into a failure of the check.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::Interrupted,
        other => Failure::new(other.to_string()),
    }
}
