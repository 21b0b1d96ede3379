//! The names under which requests are counted: method and path, without what identifies something or somebody.
//!
//! A proxy meets any path. There are at most a hundred names: the project's routes, and what comes first. A part of a
//! path that looks like an identifier becomes `*`, as do all parts beside it once a place has had many. Parts that few clients
//! asked for are written as keyed hashes (`written`).

mod names;
mod pattern;
mod written;

use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
    sync::{Arc, Mutex, PoisonError},
};

use hyper::Method;

pub(super) use self::names::Names;
use self::{pattern::Pattern, written::Written};
use crate::hidden::Show;

/// Names beyond these are counted together.
const MOST_ROUTES: usize = 100;
/// Different parts at one place of a path, below its first. Where there are more, they are names of things: `/users/alice`.
const MOST_BESIDE: usize = 20;
/// The routes of all that have no name of their own: those that change nothing (GET, HEAD), which may take part in a ramp, and
/// all others.
const SAFE_OTHERS: &str = "GET (others)";
pub(super) const OTHERS: &str = "(others)";

/// A route's number. It stays the same while the proxy runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route(u16);

impl Route {
    const OTHERS: Route = Route(0);
    const SAFE_OTHERS: Route = Route(1);

    fn others(method: &Method) -> Route {
        if *method == Method::GET || *method == Method::HEAD { Route::SAFE_OTHERS } else { Route::OTHERS }
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// All names of a proxy.
#[derive(Debug)]
pub(super) struct Table {
    project: Vec<Pattern>,
    /// Names clients.
    key: RandomState,
    names: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// By number.
    names: Vec<Arc<str>>,
    routes: HashMap<Arc<str>, Route>,
    /// How many of them the user gave.
    given: usize,
    written: Written,
    /// The parts that were seen behind the start of a path, while it is not crowded.
    beside: HashMap<String, HashSet<String>>,
    /// Starts of paths whose next part is `*`.
    crowded: HashSet<String>,
    is_full: bool,
}

impl Table {
    pub(super) fn new(project: &[String], show: Show) -> Table {
        let mut known = Known {
            names: vec![OTHERS.into(), SAFE_OTHERS.into()],
            routes: HashMap::new(),
            given: 0,
            written: Written::new(show),
            beside: HashMap::new(),
            crowded: HashSet::new(),
            is_full: false,
        };
        let project = project.iter().filter_map(|name| Pattern::new(name, known.number(name))).collect();
        known.given = known.names.len();
        Table { project, key: RandomState::new(), names: Mutex::new(known) }
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let known = self.locked();
        (0..known.names.len()).map(|number| known.name(number)).collect()
    }

    pub(super) fn name(&self, route: Route) -> Arc<str> {
        self.locked().name(route.index())
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Known> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// A route's name as it is written.
    fn name(&self, number: usize) -> Arc<str> {
        match self.names.get(number) {
            Some(name) if number < self.given => Arc::clone(name),
            Some(name) => self.written.name(name),
            None => OTHERS.into(),
        }
    }

    fn number(&mut self, name: &str) -> Route {
        if let Some(route) = self.routes.get(name) {
            return *route;
        }
        let Ok(number) = u16::try_from(self.names.len()) else { return Route::OTHERS };
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.routes.insert(name, Route(number));
        Route(number)
    }

    /// The number of a name that a thread did not know; `None` where there are too many.
    fn add(&mut self, name: &str) -> Option<Route> {
        let name = self.without_crowds(name);
        if self.routes.contains_key(&*name) || self.routes.len() < MOST_ROUTES {
            return Some(self.number(&name));
        }
        self.is_full = true;
        None
    }

    fn without_crowds(&mut self, name: &str) -> String {
        let mut parts = name.split('/');
        let mut start = parts.next().unwrap_or_default().to_owned();
        for (depth, part) in parts.enumerate() {
            let mut part = part;
            if depth > 0 && part != "*" {
                let beside = self.beside.entry(start.clone()).or_default();
                if beside.len() < MOST_BESIDE {
                    beside.insert(part.to_owned());
                } else if !beside.contains(part) {
                    self.crowded.insert(start.clone());
                }
                if self.crowded.contains(&start) {
                    part = "*";
                }
            }
            start.push('/');
            start.push_str(part);
        }
        start
    }
}

#[cfg(test)]
mod tests;
