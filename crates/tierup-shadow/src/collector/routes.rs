//! The names under which requests are counted: method and path, without parts that identify something or somebody.
//!
//! A proxy meets any path. There are at most a hundred names: the project's routes, and the first others. A part of a
//! path that looks like an identifier becomes `*`, and so do all parts at a place that has had many. Parts that few
//! clients asked for are written as keyed hashes (`written`).

mod names;

use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
    sync::{Arc, Mutex, PoisonError},
};

use hyper::Method;

use crate::{
    hidden::{Several, Show, hash, may_be_secret, starts},
    routes::Routes,
};

pub(super) use self::names::Names;

/// Requests with further names are counted together.
const MOST_ROUTES: usize = 100;
/// The most different parts at one place of a path, below its first. More of them are names of things: `/users/alice`.
const MOST_BESIDE: usize = 20;
/// The routes of requests without a name of their own: those that change nothing (GET, HEAD), which may take part in a
/// ramp, and all others.
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
    /// The key of the hash of clients.
    key: RandomState,
    names: Mutex<RouteNames>,
}

#[derive(Debug)]
struct RouteNames {
    /// The names, by the route's number.
    names: Vec<Arc<str>>,
    routes: HashMap<Arc<str>, Route>,
    /// How many of the names the user gave.
    given: usize,
    written: Written,
    /// The parts that were seen after the start of a path, while it is not crowded.
    beside: HashMap<String, HashSet<String>>,
    /// Starts of paths whose next part is `*`.
    crowded: HashSet<String>,
    is_full: bool,
}

impl Table {
    pub(super) fn new(project: &[String], show: Show) -> Table {
        let mut known = RouteNames {
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

    fn locked(&self) -> std::sync::MutexGuard<'_, RouteNames> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RouteNames {
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

    /// The route with a name that is new to a thread; `None` if there are too many.
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

/// A route of the project.
#[derive(Debug)]
struct Pattern {
    method: String,
    path: PathPattern,
    route: Route,
}

#[derive(Debug)]
enum PathPattern {
    /// `/orders/{id}`, by parts; `None` stands for any part.
    Parts(Vec<Option<String>>),
    /// `/orders/*` or `/files/**`, as read by [`Routes`].
    Stars(Routes),
}

impl Pattern {
    /// `None` if the name has no path.
    fn new(name: &str, route: Route) -> Option<Pattern> {
        let (method, path) = name.split_once(' ')?;
        let any = |part: &str| part.starts_with(['{', ':', '*']);
        let path = match Routes::new(&[name.to_owned()]) {
            Ok(routes) if path.contains('*') => PathPattern::Stars(routes),
            _ => {
                let parts = path.trim_start_matches('/').split('/');
                PathPattern::Parts(parts.map(|part| (!any(part)).then(|| part.to_owned())).collect())
            }
        };
        Some(Pattern { method: method.to_owned(), path, route })
    }

    fn matches(&self, method: &Method, path: &str) -> bool {
        let own = match &self.path {
            PathPattern::Stars(routes) => return routes.names(method, path),
            PathPattern::Parts(own) => own,
        };
        let mut parts = path.trim_start_matches('/').split('/');
        method.as_str() == self.method
            && own.iter().all(|own| {
                parts.next().is_some_and(|part| match own {
                    Some(own) => own == part,
                    None => !part.is_empty(),
                })
            })
            && parts.next().is_none()
    }
}

/// Decides which parts of paths are written.
#[derive(Debug)]
struct Written {
    show: Show,
    several: Several,
}

impl Written {
    fn new(show: Show) -> Written {
        Written { show, several: Several::default() }
    }

    /// Notes that a client asked for a route of this name.
    fn used(&mut self, name: &str, client: u64) {
        let path = name.split_once(' ').map_or("", |(_, path)| path);
        starts(path).for_each(|start| self.several.note(start, client));
    }

    /// The name as it is written now.
    fn name(&self, name: &Arc<str>) -> Arc<str> {
        let Some((method, path)) = name.split_once(' ').filter(|(_, path)| path.starts_with('/')) else {
            return Arc::clone(name);
        };
        let part = |start: &str| {
            let mut parts = start.rsplit('/');
            let (part, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_shown = matches!(part, "" | "*" | "**")
                || self.show.is_all()
                || self.show.names_part(part, may_be_secret(before, part))
                || self.several.sent(start);
            if is_shown { part.to_owned() } else { hash(part) }
        };
        format!("{method} /{}", starts(path).map(part).collect::<Vec<_>>().join("/")).into()
    }
}

#[cfg(test)]
mod tests;
