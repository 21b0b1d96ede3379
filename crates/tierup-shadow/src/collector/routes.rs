//! The names under which requests are counted: method and path, without what identifies something or somebody.
//!
//! A proxy meets any path. There are at most a hundred names: the project's routes, and what comes first. A part of a
//! path that looks like an identifier becomes `*`, as do all parts beside it once a place has had many. Parts that few clients
//! asked for are written as keyed hashes (`written`).

mod pattern;
mod written;

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use hyper::Method;
use tierup_requests::{is_identifier, may_let_in};

use self::{pattern::Pattern, written::Written};
use crate::{
    hidden::{SEVERAL, Show},
    identifier::is_random,
    network::Witness,
};

/// Names beyond these are counted together.
const MOST_ROUTES: usize = 100;
/// Different parts at one place of a path, below its first. Where there are more, they are names of things: `/users/alice`.
const MOST_BESIDE: usize = 20;
/// What is deeper is not told apart.
const DEEPEST: usize = 10;
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

/// What a thread knows of the names. It asks the others only for a name that is new to it, which happens a bounded number of
/// times.
#[derive(Debug)]
pub(super) struct Names {
    table: Arc<Table>,
    routes: HashMap<Arc<str>, Route>,
    crowded: HashSet<String>,
    is_full: bool,
    name: String,
    /// The first clients of each route, by its number.
    clients: Vec<Vec<u64>>,
}

impl Names {
    pub(super) fn of(table: Arc<Table>) -> Names {
        let (routes, crowded, name, clients) = Default::default();
        let mut names = Names { table, routes, crowded, is_full: false, name, clients };
        names.learn(|_| ());
        names
    }

    pub(super) fn route(&mut self, method: &Method, path: &str) -> Route {
        let of_project = self.table.project.iter().find(|pattern| pattern.matches(method, path));
        if let Some(pattern) = of_project {
            return pattern.route;
        }
        self.name.clear();
        self.name.push_str(standard(method));
        self.name.push(' ');
        let mut before = "";
        for (depth, part) in path.trim_start_matches('/').split('/').enumerate() {
            let is_data = is_identifier(part) || is_random(part) || may_let_in(before, part);
            let is_any = is_data || self.crowded.contains(&self.name);
            before = part;
            self.name.push('/');
            if depth >= DEEPEST {
                self.name.push_str("**");
                break;
            }
            self.name.push_str(if is_any { "*" } else { part });
        }
        if let Some(route) = self.routes.get(&*self.name) {
            return *route;
        }
        if self.is_full {
            return Route::others(method);
        }
        let name = std::mem::take(&mut self.name);
        let route = self.learn(|known| known.add(&name));
        self.name = name;
        route.unwrap_or_else(|| Route::others(method))
    }

    /// Whose request it was, as long as a route has had few clients.
    pub(super) fn used<'a>(&mut self, route: Route, by: impl FnOnce() -> Witness<'a>) {
        if self.clients.len() <= route.index() {
            self.clients.resize_with(route.index() + 1, Vec::new);
        }
        let clients = &mut self.clients[route.index()];
        if clients.len() >= SEVERAL {
            return;
        }
        let Witness { name, is_public } = by();
        let client = self.table.key.hash_one((is_public, name));
        if !clients.contains(&client) {
            clients.push(client);
            let mut known = self.table.locked();
            let Known { names, written, .. } = &mut *known;
            names.get(route.index()).into_iter().for_each(|name| written.used(name, client));
        }
    }

    fn learn<T>(&mut self, look: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.table.names.lock().unwrap_or_else(PoisonError::into_inner);
        let found = look(&mut known);
        self.routes.clone_from(&known.routes);
        self.crowded.clone_from(&known.crowded);
        self.is_full = known.is_full;
        found
    }
}

/// Clients may send any word as a method.
fn standard(method: &Method) -> &'static str {
    const STANDARD: [Method; 9] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::CONNECT,
        Method::TRACE,
    ];
    match STANDARD.iter().position(|known| known == method) {
        Some(0) => "GET",
        Some(1) => "HEAD",
        Some(2) => "POST",
        Some(3) => "PUT",
        Some(4) => "DELETE",
        Some(5) => "PATCH",
        Some(6) => "OPTIONS",
        Some(7) => "CONNECT",
        Some(8) => "TRACE",
        _ => "*",
    }
}

#[cfg(test)]
mod tests;
