//! HAProxy: sets the weights through its runtime API, and reads every answer from its log.
//!
//! The weights are one value in a map of HAProxy's, which its configuration compares with the client's bucket. So they
//! are exact, change all at once, and leave each client where it is (docs/decisions/0031 has what server weights do
//! instead). The value has an end, too: if nobody renews it, control answers every request again.

mod config;
mod log;
mod runtime;
mod split;
mod statistics;

use std::{collections::BTreeSet, mem, path::PathBuf, time::Instant};

use tierup_rollout::{
    Control, Side, Sticky, Weights,
    evidence::{Entry, Event},
};

use crate::{
    Actuator, Error, Piece, Result,
    answer::{name, side},
    slots::Slots,
};
use log::Log;
use runtime::Runtime;
use split::Split;
use statistics::Server;

const HAPROXY: &str = "HAProxy";
/// Slots are only used if at most one answer of this many was lost.
const LOST: u64 = 20;

/// Where HAProxy is, and its names for things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaProxySettings {
    /// The stats socket, with `level admin`.
    pub socket: PathBuf,
    /// The backend whose servers are `control`, `candidate` and, if there is one, `twin`.
    pub backend: String,
    /// The map's file, which HAProxy reads as it starts. tierup does not write it.
    pub map: PathBuf,
    pub sticky: Sticky,
}

/// An HAProxy that shares the requests.
#[derive(Debug)]
pub struct HaProxy {
    settings: HaProxySettings,
    runtime: Runtime,
    slots: Slots,
    log: Option<Log>,
    /// Servers that HAProxy's health checks found down.
    down: BTreeSet<Side>,
    has_looked: bool,
    /// The answers that the log had lost when the last slot ended.
    lost: u64,
}

impl HaProxy {
    /// # Errors
    /// A name or path that cannot stand in HAProxy's configuration.
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
            lost: 0,
        })
    }

    fn servers(&self) -> Result<Vec<Server>> {
        let answer = self.runtime.ask(&format!("show stat {} 4 -1", self.settings.backend))?;
        statistics::servers(&answer).map_err(|what| self.lacks(what))
    }

    fn server(&self, servers: &[Server], name: &str) -> Result<Server> {
        let found = servers.iter().find(|server| server.name == name).cloned();
        found.ok_or_else(|| self.lacks(format!("the backend `{}` has no server `{name}`", self.settings.backend)))
    }

    fn lacks(&self, what: String) -> Error {
        let hint = "`tierup ramp --show-config` prints what its configuration needs".to_owned();
        Error::NotSetUp { program: HAPROXY, what, hint }
    }

    fn split(&self) -> Result<Split> {
        let answer = self.runtime.ask(&format!("show map {}", self.settings.map.display()))?;
        let value = answer.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            (words.next() == Some(split::KEY)).then(|| words.next()).flatten()
        });
        let refused = || Error::Refused { program: HAPROXY, command: "show map", answer: shortened(&answer) };
        value.and_then(Split::parse).ok_or_else(refused)
    }

    fn put(&self, split: &Split) -> Result<()> {
        let command = format!("set map {} {} {}", self.settings.map.display(), split::KEY, split.to_value());
        let answer = self.runtime.ask(&command)?;
        if !answer.trim().is_empty() {
            return Err(Error::Refused { program: HAPROXY, command: "set map", answer: shortened(&answer) });
        }
        if self.split()? != *split {
            return Err(Error::NotInForce { program: HAPROXY, why: "it tells other ones than it was told".into() });
        }
        Ok(())
    }

    /// Health checks that failed or passed again since the last look.
    fn look_for_servers_down(&mut self) -> Result<()> {
        let servers = self.servers()?;
        if !mem::replace(&mut self.has_looked, true) {
            // What another process of the judge complained of is over, or is found again now.
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
        Ok(())
    }

    /// Attaches to the log of the process that runs now, and reads what it has.
    fn read_log(&mut self) -> Result<()> {
        let process = self.runtime.process()?;
        let attached = self.log.as_ref().map(Log::process);
        if attached != Some(process) {
            if let Some(mut old) = self.log.take() {
                // The old process may have ended, and with it the connection.
                let _ = old.read(&mut self.slots);
            }
            self.lost = self.runtime.lost()?;
            // The log of a process that was started meanwhile counts from its beginning.
            let from = if attached.is_some() { log::From::Beginning } else { log::From::Now };
            self.log = Some(Log::attach(&self.runtime, process, from)?);
        }
        let Some(log) = &mut self.log else { return Ok(()) };
        let read = log.read(&mut self.slots);
        if read.is_err() {
            self.log = None;
        }
        read
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
        let servers = self.servers()?;
        if self.server(&servers, name(Side::Control))?.weight == 0 {
            return Err(self.lacks("the server `control` has the weight 0: requests would have nowhere to go".into()));
        }
        self.server(&servers, name(Side::Candidate))?;
        for server in servers.iter().filter(|server| server.name != name(Side::Control)) {
            if server.weight != 0 {
                let what = format!("the server `{}` needs `weight 0`, or it gets requests of its own", server.name);
                return Err(self.lacks(what));
            }
        }
        self.split()?;
        self.runtime.lost().map(drop)
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        let servers = self.servers()?;
        if control.weights.twin > tierup_rollout::Part::NONE {
            self.server(&servers, name(Side::Twin))?;
        }
        self.put(&Split::of(control))?;
        self.slots.control(control, Instant::now());
        Ok(())
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        Ok(self.split()?.weights_at(now))
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Result<Vec<Entry>> {
        self.look_for_servers_down()?;
        self.read_log()?;
        let now = Instant::now();
        if self.slots.is_over(now) {
            let (answers, before) = (self.slots.answers(), self.lost);
            self.lost = self.runtime.lost()?;
            let lost = self.lost.saturating_sub(before);
            if lost * LOST > answers + lost {
                self.slots.forget(now);
                return Err(Error::Lost { program: HAPROXY, logged: answers, lost });
            }
        }
        Ok(self.slots.take(now))
    }

    fn release(&mut self) -> Result<()> {
        self.put(&Split::closed())
    }
}

/// The first words of an answer, for an error.
fn shortened(answer: &str) -> String {
    answer.trim().lines().next().unwrap_or_default().chars().take(200).collect()
}
