//! What a thread knows about the names of routes. In: a request. Out: its route.

use std::{
    collections::{HashMap, HashSet},
    hash::BuildHasher as _,
    sync::{Arc, PoisonError},
};

use hyper::Method;
use tierup_requests::{is_identifier, may_let_in};

use super::{Route, RouteNames, Table};
use crate::{hidden::SEVERAL, identifier::is_random, network::Witness};

/// Deeper parts of a path are not told apart.
const DEEPEST: usize = 10;

/// What a thread knows about the names. It looks into the shared table only for names that are new to it, which happens
/// a bounded number of times.
#[derive(Debug)]
pub(in crate::collector) struct Names {
    pub(super) table: Arc<Table>,
    routes: HashMap<Arc<str>, Route>,
    crowded: HashSet<String>,
    is_full: bool,
    name: String,
    /// The first clients of each route, by the route's number.
    clients: Vec<Vec<u64>>,
}

impl Names {
    pub(in crate::collector) fn new(table: Arc<Table>) -> Names {
        let (routes, crowded, name, clients) = Default::default();
        let mut names = Names { table, routes, crowded, is_full: false, name, clients };
        names.learn(|_| ());
        names
    }

    pub(in crate::collector) fn route(&mut self, method: &Method, path: &str) -> Route {
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

    /// Notes the request's client, until the route has had `SEVERAL`.
    pub(in crate::collector) fn used<'a>(&mut self, route: Route, by: impl FnOnce() -> Witness<'a>) {
        if self.clients.len() <= route.index() {
            self.clients.resize_with(route.index() + 1, Vec::new);
        }
        let clients = &mut self.clients[route.index()];
        if clients.len() >= SEVERAL {
            return;
        }
        let Witness { name, is_network } = by();
        let client = self.table.key.hash_one((is_network, name));
        if !clients.contains(&client) {
            clients.push(client);
            let mut known = self.table.locked();
            let RouteNames { names, written, .. } = &mut *known;
            names.get(route.index()).into_iter().for_each(|name| written.used(name, client));
        }
    }

    fn learn<T>(&mut self, look: impl FnOnce(&mut RouteNames) -> T) -> T {
        let mut known = self.table.names.lock().unwrap_or_else(PoisonError::into_inner);
        let found = look(&mut known);
        self.routes.clone_from(&known.routes);
        self.crowded.clone_from(&known.crowded);
        self.is_full = known.is_full;
        found
    }
}

/// The method's name if it is a standard one, else `*`: clients may send any word as a method.
fn standard(method: &Method) -> &'static str {
    const STANDARD: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"];
    STANDARD.into_iter().find(|known| method == known).unwrap_or("*")
}
