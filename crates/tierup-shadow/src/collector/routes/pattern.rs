//! A project's route. In: its name, `GET /orders/{id}`. Out: whether a request is one of it.

use hyper::Method;

use super::Route;
use crate::routes::Routes;

/// A route of the project.
#[derive(Debug)]
pub(super) struct Pattern {
    method: String,
    path: PathPattern,
    pub(super) route: Route,
}

#[derive(Debug)]
enum PathPattern {
    /// `/orders/{id}`, by parts; `None` stands for any.
    Parts(Vec<Option<String>>),
    /// `/orders/*`, `/files/**`: as [`Routes`] reads it.
    Stars(Routes),
}

impl Pattern {
    /// `None`: the name has no path.
    pub(super) fn new(name: &str, route: Route) -> Option<Pattern> {
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

    pub(super) fn matches(&self, method: &Method, path: &str) -> bool {
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
