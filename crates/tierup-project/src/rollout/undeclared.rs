//! Routes of a project that a rollout leaves to the control, as their method may change something.
//!
//! In: the routes. Out: what to add to `[rollout]`, where the function behind them may be all that they do.

use tierup_codegen::Route;

use super::{RolloutRoute, RolloutSettings};

impl RolloutSettings {
    /// `None`: there are no such routes.
    pub(crate) fn undeclared(&self, routes: &[Route]) -> Option<String> {
        let is_named = |route: &RolloutRoute| self.routes.iter().chain(&self.safe).any(|named| named.covers(route));
        let routes = routes.iter().filter(|route| !matches!(route.method.as_str(), "GET" | "HEAD"));
        let routes = routes.map(|route| RolloutRoute { method: route.method.clone(), path: route.path.clone() });
        line(&self.safe, routes.filter(|route| !is_named(route)))
    }
}

fn line(safe: &[RolloutRoute], undeclared: impl Iterator<Item = RolloutRoute>) -> Option<String> {
    let undeclared: Vec<_> = undeclared.map(|route| route.to_string()).collect();
    let all = safe.iter().map(ToString::to_string).chain(undeclared.iter().cloned());
    let all: Vec<_> = all.map(|route| format!("\"{route}\"")).collect();
    (!undeclared.is_empty()).then(|| {
        format!(
            "the control answers {}, uncompared. If these requests change nothing, and only call the function, add to \
             [rollout]: safe = [{}]",
            undeclared.join(", "),
            all.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_what_is_declared_already() {
        let route = |path: &str| RolloutRoute { method: "POST".into(), path: path.into() };
        assert_eq!(line(&[route("/a")], std::iter::empty()), None);
        let said = line(&[route("/a")], [route("/b")].into_iter()).expect("one is not declared");
        assert!(said.contains("answers POST /b,") && said.ends_with("safe = [\"POST /a\", \"POST /b\"]"), "{said}");
    }
}
