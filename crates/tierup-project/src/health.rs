//! `[health]`: the golden request, as a call of a function.

use tierup_codegen::{
    Health, Keys, Route,
    abi::{Value, encode_arguments},
};
use tierup_diagnostic::Diagnostic;
use tierup_model::{Function, Interface, Type};
use toml::de::DeValue;

use crate::{
    document::{Document, Table, Text, finished},
    request::{self, decode, match_path},
    route::find_function,
    value::{from_json, from_word, members, record, toml_as_json},
};

/// Reads the golden call. Problems are added to the document.
pub(crate) fn read(table: &Table<'_>, document: &Document, interface: &Interface, routes: &[Route]) -> Option<Health> {
    finished(table, |table| {
        let (request, body) = (table.text("request"), table.text("body"));
        let (call, arguments) = (table.text("call"), table.value("arguments"));
        let sha256 = hashes(table, document);
        let place = || document.place(&table.span);
        let given = table.place(if request.is_some() { "request" } else { "arguments" });
        let (function, values) = match (request, call) {
            (Some(request), None) => match by_request(&request, body.as_ref(), document, interface, routes) {
                Ok(found) => found,
                Err(problem) => {
                    document.add(*problem);
                    return None;
                }
            },
            (None, Some(call)) => {
                let function = find_function(&call, document, interface)?;
                (function, by_arguments(table, arguments, &interface.functions[function], interface)?)
            }
            _ => {
                let problem = Diagnostic::new("`health` needs either `request`, or `call` and `arguments`");
                document.add(problem.at(place()));
                return None;
            }
        };
        let called = &interface.functions[function];
        match encode_arguments(&values, called, interface) {
            Ok(arguments) => Some(Health { function, arguments, sha256: sha256? }),
            Err(wrong) => {
                let parameter = &called.parameters[wrong.parameter];
                let problem =
                    Diagnostic::new(format!("`{}` does not fit `{}`", parameter.name, parameter.shown_type()));
                document.add(problem.at(given));
                None
            }
        }
    })
}

/// The expected hashes. They are empty before `tierup health` has computed them.
fn hashes(table: &Table<'_>, document: &Document) -> Option<Vec<String>> {
    let Some(value) = table.value("sha256") else { return Some(Vec::new()) };
    let texts = match value.get_ref() {
        DeValue::String(_) => vec![table.text("sha256")?],
        _ => table.texts("sha256")?,
    };
    if texts.is_empty() {
        document.add(Diagnostic::new("`sha256` is empty").at(table.place("sha256")));
    }
    let is_hash = |text: &&Text| text.value.len() == 64 && text.value.bytes().all(|byte| byte.is_ascii_hexdigit());
    for wrong in texts.iter().filter(|text| !is_hash(text)) {
        let problem = Diagnostic::new("this is not a SHA-256 hash").at(document.place(&wrong.span));
        document.add(problem.hint("it has 64 hex digits; `tierup health` prints it"));
    }
    Some(texts.into_iter().map(|text| text.value.to_ascii_lowercase()).collect())
}

type Call = (usize, Vec<Value>);

/// The call that a route makes of the golden request.
fn by_request(
    request: &Text,
    body: Option<&Text>,
    document: &Document,
    interface: &Interface,
    routes: &[Route],
) -> Result<Call, Box<Diagnostic>> {
    let at = |message: String| Box::new(Diagnostic::new(message).at(document.place(&request.span)));
    let line = request::parse(&request.value)
        .map_err(|(message, part)| Box::new(Diagnostic::new(message).at(document.place_in(request, part))))?;
    let found = routes.iter().find_map(|route| Some((route, match_path(&line, route)?)));
    let (route, mut words) = found.ok_or_else(|| at("no `[[route]]` matches this request".to_owned()))?;
    for (key, value, part) in &line.query {
        let problem = |message| Box::new(Diagnostic::new(message).at(document.place_in(request, part.clone())));
        let found = route.query.iter().find(|(known, _)| known == key);
        let (_, parameter) = found.ok_or_else(|| problem(format!("the route has no `{key}`")))?;
        let word =
            decode(value.unwrap_or(""), true).ok_or_else(|| problem("this is not percent-encoded UTF-8".to_owned()))?;
        words.push((parameter.clone(), word));
    }
    let function = &interface.functions[route.function];
    let members = members(route, function);
    let mut member_values = Vec::new();
    if !members.is_empty() {
        let body = body.ok_or_else(|| at("the route takes a body: add `body = '…'`".to_owned()))?;
        let json = serde_json::from_str(&body.value).map_err(|error| format!("this is not valid JSON: {error}"));
        member_values = json
            .and_then(|json| record(&json, &members, interface, route.keys))
            .map_err(|message| Box::new(Diagnostic::new(message).at(document.place(&body.span))))?;
    }
    let values = function.parameters.iter().map(|parameter| {
        let named = |message: String| at(format!("`{}`: {message}", parameter.name));
        if let Some(value) = members.iter().position(|member| member.name == parameter.name) {
            return Ok(member_values[value].clone());
        }
        if route.whole_body() == Some(&parameter.name) {
            let body = body.ok_or_else(|| at("the route takes a body: add `body = '…'`".to_owned()))?;
            return from_body(&body.value, &parameter.ty, interface, route.keys)
                .map_err(|message| Box::new(Diagnostic::new(message).at(document.place(&body.span))));
        }
        match words.iter().find(|(name, _)| *name == parameter.name) {
            Some((_, word)) => from_word(word, &parameter.ty, interface).map_err(named),
            None if matches!(parameter.ty, Type::Optional(_)) => Ok(Value::Optional(None)),
            None => Err(named("it is missing in the request".to_owned())),
        }
    });
    Ok((route.function, values.collect::<Result<_, _>>()?))
}

fn from_body(body: &str, ty: &Type, interface: &Interface, keys: Keys) -> Result<Value, String> {
    match ty {
        Type::Text => Ok(Value::Text(body.to_owned())),
        Type::Bytes => Ok(Value::Bytes(body.as_bytes().to_vec())),
        _ => {
            let json = serde_json::from_str(body).map_err(|error| format!("this is not valid JSON: {error}"))?;
            from_json(&json, ty, interface, keys)
        }
    }
}

fn by_arguments(
    table: &Table<'_>,
    arguments: Option<&toml::Spanned<DeValue<'_>>>,
    function: &Function,
    interface: &Interface,
) -> Option<Vec<Value>> {
    let document = table.document;
    let values = match arguments.map(|value| (value, value.get_ref())) {
        Some((_, DeValue::Array(values))) => values.iter().collect(),
        Some((value, _)) => return table.wrong("arguments", value, "a list"),
        None => Vec::new(),
    };
    let (given, wanted) = (values.len(), function.parameters.len());
    if given != wanted {
        let problem = Diagnostic::new(format!("{given} arguments were given, but `{}` takes {wanted}", function.name));
        document.add(problem.at(table.place("arguments")));
        return None;
    }
    let read = values.iter().zip(&function.parameters).map(|(value, parameter)| {
        let read =
            toml_as_json(value.get_ref()).and_then(|json| from_json(&json, &parameter.ty, interface, Keys::default()));
        read.map_err(|message| {
            let problem = Diagnostic::new(format!("`{}`: {message}", parameter.name));
            document.add(problem.at(document.place(&value.span())));
        })
    });
    read.collect::<Result<_, _>>().ok()
}
