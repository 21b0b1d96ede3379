//! A server while it is asked: started, started anew where it ends, and stopped. What it does to others is kept, late
//! calls included.

use std::{mem, net::SocketAddr, path::PathBuf, time::Duration};

use tierup_codegen::Command;
use tierup_parity::{DownstreamCall, Observation, Seen};
use tierup_runner::{Error, Interrupts, Observer as _, Ready, Server, Start, port};

use super::{
    ask::{Asking, ask},
    questions::Question,
};
use crate::{
    console::Console,
    downstream::{Downstream, Keeping},
    failure::{Failure, Result},
    project::DownstreamSettings,
};

/// A server to be asked.
pub(super) struct Asked {
    /// `node 3:native`, or an address.
    pub(super) label: String,
    pub(super) kind: Kind,
    /// What of the command line asks this row again, e.g. `--hosts node --tiers 3:native`.
    pub(super) again: String,
}

pub(super) enum Kind {
    /// Started here, given its port.
    Started { command: Box<dyn Fn(u16) -> Result<Command> + Send + Sync>, root: PathBuf },
    /// It runs already.
    Standing { address: SocketAddr, authority: String },
}

pub(super) struct Session<'a> {
    asked: &'a Asked,
    interrupts: &'a Interrupts,
    console: &'a Console,
    downstream: Option<Downstream>,
    running: Option<Server>,
    /// Calls that arrived while no answer was waited for.
    late: Vec<DownstreamCall>,
    restarts: usize,
    /// What kept it from answering, and the last lines of its log.
    pub(super) trouble: Option<(String, Vec<String>)>,
}

/// What a server did when it was asked everything once.
pub(super) struct Pass {
    /// One for each question.
    pub(super) seen: Vec<Observation>,
    /// Calls to others that came too late to belong to an answer.
    pub(super) late: Vec<DownstreamCall>,
}

/// Why nothing came back, where the server as a whole is gone.
pub(super) const ENDED: &str = "the server ended";
/// Where it could not be started again.
pub(super) const GONE: &str = "the server is not running";
/// How many questions are under way at a time, where nobody has to know which call belongs to which.
const WIDTH: usize = 8;
/// For each answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a server may take to listen, and to end.
const START: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_secs(5);
/// After so many questions one looks whether the server still runs.
const BATCH: usize = 64;
/// So often a server that ended is started again.
const RESTARTS: usize = 5;
/// How long calls are waited for that a server makes when it has answered everything.
const LATE: Duration = Duration::from_secs(1);

impl<'a> Session<'a> {
    /// Starts the server, and what stands in for the service that it calls.
    pub(super) fn start(
        asked: &'a Asked,
        downstream: Option<&DownstreamSettings>,
        interrupts: &'a Interrupts,
        console: &'a Console,
    ) -> Result<Session<'a>> {
        let downstream = match (&asked.kind, downstream) {
            (Kind::Started { .. }, Some(settings)) => Some(
                Downstream::start(settings, Keeping::Calls)
                    .map_err(|error| Failure::new(format!("the downstream recorder cannot start: {error}")))?,
            ),
            _ => None,
        };
        let (running, late, restarts, trouble) = (None, Vec::new(), 0, None);
        let mut session = Session { asked, interrupts, console, downstream, running, late, restarts, trouble };
        session.run()?;
        Ok(session)
    }

    /// Asks everything once, and waits for the calls that come behind the last answer.
    pub(super) fn pass(&mut self, questions: &[&Question]) -> Result<Pass> {
        let mut seen = self.ask(questions, Duration::ZERO)?;
        if self.downstream.is_some() {
            std::thread::sleep(LATE);
            self.keep_late();
            let last = seen.len().saturating_sub(1);
            self.notice_end(&mut seen[last..])?;
        }
        let mut late = mem::take(&mut self.late);
        // Of a single question it is known whose calls these are.
        if let [only] = &mut seen[..] {
            only.downstream.append(&mut late);
        }
        Ok(Pass { seen, late })
    }

    /// An observation for each question, whatever happens. Behind each answer calls are waited for as long as `settle`.
    pub(super) fn ask(&mut self, questions: &[&Question], settle: Duration) -> Result<Vec<Observation>> {
        self.console.status(&format!("servers: {} requests to {}", questions.len(), self.asked.label));
        let mut seen = Vec::with_capacity(questions.len());
        for batch in questions.chunks(BATCH) {
            if self.interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            let (address, authority) = match (&self.asked.kind, &self.running) {
                (Kind::Standing { address, authority }, _) => (*address, authority.clone()),
                (_, Some(server)) => (server.address(), server.address().to_string()),
                _ => {
                    let nothing = || Observation::of(Seen::Nothing(GONE.to_owned()));
                    seen.extend(batch.iter().map(|_| nothing()));
                    continue;
                }
            };
            self.keep_late();
            let asking = Asking {
                address,
                authority: &authority,
                width: if self.downstream.is_some() { 1 } else { WIDTH },
                patience: PATIENCE,
                downstream: self.downstream.as_ref(),
                settle,
                interrupted: &|| self.interrupts.arrived(),
            };
            let mut observations =
                ask(&asking, batch).map_err(|error| Failure::new(format!("cannot send requests: {error}")))?;
            if self.interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            self.notice_end(&mut observations)?;
            seen.extend(observations);
        }
        Ok(seen)
    }

    pub(super) fn stop(self) {
        if let Some(server) = self.running {
            server.stop(GRACE);
        }
    }

    fn run(&mut self) -> Result<()> {
        let Kind::Started { command, root } = &self.asked.kind else { return Ok(()) };
        self.console.status(&format!("servers: starting {}", self.asked.label));
        let port = port::free().map_err(|error| Failure::new(format!("there is no free port: {error}")))?;
        let mut command = command(port)?;
        command.environment.extend(self.downstream.iter().map(Downstream::environment));
        let start = Start { command: &command, root, environment: &[], port, ready: Ready::Accepts, deadline: START };
        match Server::start(&start) {
            Ok(server) => self.running = Some(server),
            Err(Error::Interrupted) => return Err(Failure::Interrupted),
            Err(error) => {
                let what = error.to_string();
                let log = match error {
                    Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } => output,
                    _ => Vec::new(),
                };
                self.trouble = Some((what, log));
            }
        }
        // What a server does to others as it starts is no effect of a request.
        self.downstream.as_ref().map(Downstream::take);
        Ok(())
    }

    fn keep_late(&mut self) {
        self.late.extend(self.downstream.iter().flat_map(Downstream::take));
    }

    /// A process that ended did so at the questions to which nothing came back, or else behind its last answer. It is
    /// started anew.
    fn notice_end(&mut self, observations: &mut [Observation]) -> Result<()> {
        let Some(ending) = self.running.as_mut().and_then(Server::ended) else { return Ok(()) };
        let log = self.running.take().map(|server| server.log()).unwrap_or_default();
        let mut is_noted = false;
        for observation in &mut *observations {
            if let Seen::Nothing(why) = &mut observation.seen {
                *why = format!("{why}; {ENDED} ({ending})");
                is_noted = true;
            }
        }
        if let Some(last) = observations.last_mut().filter(|_| !is_noted) {
            last.seen = Seen::Nothing(format!("{ENDED} ({ending}) after its answer"));
        }
        self.restarts += 1;
        if self.restarts > RESTARTS {
            self.trouble = Some((format!("it ended {} times, the last time with {ending}", self.restarts), log));
            return Ok(());
        }
        self.keep_late();
        self.run()
    }
}
