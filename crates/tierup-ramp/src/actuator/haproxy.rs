//! HAProxy: sets the weights through its runtime API, and reads every answer from its log.
//!
//! The weights are one value in a map of HAProxy, and the configuration compares the client's bucket with it. So they
//! are exact, all change at once, and each client keeps its server (docs/decisions/0031 says why server weights do
//! not). The value also has an end: if it is not renewed, control answers every request again.
//!
//! An operator can change HAProxy at any time. So each look checks that its servers are as the ramp needs them, and
//! each slot is compared with HAProxy's own count of answers. A slot that does not match is not used as evidence.

mod config;
mod log;
mod runtime;
mod split;
mod statistics;

use std::{
    collections::BTreeSet,
    mem,
    time::{Duration, Instant},
};

use tierup_rollout::{
    Control, HaProxySettings, Part, Side, Weights,
    evidence::{Entry, Event},
};

use crate::{
    Error, Result,
    actuator::{Actuator, Observed, Piece, answer::side, lacks, refused, slots::Slots, tally::Tally},
};
use log::Log;
use runtime::Runtime;
use split::Split;
use statistics::{Server, Statistics};

const HAPROXY: &str = "HAProxy";
/// How late the line of a counted answer may be.
const ON_ITS_WAY: Duration = Duration::from_secs(1);

/// An HAProxy that shares the requests.
#[derive(Debug)]
pub struct HaProxy {
    settings: HaProxySettings,
    runtime: Runtime,
    slots: Slots,
    log: Option<Log>,
    /// Servers that HAProxy's health checks consider down.
    down: BTreeSet<Side>,
    has_looked: bool,
    compared: Tally,
}

impl HaProxy {
    /// # Errors
    /// If a name or path cannot stand in HAProxy's configuration.
    pub fn new(settings: HaProxySettings) -> Result<HaProxy> {
        config::check(&settings)?;
        let runtime = Runtime::new(settings.socket.clone());
        Ok(HaProxy {
            settings,
            runtime,
            slots: Slots::default(),
            log: None,
            down: BTreeSet::new(),
            has_looked: false,
            compared: Tally::default(),
        })
    }

    /// Asks HAProxy about the backend and its servers.
    fn statistics(&self) -> Result<Statistics> {
        let answer = self.runtime.ask(&format!("show stat {} 6 -1", self.settings.backend))?;
        statistics::parse(&answer).map_err(|what| lacks(HAPROXY, what))
    }

    fn server<'a>(&self, servers: &'a [Server], side: Side) -> Result<&'a Server> {
        let found = servers.iter().find(|server| server.name == side.name());
        let (backend, name) = (&self.settings.backend, side.name());
        found.ok_or_else(|| lacks(HAPROXY, format!("the backend `{backend}` has no server `{name}`")))
    }

    /// Checks that candidate and twin get only the requests that the configuration's rules give them, and control the
    /// rest.
    fn check_servers(&self, servers: &[Server]) -> Result<()> {
        let (control, _) = (self.server(servers, Side::Control)?, self.server(servers, Side::Candidate)?);
        if let Some(server) = servers.iter().find(|server| side(&server.name).is_some() && server.is_in_maintenance()) {
            let what = format!("the server `{}` is in maintenance", server.name);
            let hint = format!("`set server {}/{} state ready` ends it", self.settings.backend, server.name);
            return Err(Error::NotSetUp { program: HAPROXY, what, hint });
        }
        if control.is_drained() {
            return Err(lacks(
                HAPROXY,
                "the server `control` has the weight 0: requests would have nowhere to go".into(),
            ));
        }
        let gets_others = |server: &&Server| server.name != control.name && !server.is_drained() && !server.is_backup;
        let other = servers.iter().find(gets_others);
        other.map_or(Ok(()), |server| {
            Err(lacks(
                HAPROXY,
                format!("the server `{}` needs `weight 0`, or it gets requests of its own", server.name),
            ))
        })
    }

    fn split(&self) -> Result<Split> {
        let answer = self.runtime.ask(&format!("show map {}", self.settings.map.display()))?;
        let value = answer.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            (words.next() == Some(split::KEY)).then(|| words.next()).flatten()
        });
        value.and_then(Split::parse).ok_or_else(|| refused(HAPROXY, "show map", &answer))
    }

    fn put(&self, split: &Split) -> Result<()> {
        let command = format!("set map {} {} {}", self.settings.map.display(), split::KEY, split.to_value());
        let answer = self.runtime.ask(&command)?;
        if !answer.trim().is_empty() {
            return Err(refused(HAPROXY, "set map", &answer));
        }
        if self.split()? != *split {
            return Err(Error::NotInForce { program: HAPROXY, why: "it tells other ones than it was told".into() });
        }
        Ok(())
    }

    fn look(&mut self, now: Instant) -> Result<()> {
        let Statistics { servers, ended } = self.statistics()?;
        self.note_servers_down(&servers);
        self.read_log()?;
        self.check_servers(&servers)?;
        if self.slots.end(now) {
            self.compare(ended, now)?;
        }
        Ok(())
    }

    /// Reports servers whose health checks failed or passed again since the last look.
    fn note_servers_down(&mut self, servers: &[Server]) {
        if !mem::replace(&mut self.has_looked, true) {
            // Forgets what an earlier judge process reported; what still holds is found again now.
            self.slots.push(Entry::Event(Event::Ended));
        }
        for server in servers {
            let Some(side) = side(&server.name) else { continue };
            let is = server.is_down();
            if is != self.down.contains(&side) {
                self.slots.push(Entry::Event(Event::Unreachable { side, is }));
                if is {
                    self.down.insert(side)
                } else {
                    self.down.remove(&side)
                };
            }
        }
    }

    /// Attaches to the log of the running process, if that is a new one, and reads the log.
    fn read_log(&mut self) -> Result<()> {
        let process = self.runtime.process()?;
        let attached = self.log.as_ref().map(Log::process);
        if attached != Some(process) {
            if let Some(mut old) = self.log.take() {
                // If the old process has ended, so has the connection.
                let _ = old.read(&mut self.slots);
            }
            self.runtime.check_ring()?;
            // The log and the counters of a process that was started since the last look both begin at 0.
            let is_new = attached.is_some();
            let from = if is_new { log::From::Beginning } else { log::From::Now };
            self.log = Some(Log::attach(&self.runtime, &self.settings.backend, from)?);
            let ended = if is_new { 0 } else { self.statistics()?.ended };
            self.compared = Tally::new(ended, 0);
        }
        let Some(log) = &mut self.log else { return Ok(()) };
        let read = log.read(&mut self.slots);
        if read.is_err() {
            self.log = None;
        }
        read
    }

    /// Whether HAProxy logged as many answers as it counted since the last comparison: a frontend may have lost its
    /// `log`, or the ring some lines.
    fn compare(&mut self, ended: u64, now: Instant) -> Result<()> {
        let (Some(log), slots) = (&mut self.log, &mut self.slots) else { return Ok(()) };
        let is_complete = self.compared.is_complete(ended, ON_ITS_WAY, || log.read(slots).map(|()| log.lines()))?;
        // An operator may also have cleared the counters.
        if !is_complete {
            slots.forget(now);
        }
        Ok(())
    }
}

impl Actuator for HaProxy {
    fn name(&self) -> &'static str {
        "haproxy"
    }

    fn describe(&self) -> Vec<Piece> {
        config::pieces(&self.settings)
    }

    fn check(&mut self) -> Result<()> {
        self.check_servers(&self.statistics()?.servers)?;
        self.split()?;
        self.runtime.check_ring()
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        if control.weights.twin > Part::NONE {
            self.server(&self.statistics()?.servers, Side::Twin)?;
        }
        self.put(&Split::new(control))?;
        self.slots.control(control, Instant::now());
        Ok(())
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        Ok(self.split()?.weights_at(now))
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Observed {
        let now = Instant::now();
        let looked = self.look(now);
        let entries = self.slots.after_look(looked.is_ok(), now);
        let blind = looked.err().or_else(|| self.compared.error(HAPROXY));
        Observed { entries, blind, may_be_quiet: false }
    }

    fn release(&mut self) -> Result<()> {
        self.put(&Split::closed())
    }
}
