//! Requests that the user names by method and path: `POST /orders`, `PUT /orders/*`. In: such names. Out: whether one
//! of them names a request.
//!
//! A name permits what is otherwise forbidden, so only the plain spelling of a path counts: `/orders/` and `/%6Frders`
//! are not `/orders`. A part in braces stands for any, as in a project's routes: `/orders/{id}` is `/orders/*`.

use glob::{MatchOptions, Pattern};
use hyper::Method;

/// Routes that the user names.
#[derive(Debug, Clone, Default)]
pub struct Routes(Vec<(Method, Pattern)>);

/// The text is not a route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{route}` is not a route, such as `POST /orders` or `PUT /orders/*`: {why}")]
pub struct RouteError {
    route: String,
    why: &'static str,
}

/// `*` does not cross a `/`; `**` does.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

impl Routes {
    /// # Errors
    /// If a text is not a method in capitals and a pattern of paths.
    pub fn new(routes: &[String]) -> Result<Routes, RouteError> {
        let read = |text: &String| {
            let wrong = |why| RouteError { route: text.clone(), why };
            let (method, path) = text.split_once(' ').ok_or(wrong("it has no method"))?;
            if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
                return Err(wrong("methods are capital letters"));
            }
            if !path.starts_with('/') {
                return Err(wrong("its path does not start with /"));
            }
            if path.contains(['?', '[', ']', ' ']) {
                return Err(wrong("only * and ** stand for other characters, and queries do not count"));
            }
            let any = |part| if is_any(part) { "*" } else { part };
            let path = path.split('/').map(any).collect::<Vec<_>>().join("/");
            let pattern = Pattern::new(&path).map_err(|error| wrong(error.msg))?;
            Ok((method.parse().map_err(|_| wrong("methods are capital letters"))?, pattern))
        };
        routes.iter().map(read).collect::<Result<_, _>>().map(Routes)
    }

    /// These routes and others.
    #[must_use]
    pub fn and(mut self, others: Routes) -> Routes {
        self.0.extend(others.0);
        self
    }

    /// Whether one of the routes names a request for this path, without its query.
    pub fn names(&self, method: &Method, path: &str) -> bool {
        self.0.iter().any(|(of, pattern)| of == method && pattern.matches_with(path, OPTIONS))
    }
}

/// Whether a part stands for any: `{id}`.
fn is_any(part: &str) -> bool {
    part.len() > 2 && part.starts_with('{') && part.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_a_method_and_a_path_as_it_is_written() {
        let texts = ["POST /orders", "PUT /orders/*", "DELETE /cache/**", "POST /carts/{id}/lines"].map(str::to_owned);
        let routes = Routes::new(&texts).expect("they are routes");
        let names = |method: &str, path: &str| routes.names(&method.parse().expect("a method"), path);
        for (method, path) in
            [("POST", "/orders"), ("PUT", "/orders/7"), ("DELETE", "/cache/a/b"), ("POST", "/carts/7/lines")]
        {
            assert!(names(method, path), "{method} {path}");
        }
        for (method, path) in [
            ("GET", "/orders"),
            ("POST", "/orders/"),
            ("POST", "/Orders"),
            ("POST", "/%6Frders"),
            ("POST", "//orders"),
            ("PUT", "/orders/7/lines"),
            ("PUT", "/orders"),
            ("POST", "/carts/7/8/lines"),
        ] {
            assert!(!names(method, path), "{method} {path}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "/orders", "POST", "post /orders", "POST orders", "POST /a?b", "POST /[ab]", "POST /a***"] {
            assert!(Routes::new(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
