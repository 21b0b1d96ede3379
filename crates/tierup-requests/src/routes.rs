//! The routes of requests: method and path, without the query and without identifiers. In: a [`Set`]. Out: its
//! [`Route`]s, the most frequent first.

use std::collections::{BTreeMap, HashMap};

use crate::{Request, Set, is_identifier};

/// Replaces a part of a path that differs from request to request.
const ANY: &str = "*";

/// Requests that one handler is likely to answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// `GET /users/*`.
    pub name: String,
    /// The indices of its requests in [`Set::requests`].
    pub requests: Vec<u32>,
    /// Its share of the set's order, 0..=1.
    pub share: f64,
}

/// The requests of one template, and the common pattern of their paths.
struct Pattern {
    parts: Vec<String>,
    requests: Vec<u32>,
}

impl Set {
    /// The routes of all requests. A part of a path becomes `*` if it looks like an identifier, contains a secret, or
    /// differs between the requests of one template.
    pub fn routes(&self) -> Vec<Route> {
        let mut by_name: BTreeMap<(&str, &str), Pattern> = BTreeMap::new();
        for (index, request) in (0..).zip(&self.requests) {
            let parts = parts(request);
            let key = (request.name.as_str(), request.method.as_str());
            let pattern = by_name.entry(key).or_insert_with(|| Pattern { parts: parts.clone(), requests: Vec::new() });
            merge(&mut pattern.parts, &parts);
            pattern.requests.push(index);
        }
        // Several templates may have the same route.
        let mut by_route: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for Pattern { parts, requests } in by_name.into_values() {
            by_route.entry(parts.join("/")).or_default().extend(requests);
        }
        let mut counts: HashMap<u32, usize> = HashMap::new();
        self.order.iter().for_each(|index| *counts.entry(*index).or_default() += 1);
        let count = |requests: &[u32]| requests.iter().filter_map(|index| counts.get(index)).sum::<usize>();
        let all = self.order.len().max(1) as f64;
        let route =
            |(name, requests): (String, Vec<u32>)| Route { share: count(&requests) as f64 / all, name, requests };
        let mut routes: Vec<Route> = by_route.into_iter().map(route).collect();
        routes.sort_by(|one, other| other.share.total_cmp(&one.share));
        routes
    }
}

/// The method, followed by the parts of the path.
fn parts(request: &Request) -> Vec<String> {
    // A secret may contain `/` and `?`, so it is replaced before the path is split.
    let target = request.target_with(ANY);
    let path = target.split('?').next().unwrap_or_default();
    let shown = |part: &str| if is_identifier(part) || part.contains(ANY) { ANY.to_owned() } else { part.to_owned() };
    let mut parts: Vec<String> = path.split('/').map(shown).collect();
    parts[0] = format!("{} {}", request.method, parts[0]);
    parts
}

/// Replaces the parts that differ with `*`. If the paths differ in length, one `*` replaces the rest.
fn merge(pattern: &mut Vec<String>, parts: &[String]) {
    for (known, part) in pattern.iter_mut().zip(parts).skip(1) {
        if known != part {
            ANY.clone_into(known);
        }
    }
    if pattern.len() != parts.len() {
        pattern.truncate(parts.len().min(pattern.len()));
        if pattern.last().is_some_and(|last| last != ANY) {
            pattern.push(ANY.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{Context, Moment, Recording, Set, Templates};

    fn set(text: &str, environment: &[(String, String)]) -> Set {
        let moment = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
        let context = Context { environment, ..Context::new(moment) };
        Templates::parse("a.http", text).unwrap().expand(30, 1, &context).unwrap()
    }

    fn check(set: &Set, expected: Expect) {
        let line =
            |route: &super::Route| format!("{}: {:.2}, {} distinct\n", route.name, route.share, route.requests.len());
        expected.assert_eq(&set.routes().iter().map(line).collect::<String>());
    }

    #[test]
    fn a_route_is_a_method_and_a_path() {
        let text =
            "GET /cart?id=1\n###\nGET /cart?id=2\n### Another title\nPOST /cart?id=2\n###\nGET http://127.0.0.1:80\n";
        check(
            &set(text, &[]),
            expect![[r#"
                GET /cart: 0.50, 2 distinct
                GET /: 0.25, 1 distinct
                POST /cart: 0.25, 1 distinct
            "#]],
        );
    }

    #[test]
    fn identifiers_are_not_part_of_a_route_name() {
        let text = "GET /users/{{$random.alphabetic(5)}}/cart\n###\nGET /items/17\n###\nGET /items/18\n###\n\
                    GET /by/{{$processEnv KEY}}\n### Both\nGET /a/b\n### Both\nGET /a/b/c\n";
        check(
            &set(text, &[("KEY".to_owned(), "hidden".to_owned())]),
            expect![[r#"
                GET /a/b/*: 0.33, 2 distinct
                GET /items/*: 0.33, 2 distinct
                GET /by/*: 0.17, 1 distinct
                GET /users/*/cart: 0.17, 25 distinct
            "#]],
        );
    }

    #[test]
    fn a_secret_with_slashes_is_not_part_of_a_route_name() {
        let environment = [("KEY", "one/two?three"), ("NEXT", "a b/cd"), ("ID", "x")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text =
            "GET /by/{{$processEnv KEY}}/name\n###\nGET /to/{{$processEnv NEXT}}\n###\nGET /of/k{{$processEnv ID}}\n";
        check(
            &set(text, &environment),
            expect![[r#"
                GET /by/*/name: 0.33, 1 distinct
                GET /of/*: 0.33, 1 distinct
                GET /to/*: 0.33, 1 distinct
            "#]],
        );
    }

    #[test]
    fn a_recording_has_its_own_mix() {
        let entry = |path: &str| {
            format!(
                r#"{{"request":{{"method":"GET","url":"http://shop.example{path}","headers":[]}},"response":{{"status":200}}}}"#
            )
        };
        let entries = ["/a", "/a?x", "/a", "/b/1234"].map(entry).join(",");
        let recording = Recording::parse("a.har", &format!(r#"{{"log":{{"entries":[{entries}]}}}}"#), None).unwrap();
        check(
            &recording.set,
            expect![[r#"
                GET /a: 0.75, 2 distinct
                GET /b/*: 0.25, 1 distinct
            "#]],
        );
    }
}
