//! Whether two patterns can match the same request, such as `POST /orders/**` and `POST /orders/{id}`.

use super::RolloutRoute;

impl RolloutRoute {
    /// Whether some path matches both patterns.
    pub(super) fn overlaps(&self, other: &RolloutRoute) -> bool {
        self.method == other.method && paths_meet(&parts(&self.path), &parts(&other.path))
    }

    /// Whether the pattern matches all requests of a route. A capture of the route matches only `*` and captures.
    pub(super) fn covers(&self, route: &RolloutRoute) -> bool {
        self.method == route.method && paths_meet(&parts(&self.path), &route.path.split('/').collect::<Vec<_>>())
    }
}

/// The parts of a path, with `*` for a capture. A `**` at the end stands for at least one part, elsewhere for any number.
fn parts(path: &str) -> Vec<&str> {
    let is_capture = |part: &str| part.len() > 2 && part.starts_with('{') && part.ends_with('}');
    let mut parts: Vec<_> = path.split('/').map(|part| if is_capture(part) { "*" } else { part }).collect();
    if parts.last() == Some(&"**") {
        parts.insert(parts.len() - 1, "*");
    }
    parts
}

fn paths_meet(one: &[&str], other: &[&str]) -> bool {
    let parts_meet = |one: &&str, other: &&str| meet(one.as_bytes(), other.as_bytes(), &|byte| *byte == b'*', &u8::eq);
    meet(one, other, &|part| *part == "**", &parts_meet)
}

/// Whether two sequences can be equal if some of their items stand for any number of items.
fn meet<T>(one: &[T], other: &[T], is_many: &impl Fn(&T) -> bool, are_alike: &impl Fn(&T, &T) -> bool) -> bool {
    match (one, other) {
        ([], []) => true,
        (whole @ [many, rest @ ..], all) | (all, whole @ [many, rest @ ..]) if is_many(many) => {
            meet(rest, all, is_many, are_alike)
                || all.split_first().is_some_and(|(_, left)| meet(whole, left, is_many, are_alike))
        }
        ([first, rest @ ..], [other, others @ ..]) => are_alike(first, other) && meet(rest, others, is_many, are_alike),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(path: &str) -> RolloutRoute {
        RolloutRoute { method: "POST".into(), path: path.into() }
    }

    #[test]
    fn patterns_overlap_if_they_share_a_path() {
        for (one, other) in [
            ("/a", "/a"),
            ("/orders/**", "/orders/search"),
            ("/orders/{id}", "/orders/{name}"),
            ("/orders/*", "/*/{id}"),
            ("/**/lines", "/lines"),
            ("/**/lines", "/carts/**"),
            ("/a*c", "/ab*"),
            ("/orders/**", "/orders/"),
        ] {
            assert!(route(one).overlaps(&route(other)) && route(other).overlaps(&route(one)), "{one} {other}");
        }
        for (one, other) in [
            ("/a", "/b"),
            ("/orders/**", "/orders"),
            ("/orders/*", "/orders/a/b"),
            ("/orders/{id}", "/orders/{id}/lines"),
            ("/a*c", "/*b"),
        ] {
            assert!(!route(one).overlaps(&route(other)) && !route(other).overlaps(&route(one)), "{one} {other}");
        }
        assert!(!route("/a").overlaps(&RolloutRoute { method: "PUT".into(), path: "/a".into() }));
    }

    #[test]
    fn a_pattern_covers_a_route_if_it_matches_each_request() {
        for (pattern, path) in [("/a/*", "/a/{id}"), ("/a/{x}", "/a/{id}"), ("/a/**", "/a/{id}/b"), ("/a", "/a")] {
            assert!(route(pattern).covers(&route(path)), "{pattern} {path}");
        }
        for (pattern, path) in [("/a", "/a/{id}"), ("/a/*", "/a/{id}/b"), ("/a/b", "/a/{id}"), ("/a*", "/a/b")] {
            assert!(!route(pattern).covers(&route(path)), "{pattern} {path}");
        }
    }
}
