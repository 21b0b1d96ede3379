//! `[[route]]`: a request and the function that answers it.

use tierup_codegen::{Keys, Route, RouteMessages};
use tierup_diagnostic::{Diagnostic, nearest};
use tierup_model::{Function, Interface, Parameter, Type};
use toml::de::DeValue;

use super::{
    document::{Document, Table, Text},
    finished,
    request::{self, capture},
};

/// One route, where nothing is wrong with it.
pub(crate) fn read(table: &Table<'_>, document: &Document, interface: &Interface) -> Option<Route> {
    finished(table, |table| {
        let (request, call) = (table.required_text("request"), table.required_text("call"));
        let body = table.text("body");
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
                None if segment.contains(['{', '}']) => document.add(
                    Diagnostic::new("a capture takes up a whole segment of the path")
                        .at(document.place_in(&request, part.clone())),
                ),
                None => {}
            }
        }
        let mut query: Vec<(String, String)> = Vec::new();
        for (key, value, part) in &line.query {
            let problem = match value.and_then(capture) {
                Some(_) if query.iter().any(|(known, _)| known == key) => format!("`{key}` is there twice"),
                Some(name) => {
                    parameters.fill(name, From::Query, &request, part);
                    query.push(((*key).to_owned(), name.to_owned()));
                    continue;
                }
                None => format!("`{key}` fills no parameter; write `{key}={{parameter}}`"),
            };
            document.add(Diagnostic::new(problem).at(document.place_in(&request, part.clone())));
        }
        if let Some(body) = &body {
            parameters.fill(&body.value, From::Body, body, &(0..body.value.len()));
            if matches!(line.method, "GET" | "HEAD") {
                let problem = Diagnostic::new(format!("a {} request has no body", line.method));
                document.add(problem.at(document.place(&body.span)).hint("use POST"));
            }
        }
        // Where something is misspelled, "nothing fills it" would only say the same again.
        if document.count() == before {
            parameters.check_all_filled(&request);
        }
        let max_bytes = limits.map(|table| parameters.limits(&table)).unwrap_or_default();
        Some(Route {
            method: line.method.to_owned(),
            path: line.path.to_owned(),
            query,
            body: body.map(|text| text.value),
            function,
            content_type,
            keys,
            max_bytes,
            messages,
        })
    })
}

/// The number of the function that `call` names.
pub(crate) fn find_function(call: &Text, document: &Document, interface: &Interface) -> Option<usize> {
    let found = interface.functions.iter().position(|function| function.name == call.value);
    if found.is_none() {
        let problem = Diagnostic::new(format!("`{}` is not exported", call.value)).at(document.place(&call.span));
        document.add(match nearest(&call.value, interface.functions.iter().map(|function| function.name.as_str())) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint("`export` in `[function]` lists what can be called"),
        });
    }
    found
}

/// In serde's words.
fn read_keys(table: &Table<'_>, document: &Document) -> Keys {
    match table.text("keys") {
        None => Keys::default(),
        Some(text) => match text.value.as_str() {
            "snake_case" => Keys::SnakeCase,
            "camelCase" => Keys::CamelCase,
            other => {
                let problem = Diagnostic::new(format!("`{other}` is no way to name keys"));
                let hint = "`keys` is \"snake_case\" (as in Rust) or \"camelCase\"";
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

/// Where in a request a parameter comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Path,
    Query,
    Body,
}

/// A function's parameters, each to be filled exactly once.
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
            let problem = Diagnostic::new(format!("`{name}` is filled twice")).at(place());
            self.document.add(problem.hint("each parameter comes from one part of the request"));
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
            let problem = Diagnostic::new(format!("`{name}` is `{}`, which {what}", parameter.rust));
            self.document.add(problem.at(place()).hint(hint));
        }
    }

    fn check_all_filled(&self, request: &Text) {
        for parameter in &self.function.parameters {
            if !self.filled.borrow().contains(&parameter.name.as_str()) {
                let (name, function) = (&parameter.name, &self.function.name);
                let problem = Diagnostic::new(format!("nothing fills the parameter `{name}` of `{function}`"));
                let hint = format!("add `{name}={{{name}}}` to the query, or `body = \"{name}\"`");
                self.document.add(problem.at(self.document.place(&request.span)).hint(hint));
            }
        }
    }

    fn limits(&self, table: &Table<'_>) -> Vec<(String, u64)> {
        let limit = |(key, value): (Text, &toml::Spanned<DeValue<'_>>)| {
            let Some(parameter) = self.find(&key.value) else {
                self.document.add(self.unknown(&key.value).at(self.document.place(&key.span)));
                return None;
            };
            let inner = if let Type::Optional(inner) = &parameter.ty { inner } else { &parameter.ty };
            if !matches!(inner, Type::Text | Type::Bytes) {
                let problem = Diagnostic::new(format!("`{}` is neither text nor bytes", key.value));
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

/// Whether a value of this type is one word of a URL.
fn is_word(ty: &Type, interface: &Interface) -> bool {
    match ty {
        Type::Bool | Type::Integer(_) | Type::F32 | Type::F64 | Type::Text => true,
        Type::Defined(index) => interface.definitions[*index].is_plain_enum(),
        Type::Bytes | Type::Optional(_) | Type::List(_) | Type::Map(_) => false,
    }
}
