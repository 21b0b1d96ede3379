//! nginx: writes the weights into a file of `split_clients` that its configuration includes, reloads it, and reads every
//! answer from an access log.
//!
//! The file has an end in it: if nobody renews it, control answers every request again. To renew it, nginx is reloaded,
//! so that it lives longer than a control file.

mod config;
mod in_force;
mod log;
mod split;
mod status;

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;
use tierup_rollout::{Control, Sticky, Weights, evidence::Entry};

use crate::{Actuator, Error, Piece, Result, control_file::replace, slots::Slots};
use log::Log;
use split::Split;

const NGINX: &str = "nginx";
/// How long new workers may take to serve after a reload.
const PATIENCE: Duration = Duration::from_secs(10);
/// New workers serve if so many new connections in a row reach one: for a moment, old ones accept connections, too.
const IN_A_ROW: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

/// Where nginx's files are, and how it is reloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NginxSettings {
    /// The file that tierup writes and nginx includes.
    pub split: PathBuf,
    /// The access log in tierup's format.
    pub log: PathBuf,
    /// The Unix socket at which nginx tells which file is in force.
    pub status: PathBuf,
    pub sticky: Sticky,
    /// Tests the configuration: `nginx -t`.
    pub test: Vec<String>,
    /// Puts it into force: `nginx -s reload`.
    pub reload: Vec<String>,
}

/// An nginx that shares the requests.
#[derive(Debug)]
pub struct Nginx {
    settings: NginxSettings,
    log: Log,
    slots: Slots,
}

impl Nginx {
    /// # Errors
    /// A name or path that cannot stand in nginx's configuration.
    pub fn new(settings: NginxSettings) -> Result<Nginx> {
        config::check(&settings)?;
        let log = Log::new(settings.log.clone());
        Ok(Nginx { settings, log, slots: Slots::default() })
    }

    fn run(&self, words: &[String]) -> Result<()> {
        let lacks = || Error::NotSetUp {
            program: NGINX,
            what: "a command is empty".to_owned(),
            hint: "`test` and `reload` are lists of words, such as [\"nginx\", \"-t\"]".to_owned(),
        };
        let (program, arguments) = words.split_first().ok_or_else(lacks)?;
        let command = Command::new(program, arguments.iter().map(String::as_str));
        Ok(tierup_runner::capture(&command, Path::new("/")).map(drop)?)
    }

    /// Replaces the file, and puts the old one back if nginx does not accept its configuration with the new one.
    fn write(&self, split: &Split) -> Result<()> {
        let path = &self.settings.split;
        let old = fs::read(path).map_err(Error::file("read", path))?;
        replace(path, split.to_file().as_bytes())?;
        let applied = self.run(&self.settings.test).and_then(|()| self.run(&self.settings.reload));
        let Err(error) = applied else { return Ok(()) };
        replace(path, &old)?;
        Err(error)
    }

    fn wait_for(&self, split: &Split) -> Result<()> {
        let (began, mut in_a_row) = (Instant::now(), 0);
        while in_a_row < IN_A_ROW {
            let in_force = status::read(&self.settings.status)?;
            in_a_row = if in_force == *split.in_force() { in_a_row + 1 } else { 0 };
            if began.elapsed() > PATIENCE {
                let why = "it was reloaded, and the workers still have the old file; its error log tells more".into();
                return Err(Error::NotInForce { program: NGINX, why });
            }
            thread::sleep(PAUSE);
        }
        Ok(())
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
        status::read(&self.settings.status)?;
        fs::read(&self.settings.split).map_err(Error::file("read", &self.settings.split))?;
        self.log.check()
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        // A status that cannot be read must not keep weights from falling.
        let in_force = status::read(&self.settings.status).ok();
        if !in_force.is_some_and(|in_force| in_force.does_for(control)) {
            let split = Split::of(control);
            self.write(&split)?;
            self.wait_for(&split)?;
        }
        self.slots.control(control, Instant::now());
        Ok(())
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        Ok(status::read(&self.settings.status)?.weights_at(now))
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Result<Vec<Entry>> {
        self.log.read(&mut self.slots)?;
        Ok(self.slots.take(Instant::now()))
    }

    fn release(&mut self) -> Result<()> {
        let closed = Split::closed();
        if status::read(&self.settings.status).is_ok_and(|in_force| in_force == *closed.in_force()) {
            return Ok(());
        }
        self.write(&closed)?;
        self.wait_for(&closed)
    }
}
