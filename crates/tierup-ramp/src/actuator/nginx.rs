//! nginx: writes the weights into a file of `split_clients` that its configuration includes, reloads it, and reads
//! every answer from an access log.
//!
//! The file has an end in it: if it is not renewed, control answers every request again. Each renewal reloads nginx, so
//! the file lives longer than a control file.
//!
//! Each slot checks that the log is complete. A request to nginx's status must appear in the log; otherwise nginx
//! writes to another file, or to a full disk. And if nginx has answered requests, some must be in the log. Its own
//! count (`stub_status`) includes all its servers and locations, so a missing part cannot be told from other requests.

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
/// New workers serve if this many new connections in a row reach one; old workers still accept for a moment.
const IN_A_ROW: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);
/// How late the line of a request may be: a reader notices a rotated log after two seconds.
const ON_ITS_WAY: Duration = Duration::from_secs(4);
/// The log is incomplete if this many requests come and it has none of them.
const UNLOGGED: u64 = 20;

/// An nginx that shares the requests.
#[derive(Debug)]
pub struct Nginx {
    settings: NginxSettings,
    log: Log,
    slots: Slots,
    /// nginx's count and the lines read of its log when the last shared request was logged.
    compared: Option<(u64, LinesRead)>,
    /// What was missing from the log at the last check.
    unlogged: Option<Unlogged>,
}

/// What is missing from the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unlogged {
    /// A request to nginx's status.
    Status,
    /// This many requests, which is all of them.
    Requests(u64),
}

impl Nginx {
    /// # Errors
    /// If a name or path cannot stand in nginx's configuration.
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

    /// Replaces the file. If nginx refuses its configuration with the new file, the old one is put back.
    fn write(&self, split: &Split) -> Result<()> {
        let path = &self.settings.split;
        // An unreadable file must not keep weights from falling.
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

    /// What is missing from the log since the last shared request in it.
    fn compare(&mut self, now: Instant) -> Result<Option<Unlogged>> {
        // If the line of the status was missing the last time, the wait is short.
        let patience = if self.unlogged == Some(Unlogged::Status) { PAUSE } else { ON_ITS_WAY };
        let Some(requests) = self.requests_with_line(patience)? else { return Ok(Some(Unlogged::Status)) };
        let seen = self.log.seen();
        let (before, had) = *self.compared.get_or_insert((requests, seen));
        if seen.shared > had.shared {
            self.compared = Some((requests, seen));
            return Ok(None);
        }
        let Some(requests) = requests.checked_sub(before) else {
            // nginx was restarted, and counts from 0 again.
            self.compared = None;
            self.slots.forget(now);
            return Ok(None);
        };
        let others = requests.saturating_sub(seen.status - had.status);
        Ok((others >= UNLOGGED).then_some(Unlogged::Requests(others)))
    }

    /// How many requests nginx has had, once the line of the last one was read; `None` if that line is missing.
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
        // The first read of the log starts at its end.
        self.log.read(&mut self.slots)?;
        let requests = self.requests_with_line(ON_ITS_WAY)?.ok_or_else(|| self.log_is_elsewhere())?;
        self.compared = Some((requests, self.log.seen()));
        Ok(())
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        // An unreadable status must not keep weights from falling.
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
