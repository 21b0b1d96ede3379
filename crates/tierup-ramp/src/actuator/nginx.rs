//! nginx: writes the weights into a file of `split_clients` that its configuration includes, reloads it, and reads every
//! answer from an access log.
//!
//! The file has an end in it: if nobody renews it, control answers every request again. To renew it, nginx is reloaded,
//! so that it lives longer than a control file.
//!
//! Whether the log tells everything is looked at for each slot. A request to nginx's status must show in the log: if not,
//! nginx writes to another file, or to a full disk. And if nginx has answered requests, some must be in the log. Its own count
//! (`stub_status`) is that of all its servers and locations, so a part that is missing cannot be told from other requests.

mod config;
mod in_force;
mod log;
mod split;
mod status;

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;
use tierup_rollout::{Control, NginxSettings, Weights};

use crate::{
    Error, Result,
    actuator::{Actuator, Observed, Piece, control_file::replace, slots::Slots},
};
use log::{LinesRead, Log};
use split::Split;

const NGINX: &str = "nginx";
/// How long `test` and `reload` may take.
const LIMIT: Duration = Duration::from_secs(20);
/// How long new workers may take to serve after a reload.
const PATIENCE: Duration = Duration::from_secs(10);
/// New workers serve if so many new connections in a row reach one: for a moment, old ones accept connections, too.
const IN_A_ROW: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);
/// How long the line of a request may be on its way: a reader notices after two seconds that the log was rotated.
const ON_ITS_WAY: Duration = Duration::from_secs(4);
/// If so many requests come and none of them is logged, the log does not tell.
const UNLOGGED: u64 = 20;

/// An nginx that shares the requests.
#[derive(Debug)]
pub struct Nginx {
    settings: NginxSettings,
    log: Log,
    slots: Slots,
    /// What nginx had counted, and what was read of its log, when a shared request was logged last.
    compared: Option<(u64, LinesRead)>,
    /// What the log did not tell when it was looked at last. It stays so until it is looked at again.
    unlogged: Option<Unlogged>,
}

/// What the log does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unlogged {
    /// A request to the status.
    Status,
    /// All of so many requests.
    Requests(u64),
}

impl Nginx {
    /// # Errors
    /// A name or path that cannot stand in nginx's configuration.
    pub fn new(settings: NginxSettings) -> Result<Nginx> {
        config::check(&settings)?;
        let log = Log::new(settings.log.clone());
        Ok(Nginx { settings, log, slots: Slots::default(), compared: None, unlogged: None })
    }

    fn run(&self, words: &[String]) -> Result<()> {
        let lacks = || Error::NotSetUp {
            program: NGINX,
            what: "a command is empty".to_owned(),
            hint: "`test` and `reload` are lists of words, such as [\"nginx\", \"-t\"]".to_owned(),
        };
        let (program, arguments) = words.split_first().ok_or_else(lacks)?;
        let command = Command::new(program, arguments.iter().map(String::as_str));
        Ok(tierup_runner::run_within(&command, Path::new("/"), LIMIT)?)
    }

    /// Replaces the file, and puts the old one back if nginx does not accept its configuration with the new one.
    fn write(&self, split: &Split) -> Result<()> {
        let path = &self.settings.split;
        // A file that cannot be read must not keep weights from falling.
        let old = fs::read(path).ok();
        replace(path, split.to_file().as_bytes())?;
        let applied = self.run(&self.settings.test).and_then(|()| self.run(&self.settings.reload));
        let Err(error) = applied else { return Ok(()) };
        if let Some(old) = old {
            replace(path, &old)?;
        }
        Err(error)
    }

    fn wait_for(&self, split: &Split) -> Result<()> {
        let (began, mut in_a_row) = (Instant::now(), 0);
        while in_a_row < IN_A_ROW {
            let in_force = status::in_force(self.settings.status)?;
            in_a_row = if in_force == *split.in_force() { in_a_row + 1 } else { 0 };
            if began.elapsed() > PATIENCE {
                let why = "it was reloaded, and the workers still have the old file; its error log tells more".into();
                return Err(Error::NotInForce { program: NGINX, why });
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn look(&mut self, now: Instant) -> Result<()> {
        self.log.read(&mut self.slots)?;
        if self.slots.end(now) {
            self.unlogged = self.compare(now)?;
            if self.unlogged.is_some() {
                self.slots.forget(now);
            }
        }
        Ok(())
    }

    /// What the log does not tell, of what came since a shared request was logged last.
    fn compare(&mut self, now: Instant) -> Result<Option<Unlogged>> {
        // If the status did not come the last time, the wait is short now.
        let patience = if self.unlogged == Some(Unlogged::Status) { PAUSE } else { ON_ITS_WAY };
        let Some(requests) = self.requests_with_line(patience)? else { return Ok(Some(Unlogged::Status)) };
        let seen = self.log.seen();
        let (before, had) = *self.compared.get_or_insert((requests, seen));
        if seen.shared > had.shared {
            self.compared = Some((requests, seen));
            return Ok(None);
        }
        let Some(requests) = requests.checked_sub(before) else {
            // nginx was started anew, and counts from 0.
            self.compared = None;
            self.slots.forget(now);
            return Ok(None);
        };
        let others = requests.saturating_sub(seen.status - had.status);
        Ok((others >= UNLOGGED).then_some(Unlogged::Requests(others)))
    }

    /// The requests that nginx has had, after the line of the last one of them was read; `None` if it does not come.
    fn requests_with_line(&mut self, patience: Duration) -> Result<Option<u64>> {
        let (mark, began) = (rand::random(), Instant::now());
        let requests = status::requests(self.settings.status, mark)?;
        loop {
            self.log.read(&mut self.slots)?;
            if self.log.seen().mark == Some(mark) {
                return Ok(Some(requests));
            }
            if began.elapsed() > patience {
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
    }

    fn log_is_elsewhere(&self) -> Error {
        Error::NotSetUp {
            program: NGINX,
            what: format!("it does not log its requests in `{}`", self.log.path().display()),
            hint:
                "`nginx -s reopen` opens the log again; `tierup ramp --show-config` prints what the configuration needs"
                    .to_owned(),
        }
    }
}

impl Actuator for Nginx {
    fn name(&self) -> &'static str {
        NGINX
    }

    fn describe(&self) -> Vec<Piece> {
        config::pieces(&self.settings)
    }

    fn check(&mut self) -> Result<()> {
        self.run(&self.settings.test)?;
        status::in_force(self.settings.status)?;
        fs::read(&self.settings.split).map_err(Error::file("read", &self.settings.split))?;
        // The first look at the log begins at its end.
        self.log.read(&mut self.slots)?;
        let requests = self.requests_with_line(ON_ITS_WAY)?.ok_or_else(|| self.log_is_elsewhere())?;
        self.compared = Some((requests, self.log.seen()));
        Ok(())
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        // A status that cannot be read must not keep weights from falling.
        let in_force = status::in_force(self.settings.status).ok();
        if !in_force.is_some_and(|in_force| in_force.does_for(control)) {
            let split = Split::new(control);
            self.write(&split)?;
            self.wait_for(&split)?;
        }
        self.slots.control(control, Instant::now());
        Ok(())
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        Ok(status::in_force(self.settings.status)?.weights_at(now))
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Observed {
        let now = Instant::now();
        let looked = self.look(now);
        let entries = self.slots.after_look(looked.is_ok(), now);
        let unlogged = |unlogged| match unlogged {
            Unlogged::Requests(answers) => Error::Unlogged { program: NGINX, answers, logged: 0 },
            Unlogged::Status => self.log_is_elsewhere(),
        };
        let may_be_quiet = looked.is_ok() && matches!(self.unlogged, Some(Unlogged::Requests(_)));
        let blind = looked.err().or_else(|| self.unlogged.map(unlogged));
        Observed { entries, blind, may_be_quiet }
    }

    fn release(&mut self) -> Result<()> {
        let closed = Split::closed();
        if status::in_force(self.settings.status).is_ok_and(|in_force| in_force == *closed.in_force()) {
            return Ok(());
        }
        self.write(&closed)?;
        self.wait_for(&closed)
    }
}

#[cfg(test)]
mod tests;
