//! Turns a request into the call that its route makes. In: a request that would be sent, and a project. Out: the
//! function and its encoded arguments, as the generated server (`tierup-codegen/src/shims/server`) reads them.

use tierup_codegen::{
    Project, Route,
    abi::{Value, encode_arguments},
};
use tierup_model::{Field, Parameter, Type};
use tierup_requests::Request;

use crate::{
    request::{self, RequestLine, decode, match_path},
    value::{from_json, from_word, members, record},
};

/// The effect of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteCall {
    Call {
        /// Index into the interface's functions.
        function: usize,
        arguments: Vec<u8>,
    },
    /// A route answers it without a call: an argument is missing, too long or malformed.
    Refused(String),
    /// No route answers it.
    NoRoute,
}

/// The call that the first matching route makes of a request.
pub fn route_call(request: &Request, project: &Project) -> RouteCall {
    let line = format!("{} {}", request.method, request.target);
    let Ok(line) = request::parse(&line) else { return RouteCall::NoRoute };
    let found = project.routes.iter().find_map(|route| Some((route, match_path(&line, route)?)));
    let Some((route, captured)) = found else { return RouteCall::NoRoute };
    match (Reading { request, line: &line, route, captured, project }).arguments() {
        Ok(arguments) => RouteCall::Call { function: route.function, arguments },
        Err(why) => RouteCall::Refused(why),
    }
}

/// A request and the route that matches it.
struct Reading<'a> {
    request: &'a Request,
    line: &'a RequestLine<'a>,
    route: &'a Route,
    captured: Vec<(String, String)>,
    project: &'a Project,
}

impl Reading<'_> {
    fn arguments(&self) -> Result<Vec<u8>, String> {
        let interface = &self.project.interface;
        if !self.route.query.is_empty() {
            let sound = |text: &str| decode(text, true).is_some();
            let all = self.line.query.iter().all(|(key, value, _)| sound(key) && sound(value.unwrap_or("")));
            all.then_some(()).ok_or("the query string is malformed")?;
        }
        let function = &interface.functions[self.route.function];
        let members = members(self.route, function);
        let member_values = if members.is_empty() { Vec::new() } else { self.members(&members)? };
        let mut values = Vec::new();
        for parameter in &function.parameters {
            let member = members.iter().position(|member| member.name == parameter.name);
            let value = match member {
                Some(index) => member_values[index].clone(),
                None => self.value(parameter).map_err(|why| format!("`{}`: {why}", parameter.name))?,
            };
            let limits = self.route.max_bytes.iter().find(|(name, _)| *name == parameter.name);
            if limits.is_some_and(|(_, most)| length(&value) > *most) {
                return Err(format!("`{}` is too long", parameter.name));
            }
            values.push(value);
        }
        encode_arguments(&values, function, interface).map_err(|error| error.to_string())
    }

    fn value(&self, parameter: &Parameter) -> Result<Value, String> {
        let name = &parameter.name;
        if self.route.whole_body() == Some(name) {
            return self.body(&parameter.ty);
        }
        if let Some((_, word)) = self.captured.iter().find(|(captured, _)| captured == name) {
            return self.word(word, &parameter.ty);
        }
        let optional = matches!(parameter.ty, Type::Optional(_));
        let key = self.route.query.iter().find(|(_, filled)| filled == name).map(|(key, _)| key);
        let given: Vec<&str> = self
            .line
            .query
            .iter()
            .filter(|(found, ..)| key.is_some_and(|key| decode(found, true).as_ref() == Some(key)))
            .map(|(_, value, _)| value.unwrap_or(""))
            .collect();
        match given[..] {
            [] if optional => Ok(Value::Optional(None)),
            [] => Err("it is missing".to_owned()),
            [""] if !optional && self.route.messages.missing.is_some() => Err("it is empty".to_owned()),
            [word] => self.word(&decode(word, true).ok_or("it is malformed")?, &parameter.ty),
            _ => Err("it is given more than once".to_owned()),
        }
    }

    fn word(&self, word: &str, ty: &Type) -> Result<Value, String> {
        let value = from_word(word, ty, &self.project.interface)?;
        if is_finite(&value) { Ok(value) } else { Err(format!("`{word}` is not a number")) }
    }

    fn body(&self, ty: &Type) -> Result<Value, String> {
        let body = &self.request.body;
        let text = || str::from_utf8(body).map_err(|_| "the body is not UTF-8".to_owned());
        match ty {
            Type::Bytes => Ok(Value::Bytes(body.clone())),
            Type::Text => Ok(Value::Text(text()?.to_owned())),
            Type::Optional(inner) if matches!(**inner, Type::Text | Type::Bytes) => match body.is_empty() {
                true => Ok(Value::Optional(None)),
                false => Ok(Value::Optional(Some(Box::new(self.body(inner)?)))),
            },
            _ => from_json(&self.json()?, ty, &self.project.interface, self.route.keys),
        }
    }

    /// The values of the parameters that are members of the body's object.
    fn members(&self, members: &[Field]) -> Result<Vec<Value>, String> {
        record(&self.json()?, members, &self.project.interface, self.route.keys)
            .map_err(|why| format!("the body: {why}"))
    }

    fn json(&self) -> Result<serde_json::Value, String> {
        if !self.says_json() {
            return Err("the content type is not JSON".to_owned());
        }
        let text = str::from_utf8(&self.request.body).map_err(|_| "the body is not UTF-8".to_owned())?;
        serde_json::from_str(text).map_err(|error| format!("the body is not valid JSON: {error}"))
    }

    fn says_json(&self) -> bool {
        let header = self.request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let essence = header.and_then(|(_, value)| value.split(';').next()).unwrap_or("").trim().to_ascii_lowercase();
        essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
    }
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::F32(value) => value.is_finite(),
        Value::F64(value) => value.is_finite(),
        Value::Optional(Some(inner)) => is_finite(inner),
        _ => true,
    }
}

/// The length in bytes. Routes limit only text and bytes, so other values count as 0.
fn length(value: &Value) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64,
        Value::Bytes(bytes) => bytes.len() as u64,
        Value::Optional(Some(inner)) => length(inner),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use expect_test::{Expect, expect};
    use tierup_codegen::{Body, Server};
    use tierup_model::{CrateInfo, read_interface};
    use tierup_requests::{Context, Moment, Templates};

    use super::*;

    const SOURCE: &str = "
        pub struct Item { pub unit_price: f64, pub name: String }
        pub fn draw(text: &str, size: Option<u8>) -> Vec<u8> { todo!() }
        pub fn store(id: u16, item: Item) { todo!() }
        pub fn keep(content: &[u8]) { todo!() }
        pub fn weigh(id: u16, items: &[Item], unit_name: Option<&str>) { todo!() }
    ";

    fn project() -> Project {
        let sources = HashMap::from([("src/lib.rs".to_owned(), SOURCE.to_owned())]);
        let info = CrateInfo {
            package: "sample".into(),
            library: "sample".into(),
            version: "0.1.0".into(),
            root: "src/lib.rs".into(),
        };
        let names = ["draw", "store", "keep", "weigh"].map(str::to_owned);
        let interface = read_interface(&info, &names, &sources).expect("the source is sound");
        let route = |method: &str, path: &str, function| Route {
            method: method.into(),
            path: path.into(),
            query: vec![],
            body: None,
            function,
            blocking: false,
            content_type: None,
            keys: tierup_codegen::Keys::CamelCase,
            max_bytes: vec![],
            messages: Default::default(),
        };
        let query = vec![("text".to_owned(), "text".to_owned()), ("n".to_owned(), "size".to_owned())];
        let mut draw = Route { query, max_bytes: vec![("text".into(), 4)], ..route("GET", "/draw", 0) };
        draw.messages.missing = Some("no text".into());
        let store = Route { body: Some(Body::Parameter("item".into())), ..route("POST", "/items/{id}", 1) };
        let keep = Route { body: Some(Body::Parameter("content".into())), ..route("PUT", "/content", 2) };
        let members = ["items", "unit_name"].map(str::to_owned).into();
        let weigh = Route { body: Some(Body::Members(members)), ..route("POST", "/weights/{id}", 3) };
        let routes = vec![draw, store, keep, weigh];
        Project { interface, crate_folder: "/sample".into(), routes, server: Server::Generated, ..Project::default() }
    }

    #[track_caller]
    fn check(request: &str, expected: Expect) {
        let templates = Templates::parse("requests.http", request).expect("the request is sound");
        let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
        let set = templates.expand(1, 0, &context).expect("the request has no variables");
        let found = match route_call(&set.requests[0], &project()) {
            RouteCall::Call { function, arguments } => format!("{function} {arguments:?}"),
            RouteCall::Refused(why) => why,
            RouteCall::NoRoute => "no route".to_owned(),
        };
        expected.assert_eq(&found);
    }

    #[test]
    fn a_query_fills_parameters() {
        check("GET /draw?text=a+%C3%A9&n=7&other=1", expect!["0 [4, 0, 0, 0, 97, 32, 195, 169, 1, 7]"]);
        check("GET /draw?text=a", expect!["0 [1, 0, 0, 0, 97, 0]"]);
        check("GET /draw?n=1", expect!["`text`: it is missing"]);
        check("GET /draw?text=", expect!["`text`: it is empty"]);
        check("GET /draw?text=a&text=b", expect!["`text`: it is given more than once"]);
        check("GET /draw?text=abcde", expect!["`text` is too long"]);
        check("GET /draw?text=a&other=%", expect!["the query string is malformed"]);
        check("GET /draw?text=a&n=300", expect!["Integer(300) is not a value of the type Integer(U8)"]);
        check("POST /draw?text=a", expect!["no route"]);
        check("GET /other", expect!["no route"]);
    }

    #[test]
    fn a_body_fills_a_parameter() {
        check(
            "POST /items/7\nContent-Type: application/json\n\n{\"unitPrice\": 1, \"name\": \"a\"}",
            expect!["1 [7, 0, 0, 0, 0, 0, 0, 0, 240, 63, 1, 0, 0, 0, 97]"],
        );
        check("POST /items/7\n\n{}", expect!["`item`: the content type is not JSON"]);
        check("PUT /content\n\nab", expect!["2 [2, 0, 0, 0, 97, 98]"]);
    }

    #[test]
    fn a_body_fills_several_parameters() {
        let weigh = |body: &str, expected| {
            check(&format!("POST /weights/7\nContent-Type: application/json\n\n{body}"), expected)
        };
        weigh(r#"{"unitName": "kg", "items": []}"#, expect!["3 [7, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 107, 103]"]);
        weigh(r#"{"items": []}"#, expect!["3 [7, 0, 0, 0, 0, 0, 0]"]);
        weigh("{}", expect!["the body: the field `items` is missing"]);
        weigh(r#"{"items": [], "unit_name": "kg"}"#, expect!["the body: there is no field `unit_name`"]);
        check("POST /weights/7\n\n{}", expect!["the content type is not JSON"]);
    }
}
