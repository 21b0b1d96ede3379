//! A session with a server: starts and asks it, starts it again if it ends, and stops it. The calls that it makes to
//! others are kept, late ones too.

use std::{io, mem, time::Duration};

use tierup_parity::{DownstreamCall, Observation, Seen, Silence};
use tierup_runner::Interrupts;

use crate::{
    downstream::{Calls, Downstream, Service},
    observe::{Ask, Asking, observe},
    subject::{Running, Starting, Subject, Trouble},
};

/// A server that is asked.
pub struct Session<'a> {
    subject: &'a (dyn Subject + Sync),
    interrupts: &'a Interrupts,
    watch: Box<dyn Watch + Send + Sync + 'a>,
    downstream: Option<Downstream>,
    running: Option<Box<dyn Running>>,
    /// Calls that arrived when no answer was awaited.
    late: Vec<DownstreamCall>,
    restarts: usize,
    trouble: Option<Trouble>,
}

/// A server's answers and calls after it was asked everything once.
pub struct Pass {
    /// An observation for each question.
    pub seen: Vec<Observation>,
    /// Calls to others that came too late to belong to an answer.
    pub late: Vec<DownstreamCall>,
}

/// Receives the progress of a session.
pub trait Watch {
    /// The server is started, or started again.
    fn starts(&self) {}
    /// The server is about to be asked this many questions.
    fn asks(&self, _questions: usize) {}
}

/// Ignores the progress.
impl Watch for () {}

/// Why a session was cut short. A server that does not answer is not an error of the session.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("interrupted")]
    Interrupted,
    #[error("the downstream recorder cannot start: {0}")]
    Downstream(io::Error),
    #[error("cannot send requests: {0}")]
    Runtime(io::Error),
}

/// Number of questions under way at a time if calls need not be told apart.
const WIDTH: usize = 8;
/// The time limit of each answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The session checks after this many questions whether the server still runs.
const BATCH: usize = 64;
/// How often a server that ended is started again.
const RESTARTS: usize = 5;
/// How long to wait for late calls after a server has answered everything.
const LATE: Duration = Duration::from_secs(1);

impl<'a> Session<'a> {
    /// Starts the server, and a stand-in for the service that it calls.
    ///
    /// # Errors
    /// If the user interrupts, or the stand-in cannot start.
    pub fn start(
        subject: &'a (dyn Subject + Sync),
        service: Option<&Service>,
        interrupts: &'a Interrupts,
        watch: impl Watch + Send + Sync + 'a,
    ) -> Result<Session<'a>, Error> {
        // A server that runs already calls whomever it was told to call.
        let service = service.filter(|_| subject.starts_processes());
        let downstream = service.map(|service| Downstream::start(service, Calls::Kept)).transpose();
        let downstream = downstream.map_err(Error::Downstream)?;
        let (running, late, restarts, trouble) = (None, Vec::new(), 0, None);
        let watch = Box::new(watch);
        let mut session = Session { subject, interrupts, watch, downstream, running, late, restarts, trouble };
        session.run()?;
        Ok(session)
    }

    /// Asks everything once, and waits for calls that come after the last answer.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn pass(&mut self, questions: &[Ask<'_>]) -> Result<Pass, Error> {
        let mut seen = self.ask(questions, Duration::ZERO)?;
        if self.downstream.is_some() {
            std::thread::sleep(LATE);
            self.keep_late();
            let last = seen.len().saturating_sub(1);
            self.notice_end(&mut seen[last..])?;
        }
        let mut late = mem::take(&mut self.late);
        // With a single question, all of these calls are its own.
        if let [only] = &mut seen[..] {
            only.downstream.append(&mut late);
        }
        Ok(Pass { seen, late })
    }

    /// An observation for each question, whatever happens. After each answer, waits for calls for as long as `settle`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ask(&mut self, questions: &[Ask<'_>], settle: Duration) -> Result<Vec<Observation>, Error> {
        self.watch.asks(questions.len());
        let mut seen = Vec::with_capacity(questions.len());
        for batch in questions.chunks(BATCH) {
            if self.interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            let Some(running) = &self.running else {
                let nothing = || Observation::new(Seen::Nothing(Silence::NotRunning));
                seen.extend(batch.iter().map(|_| nothing()));
                continue;
            };
            let (address, authority) = (running.address(), running.authority());
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
            let mut observations = observe(&asking, batch).map_err(Error::Runtime)?;
            if self.interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            self.notice_end(&mut observations)?;
            seen.extend(observations);
        }
        Ok(seen)
    }

    /// The reason why the server cannot be asked any further.
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }

    /// Ends the server, if it was started here.
    pub fn stop(self) {
        if let Some(running) = self.running {
            running.stop();
        }
    }

    fn run(&mut self) -> Result<(), Error> {
        if self.subject.starts_processes() {
            self.watch.starts();
        }
        let environment: Vec<_> = self.downstream.iter().map(Downstream::environment).collect();
        match self.subject.start(&Starting { environment: &environment, ..Starting::default() }) {
            Ok(running) => self.running = Some(running),
            Err(_) if self.interrupts.arrived() => return Err(Error::Interrupted),
            Err(trouble) => self.trouble = Some(trouble),
        }
        // Calls that a server makes while it starts are not effects of a request.
        self.downstream.as_ref().map(Downstream::take);
        Ok(())
    }

    fn keep_late(&mut self) {
        self.late.extend(self.downstream.iter().flat_map(Downstream::take));
    }

    /// Attributes the end of a process to the questions without an answer, or else to the last one, after its answer.
    /// Starts the process again.
    fn notice_end(&mut self, observations: &mut [Observation]) -> Result<(), Error> {
        let Some(how) = self.running.as_mut().and_then(|running| running.ended()) else { return Ok(()) };
        let log = self.running.take().map(|running| running.log()).unwrap_or_default();
        let mut is_noted = false;
        for observation in &mut *observations {
            if let Seen::Nothing(silence) = &mut observation.seen {
                let seen = mem::replace(silence, Silence::NotRunning);
                *silence = Silence::Ended { how: how.clone(), seen: Some(Box::new(seen)) };
                is_noted = true;
            }
        }
        if let Some(last) = observations.last_mut().filter(|_| !is_noted) {
            last.seen = Seen::Nothing(Silence::Ended { how: how.clone(), seen: None });
        }
        self.restarts += 1;
        if self.restarts > RESTARTS {
            self.trouble =
                Some(Trouble { what: format!("it ended {} times, the last time with {how}", self.restarts), log });
            return Ok(());
        }
        self.keep_late();
        self.run()
    }
}
