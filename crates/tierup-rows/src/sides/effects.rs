//! Servers that call another service: the relays between them, and the requests with side effects that are copied.
//!
//! In: `[downstream]` and `[rollout]`. Out: processes that are started beside control and candidate. The control's
//! calls reach the real service and are recorded; the calls of copies are answered from the record.

use std::env;

use tierup_check::service;
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Attribute, CheckSettings, DownstreamSettings, Loaded};
use tierup_shadow::{
    Lanes, Routes,
    lanes::{ControlLanes, Doubles},
};
use tierup_subject::{Attribution, Double, RealService, Relay, Service};

use super::{Server, Side, rules};
use crate::BuiltRow;

/// The most bytes of bodies that are kept for the calls of one request.
const ROOM: usize = 1 << 20;

/// How the calls of a project's servers are assigned to requests.
pub struct Plan {
    service: Service,
    real: RealService,
    attribution: Attribution,
    lanes: usize,
    check: CheckSettings,
}

/// Processes that get only copies, and those of the control that serve one sampled request at a time.
pub struct Effects {
    /// The servers must stop before the relays in `lanes`, so they stand first.
    pub of_control: Vec<Server>,
    pub of_candidate: Vec<Server>,
    /// `None` unless the twin is a row.
    pub of_twin: Option<Vec<Server>>,
    pub lanes: Lanes,
}

impl Effects {
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Server> {
        self.of_control.iter_mut().chain(&mut self.of_candidate).chain(self.of_twin.iter_mut().flatten())
    }
}

impl Plan {
    /// `None` if the project's servers call no other service, or if the user started them.
    ///
    /// # Errors
    /// Only one of the two is a row, the project does not say how calls are assigned to requests, or the address of the
    /// real service is unknown.
    pub fn new(loaded: Option<&Loaded>, control: &Side, candidate: &Side) -> Result<Option<Plan>> {
        let Some((loaded, downstream)) = loaded.and_then(|loaded| Some((loaded, loaded.downstream.as_ref()?))) else {
            return Ok(None);
        };
        match (control, candidate) {
            (Side::At(_), Side::At(_)) => return Ok(None),
            (Side::Row(_), Side::Row(_)) => {}
            _ => {
                let failure = "a server at an address cannot be compared with a row that calls another service: its calls \
                               are not recorded";
                let hint = "give two rows, or two addresses of servers whose calls you keep apart";
                return Err(Failure::usage(failure).hint(hint));
            }
        }
        let rollout = &loaded.rollout;
        let attribution = match &rollout.attribute {
            Some(Attribute::Header(name)) => Attribution::header(name)
                .ok_or_else(|| Failure::usage(format!("`{name}` is not the name of a header")))?,
            Some(Attribute::Lane) => Attribution::Lane,
            None => return Err(unattributed()),
        };
        Ok(Some(Plan {
            service: service(downstream),
            real: real(downstream, rollout.downstream.as_deref())?,
            attribution,
            lanes: usize::from(rollout.lanes.max(1)),
            check: rules(loaded),
        }))
    }

    /// The variable that tells a server the address of the real service.
    pub(crate) fn environment(&self) -> (String, String) {
        (self.service.variable.clone(), self.real.to_string())
    }

    /// The relay that the control's main process must call instead of the real service, if any.
    pub(crate) fn relay(&self) -> Result<Option<Relay>> {
        match self.attribution {
            Attribution::Lane => Ok(None),
            Attribution::Header(_) => self.new_relay().map(Some),
        }
    }

    fn new_relay(&self) -> Result<Relay> {
        Relay::start(&self.service.variable, self.real.clone(), self.attribution.clone(), ROOM).map_err(no_port)
    }

    /// Starts the processes. `relay` is the control's, if a header assigns calls to requests.
    pub(crate) fn start(
        &self,
        control: &Side<BuiltRow>,
        candidate: &Side<BuiltRow>,
        twin: Option<&Side<BuiltRow>>,
        relay: Option<Relay>,
    ) -> Result<Effects> {
        let (control_lanes, of_control, seats) = match relay {
            Some(relay) => (ControlLanes::header(self.attribution.clone(), relay), Vec::new(), 1),
            None => {
                let relays = (0..self.lanes).map(|_| self.new_relay()).collect::<Result<Vec<_>>>()?;
                let environments = relays.iter().map(Relay::environment);
                let servers = environments.map(|environment| control.start(&[environment]));
                let servers = servers.collect::<Result<Vec<_>>>()?;
                let lanes = servers.iter().filter_map(Server::socket).zip(relays).collect();
                (ControlLanes::processes(lanes), servers, self.lanes)
            }
        };
        let (of_candidate, doubles) = self.with_doubles(candidate, seats)?;
        let twin = twin.filter(|twin| matches!(twin, Side::Row(_)));
        let (of_twin, twin_doubles) = twin.map(|twin| self.with_doubles(twin, seats)).transpose()?.unzip();
        let lanes = Lanes { control: control_lanes, candidate: doubles, twin: twin_doubles };
        Ok(Effects { of_control, of_candidate, of_twin, lanes })
    }

    fn with_doubles(&self, side: &Side<BuiltRow>, count: usize) -> Result<(Vec<Server>, Doubles)> {
        let doubles = (0..count).map(|_| Double::start(&self.service, self.attribution.clone(), ROOM).map_err(no_port));
        let doubles = doubles.collect::<Result<Vec<_>>>()?;
        let servers = doubles.iter().map(|double| side.start(&[double.environment()])).collect::<Result<Vec<_>>>()?;
        let processes = servers.iter().filter_map(Server::socket).zip(doubles).collect();
        let check = self.check.clone();
        let rules = Box::new(move |target: &str| check.policy_for(target).into_owned());
        Ok((servers, Doubles::new(processes, rules)))
    }

    /// A note for the user.
    pub fn note(&self) -> String {
        let how = match &self.attribution {
            Attribution::Lane if self.lanes == 1 => "1 lane".to_owned(),
            Attribution::Lane => format!("{} lanes", self.lanes),
            Attribution::Header(name) => format!("requests with `{name}`"),
        };
        format!("calls to {} are recorded in {how}; those of copies are answered from the record", self.real)
    }
}

/// The routes with side effects that are copied, and whose requests may be shared; or a note why there are none,
/// although the project names some.
///
/// # Errors
/// A server is a row, but the effects of these requests cannot be seen.
pub fn routes(loaded: Option<&Loaded>, plan: Option<&Plan>, has_row: bool) -> Result<(Routes, Option<String>)> {
    let Some(rollout) = loaded.map(|loaded| &loaded.rollout).filter(|rollout| !rollout.routes.is_empty()) else {
        return Ok((Routes::default(), None));
    };
    let names: Vec<String> = rollout.routes.iter().map(ToString::to_string).collect();
    if plan.is_some() || rollout.isolated {
        let routes = Routes::new(&names).map_err(|error| Failure::usage(error.to_string()))?;
        return Ok((routes, None));
    }
    let names = names.join(", ");
    if has_row {
        let failure = format!(
            "`routes` of [rollout] names {names}, but the effects of these requests cannot be seen: the project has no \
             [downstream], and calls that are not HTTP (a database, a queue) are never seen"
        );
        let hint = "describe the HTTP service in [downstream] and [rollout.downstream]; or, if whatever the candidate's \
                    processes change is apart from control's, add `isolated = true` to [rollout]; or, if these requests \
                    change nothing, name them in `safe` instead";
        return Err(Failure::usage(failure).hint(hint));
    }
    let note = format!(
        "{names}: effects not attributable, so these requests are neither copied nor shared (tierup must start the \
         servers itself, or [rollout] must say `isolated = true`; what changes nothing belongs in `safe`)"
    );
    Ok((Routes::default(), Some(note)))
}

/// The address in `[rollout.downstream]`, or in the environment's variable.
fn real(downstream: &DownstreamSettings, address: Option<&str>) -> Result<RealService> {
    let (from, text) = match (address, env::var(&downstream.env)) {
        (Some(address), _) => ("[rollout.downstream]".to_owned(), address.to_owned()),
        (None, Ok(address)) => (downstream.env.clone(), address),
        (None, Err(_)) => {
            let failure = "the address of the real service is not known: control's calls must reach it";
            let hint = format!(
                "add [rollout.downstream] with `address = \"http://HOST:PORT\"` to tierup.toml, or set {}",
                downstream.env
            );
            return Err(Failure::usage(failure).hint(hint));
        }
    };
    text.parse().map_err(|error| Failure::usage(format!("{from}: `{text}`: {error}")))
}

/// Neither way suits all servers, so there is no default: few forward a header, and lanes spread clients.
fn unattributed() -> Failure {
    let failure =
        "the servers call another service ([downstream]), and [rollout] does not say which calls belong to a request";
    let hint = "add `attribute = \"header:traceparent\"` to [rollout] if the servers forward that header, or another one, with \
                their calls; or `attribute = \"lane\"`: the control is then several processes with one request at a time, so it \
                must not keep clients' sessions in memory";
    Failure::usage(failure).hint(hint)
}

fn no_port(error: std::io::Error) -> Failure {
    Failure::because("cannot stand in for the service that the servers call", error)
}
