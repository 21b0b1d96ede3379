//! Envoy: serves it the weights as runtime keys (RTDS), and reads every answer from an access log.
//!
//! The layer with the weights has a time to live, so Envoy forgets it by itself if the judge does not renew it: killed,
//! hung, cut off or silent. Then the route's own weights hold, which give control every request.
//!
//! One Envoy is served: the one at the admin address, as the log is its own. Others that connect get no weights.
//!
//! Each look asks Envoy which weights are in force, as an operator can override runtime keys. Each slot of the log is
//! compared with Envoy's own count of the route's requests.

mod admin;
mod config;
mod log;
mod messages;
mod rtds;
mod timeline;

use std::time::{Duration, Instant};

use tierup_rollout::{Control, EnvoySettings, STALE_AFTER, Weights};

use crate::{
    Error, Result,
    actuator::{Actuator, Observed, Piece, lacks, slots::Slots, tally::Tally},
};
use config::FLUSH;
use log::Log;
use rtds::{Other, Rtds, Unconfirmed};
use timeline::Timeline;

const ENVOY: &str = "Envoy";
/// How long Envoy may take to connect to a judge that has just started: three times the pause between its attempts.
const CONNECTS: Duration = Duration::from_secs(15);
/// How long a connected Envoy may take to confirm weights; it does so within milliseconds.
const CONFIRMS: Duration = Duration::from_secs(3);
/// How late the line of a counted request may be.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

/// An Envoy that shares the requests.
#[derive(Debug)]
pub struct Envoy {
    settings: EnvoySettings,
    /// After this time without the judge, Envoy forgets the weights.
    ttl: Duration,
    /// Runs from the first check or change on.
    rtds: Option<Rtds>,
    timeline: Timeline,
    log: Log,
    slots: Slots,
    compared: Tally,
    /// Envoy's count of the route's requests at the last comparison.
    begun: u64,
}

impl Envoy {
    /// # Errors
    /// If a name or path cannot stand in Envoy's configuration.
    pub fn new(settings: EnvoySettings) -> Result<Envoy> {
        Envoy::with_ttl(settings, Duration::from_secs(STALE_AFTER))
    }

    /// With another time until Envoy forgets the weights of a judge that is gone.
    ///
    /// # Errors
    /// If a name or path cannot stand in Envoy's configuration.
    pub fn with_ttl(settings: EnvoySettings, ttl: Duration) -> Result<Envoy> {
        config::check(&settings)?;
        Ok(Envoy {
            ttl,
            rtds: None,
            timeline: Timeline::default(),
            log: Log::new(settings.log.clone()),
            slots: Slots::default(),
            compared: Tally::default(),
            begun: 0,
            settings,
        })
    }

    /// The server, which has been taken out; it is started if it does not run.
    fn serving(&mut self) -> Result<Rtds> {
        if let Some(rtds) = self.rtds.take() {
            return Ok(rtds);
        }
        let node = admin::info(self.settings.admin)?.node;
        let address = self.settings.listen;
        let rtds = Rtds::start(address, node).map_err(|error| Error::NotSetUp {
            program: ENVOY,
            what: format!("cannot serve it the weights at {address}: {error}"),
            hint: "a judge that hangs may hold the address: then Envoy forgets its weights within 60 s".to_owned(),
        })?;
        rtds.confirm(0, CONNECTS).map_err(|why| self.unconfirmed(why))?;
        let (begun, active) = self.requests()?;
        // The first read of the log starts at its end.
        let lines = self.log.read(&mut self.slots, &self.timeline)?;
        (self.begun, self.compared) = (begun, Tally::new(begun.saturating_sub(active), lines));
        Ok(rtds)
    }

    fn unconfirmed(&self, why: Unconfirmed) -> Error {
        let why = match why {
            Unconfirmed::Alone => format!("it is not connected to {}", self.settings.listen),
            Unconfirmed::Silent => "it does not confirm them".to_owned(),
            Unconfirmed::Refused(answer) => return Error::Refused { program: ENVOY, command: "RTDS", answer },
        };
        Error::NotInForce { program: ENVOY, why }
    }

    fn put(&mut self, version: String, weights: Weights) -> Result<()> {
        let serving = self.serving()?;
        let rtds = self.rtds.insert(serving);
        let told = timeline::now();
        self.timeline.told(weights, told);
        let number = rtds.tell(version, weights, self.ttl);
        rtds.confirm(number, CONFIRMS).map_err(|why| self.unconfirmed(why))?;
        self.timeline.confirmed(told, self.ttl, timeline::now());
        self.check_in_force(weights)
    }

    /// Checks that nobody overrides the weights.
    fn check_in_force(&self, weights: Weights) -> Result<()> {
        if admin::weights(self.settings.admin)? == Some(weights) {
            return Ok(());
        }
        let why = format!("other values of `tierup.weight` hold, see http://{}/runtime", self.settings.admin);
        Err(Error::NotInForce { program: ENVOY, why })
    }

    fn requests(&self) -> Result<(u64, u64)> {
        let what = "it lacks the route with `stat_prefix: tierup` or one of its clusters";
        admin::requests(self.settings.admin)?.ok_or_else(|| lacks(ENVOY, what.into()))
    }

    fn look(&mut self, now: Instant) -> Result<()> {
        self.timeline.forget_future(timeline::now());
        self.log.read(&mut self.slots, &self.timeline)?;
        if let Some(weights) = self.timeline.at(timeline::now()) {
            self.check_in_force(weights)?;
        }
        if let Some(other) = self.rtds.as_ref().and_then(Rtds::other) {
            let what = match other {
                Other::Stranger(id) => {
                    let id = id.escape_debug();
                    format!("another Envoy, with the node id `{id}`, is connected, and gets no weights")
                }
                Other::Twin(id) => format!("two Envoys with the node id `{}` are connected", id.escape_debug()),
            };
            let hint = "`admin` and `log` of [rollout.envoy] are of one Envoy".to_owned();
            return Err(Error::NotSetUp { program: ENVOY, what, hint });
        }
        if self.slots.end(now) {
            self.compare(now)?;
        }
        Ok(())
    }

    fn compare(&mut self, now: Instant) -> Result<()> {
        let (begun, active) = self.requests()?;
        if begun < self.begun {
            // Envoy was restarted, and counts from 0 again.
            self.compared.ended = 0;
            self.slots.forget(now);
        }
        self.begun = begun;
        let ended = begun.saturating_sub(active).max(self.compared.ended);
        let (log, slots, timeline) = (&mut self.log, &mut self.slots, &self.timeline);
        if !self.compared.is_complete(ended, ON_ITS_WAY, || log.read(slots, timeline))? {
            self.slots.forget(now);
        }
        Ok(())
    }
}

impl Actuator for Envoy {
    fn name(&self) -> &'static str {
        "envoy"
    }

    fn describe(&self) -> Vec<Piece> {
        config::pieces(&self.settings)
    }

    fn check(&mut self) -> Result<()> {
        let flush = admin::info(self.settings.admin)?.flush;
        if flush > FLUSH {
            return Err(lacks(ENVOY, format!("it writes its log only every {flush} s")));
        }
        self.requests()?;
        self.rtds = Some(self.serving()?);
        Ok(())
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        self.put(format!("{}-{}", control.ramp, control.generation), control.weights)?;
        self.slots.control(control, Instant::now());
        Ok(())
    }

    fn read(&mut self, _now: u64) -> Result<Weights> {
        let why = || format!("`tierup.weight` has no weights of a judge, see http://{}/runtime", self.settings.admin);
        admin::weights(self.settings.admin)?.ok_or_else(|| Error::NotInForce { program: ENVOY, why: why() })
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Observed {
        let now = Instant::now();
        let looked = self.look(now);
        let entries = self.slots.after_look(looked.is_ok(), now);
        let blind = looked.err().or_else(|| self.compared.error(ENVOY));
        Observed { entries, blind, may_be_quiet: false }
    }

    fn release(&mut self) -> Result<()> {
        if self.rtds.is_none() && self.read(0).is_ok_and(|weights| weights == Weights::CONTROL_ONLY) {
            return Ok(());
        }
        self.put("released".into(), Weights::CONTROL_ONLY)
    }
}
