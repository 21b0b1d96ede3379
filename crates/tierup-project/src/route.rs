//! `[[route]]`: a request and the function that answers it.

use tierup_codegen::{Body, Keys, Route, RouteMessages};
use tierup_diagnostic::{Diagnostic, nearest};
use tierup_model::{Function, Interface, Parameter, Type};
use toml::de::DeValue;

use crate::{
    document::{Document, Table, Text, finished},
    request::{self, capture},
};

/// Reads one route; `None` if it has problems.
///
/// `crate_blocks` says whether functions may block on an async runtime, unless the route says it.
pub(crate) fn read(table: &Table<'_>, document: &Document, interface: &Interface, crate_blocks: bool) -> Option<Route> {
    finished(table, |table| {
        let (request, call) = (table.required_text("request"), table.required_text("call"));
        let body = read_body(table, document);
        let blocking = table.flag("blocking").unwrap_or(crate_blocks);
        let keys = read_keys(table, document);
        let content_type = table.text("content_type").map(|text| text.value);
        let (limits, messages) = (table.table("max_bytes"), table.table("messages"));
        let messages = messages.map(|table| finished(&table, read_messages)).unwrap_or_default();
        let (request, call) = (request?, call?);
        let function = find_function(&call, document, interface)?;
        let parameters = Parameters::new(&interface.functions[function], interface, document);

        let before = document.count();
        let line = request::parse(&request.value)
            .map_err(|(message, part)| document.add(Diagnostic::new(message).at(document.place_in(&request, part))))
            .ok()?;
        for (segment, part) in &line.segments {
            match capture(segment) {
                Some(name) => parameters.fill(name, From::Path, &request, part),
                None => {
                    if let Some(problem) = wrong_segment(segment) {
                        document.add(problem.at(document.place_in(&request, part.clone())));
                    }
                }
            }
        }
        let mut query: Vec<(String, String)> = Vec::new();
        for (key, value, part) in &line.query {
            let problem = match value.and_then(capture) {
                Some(_) if query.iter().any(|(known, _)| known == key) => format!("`{key}` appears twice"),
                Some(name) => {
                    parameters.fill(name, From::Query, &request, part);
                    query.push(((*key).to_owned(), name.to_owned()));
                    continue;
                }
                None => format!("`{key}` has no parameter; write `{key}={{parameter}}`"),
            };
            document.add(Diagnostic::new(problem).at(document.place_in(&request, part.clone())));
        }
        if let Some((_, names)) = &body {
            for name in names {
                parameters.fill(&name.value, From::Body, name, &(0..name.value.len()));
            }
            if matches!(line.method, "GET" | "HEAD") {
                let problem = Diagnostic::new(format!("a {} request has no body", line.method));
                document.add(problem.at(table.place("body")).hint("use POST"));
            }
        }
        // If a name is misspelled, a missing value would be the same problem again.
        if document.count() == before && body.is_some() == table.has("body") {
            let filled = body.as_ref().map_or(&[][..], |(body, _)| body.parameters());
            parameters.check_all_filled(&request, filled);
        }
        let max_bytes = limits.map(|table| parameters.limits(&table)).unwrap_or_default();
        Some(Route {
            method: line.method.to_owned(),
            path: line.path.to_owned(),
            query,
            body: body.map(|(body, _)| body),
            function,
            blocking,
            content_type,
            keys,
            max_bytes,
            messages,
        })
    })
}

/// The index of the function that `call` names.
pub(crate) fn find_function(call: &Text, document: &Document, interface: &Interface) -> Option<usize> {
    let found = interface.functions.iter().position(|function| function.name == call.value);
    if found.is_none() {
        let problem = Diagnostic::new(format!("`{}` is not exported", call.value)).at(document.place(&call.span));
        document.add(match nearest(&call.value, interface.functions.iter().map(|function| function.name.as_str())) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint("`export` in `[function]` lists the functions that can be called"),
        });
    }
    found
}

/// The value of `body`, and its names with their places.
fn read_body(table: &Table<'_>, document: &Document) -> Option<(Body, Vec<Text>)> {
    match table.value("body")?.get_ref() {
        DeValue::Array(names) => {
            if names.is_empty() {
                let problem = Diagnostic::new("`body` names no parameter").at(table.place("body"));
                document.add(problem.hint("name those that it fills, or leave it out"));
                return None;
            }
            let names = table.texts("body")?;
            Some((Body::Members(names.iter().map(|name| name.value.clone()).collect()), names))
        }
        DeValue::String(_) => {
            let name = table.text("body")?;
            Some((Body::Parameter(name.value.clone()), vec![name]))
        }
        _ => table.wrong("body", table.value("body")?, "a parameter's name, or a list of them"),
    }
}

/// The problem of a path segment that is not a capture, if any. axum, which serves tier 4, refuses all of these.
fn wrong_segment(segment: &str) -> Option<Diagnostic> {
    if segment.contains(['{', '}']) {
        return Some(Diagnostic::new("a parameter must be a whole segment of the path"));
    }
    if let Some(name) = segment.strip_prefix(':') {
        return Some(Diagnostic::new("a segment cannot start with `:`").hint(format!("a capture is `{{{name}}}`")));
    }
    if segment.starts_with('*') {
        let problem = Diagnostic::new("a segment cannot start with `*`");
        return Some(problem.hint("a route names each segment: there is no wildcard"));
    }
    if segment.contains('%') {
        let problem = Diagnostic::new("a path is written without percent-encoding");
        return Some(problem.hint("write the text itself: what must be encoded is encoded for you"));
    }
    None
}

/// The value of `keys`, which uses serde's words.
fn read_keys(table: &Table<'_>, document: &Document) -> Keys {
    match table.text("keys") {
        None => Keys::default(),
        Some(text) => match text.value.as_str() {
            "snake_case" => Keys::SnakeCase,
            "camelCase" => Keys::CamelCase,
            other => {
                let problem = Diagnostic::new(format!("`{other}` is not a valid value of `keys`"));
                let hint = "write \"snake_case\" (as in Rust) or \"camelCase\"";
                document.add(problem.at(document.place(&text.span)).hint(hint));
                Keys::default()
            }
        },
    }
}

fn read_messages(table: &Table<'_>) -> RouteMessages {
    let text = |key| table.text(key).map(|text| text.value);
    RouteMessages {
        missing: text("missing"),
        too_long: text("too_long"),
        malformed: text("malformed"),
        failed: text("failed"),
    }
}

/// The part of a request that fills a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Path,
    Query,
    Body,
}

/// A function's parameters. Each must be filled exactly once.
struct Parameters<'a> {
    function: &'a Function,
    interface: &'a Interface,
    document: &'a Document,
    filled: std::cell::RefCell<Vec<&'a str>>,
}

impl<'a> Parameters<'a> {
    fn new(function: &'a Function, interface: &'a Interface, document: &'a Document) -> Self {
        Parameters { function, interface, document, filled: std::cell::RefCell::default() }
    }

    fn fill(&self, name: &str, from: From, text: &Text, part: &std::ops::Range<usize>) {
        let place = || self.document.place_in(text, part.clone());
        let Some(parameter) = self.find(name) else {
            self.document.add(self.unknown(name).at(place()));
            return;
        };
        if self.filled.borrow().contains(&name) {
            let problem = Diagnostic::new(format!("`{name}` gets a value twice")).at(place());
            self.document.add(problem.hint("take each parameter from one part of the request"));
        }
        self.filled.borrow_mut().push(&parameter.name);
        let possible = match (from, &parameter.ty) {
            (From::Body, _) => true,
            (From::Query, Type::Optional(inner)) => is_word(inner, self.interface),
            (From::Path | From::Query, ty) => is_word(ty, self.interface),
        };
        if !possible {
            let optional = matches!(parameter.ty, Type::Optional(_)) && from == From::Path;
            let (what, hint) = if optional {
                ("a path cannot leave out", format!("take it from the query: `?{name}={{{name}}}`"))
            } else if from == From::Path {
                ("a path cannot carry", format!("take it from the body: `body = \"{name}\"`"))
            } else {
                ("a query cannot carry", format!("take it from the body: `body = \"{name}\"`"))
            };
            let problem = Diagnostic::new(format!("`{name}` is `{}`, which {what}", parameter.shown_type()));
            self.document.add(problem.at(place()).hint(hint));
        }
    }

    /// Reports parameters without a value. `in_body` are those that the body fills.
    fn check_all_filled(&self, request: &Text, in_body: &[String]) {
        let filled = self.filled.borrow();
        let missing = || self.function.parameters.iter().filter(|parameter| !filled.contains(&parameter.name.as_str()));
        let is_structured = |parameter: &&Parameter| !is_word(leaf(&parameter.ty), self.interface);
        for parameter in missing() {
            let (name, function) = (&parameter.name, &self.function.name);
            let problem = Diagnostic::new(format!("the parameter `{name}` of `{function}` gets no value"));
            // These other parameters also lack a value, and only a body can carry them.
            let others = missing().filter(|other| other.name != *name && is_structured(other)).map(|other| &other.name);
            let for_body: Vec<_> =
                in_body.iter().chain(others).chain([name]).map(|name| format!("\"{name}\"")).collect();
            let body = match for_body.as_slice() {
                [only] => format!("`body = {only}`"),
                several => format!("`body = [{}]`, a JSON object with all of them", several.join(", ")),
            };
            let hint = match is_structured(&parameter) {
                true => format!("add {body}"),
                false => format!("add `{name}={{{name}}}` to the query, or {body}"),
            };
            self.document.add(problem.at(self.document.place(&request.span)).hint(hint));
        }
    }

    fn limits(&self, table: &Table<'_>) -> Vec<(String, u64)> {
        let limit = |(key, value): (Text, &toml::Spanned<DeValue<'_>>)| {
            let Some(parameter) = self.find(&key.value) else {
                self.document.add(self.unknown(&key.value).at(self.document.place(&key.span)));
                return None;
            };
            if !matches!(leaf(&parameter.ty), Type::Text | Type::Bytes) {
                let problem =
                    Diagnostic::new(format!("`max_bytes` is only for text and bytes, and `{}` is neither", key.value));
                self.document.add(problem.at(self.document.place(&key.span)));
            }
            let number = match value.get_ref() {
                DeValue::Integer(number) => number.to_string().parse::<u64>().ok(),
                _ => None,
            };
            match number {
                Some(number) => Some((key.value, number)),
                None => table.wrong(&key.value, value, "a number of bytes"),
            }
        };
        table.entries().filter_map(limit).collect()
    }

    fn find(&self, name: &str) -> Option<&'a Parameter> {
        self.function.parameters.iter().find(|parameter| parameter.name == name)
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let known = || self.function.parameters.iter().map(|parameter| parameter.name.as_str());
        let problem = Diagnostic::new(format!("`{}` has no parameter `{name}`", self.function.name));
        match nearest(name, known()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint(format!("it has: {}", known().collect::<Vec<_>>().join(", "))),
        }
    }
}

/// The type inside an `Option`, or the type itself.
fn leaf(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        ty => ty,
    }
}

/// Whether a value of this type is one word of a URL.
fn is_word(ty: &Type, interface: &Interface) -> bool {
    match ty {
        Type::Bool | Type::Integer(_) | Type::F32 | Type::F64 | Type::Text => true,
        Type::Defined(index) => interface.definitions[*index].is_plain_enum(),
        Type::Bytes | Type::Optional(_) | Type::List(_) | Type::Map(_) => false,
    }
}
