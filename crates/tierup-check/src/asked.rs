//! Whom a check asks: the rows of a host, a server, and the session in which that is asked.

use tierup_codegen::{Command, Row};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Interrupts, Observer};
use tierup_subject::{Error, Service, Session, Subject, Watch};

/// A host's rows, each of them built.
pub struct HostRows {
    pub host: &'static str,
    /// What calls its functions.
    pub driver: Command,
    /// Rows whose functions are called.
    pub called: Vec<Row>,
    /// Rows that answer requests; the first of all hosts is the control.
    pub served: Vec<LabelledServer>,
    /// Rows that are not available, and why.
    pub left_out: Vec<(String, String)>,
}

/// A server to be asked.
pub struct LabelledServer {
    /// `node 3:native`, or an address.
    pub label: String,
    pub subject: Box<dyn Subject + Send + Sync>,
    /// The options that select this row, e.g. `--hosts node --tiers 3:native`.
    pub again: String,
}

impl LabelledServer {
    /// Starts the server, unless it runs already.
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

/// Shows the user what a session does.
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

/// A session's error, as a check's.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::Interrupted,
        other => Failure::new(other.to_string()),
    }
}
