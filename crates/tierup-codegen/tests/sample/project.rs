//! The interface of `lib.rs`, and the routes of a server for it.

use std::path::Path;

use tierup_codegen::{Body, Health, Keys, Project, Route, RouteMessages, Server};
use tierup_model::{
    Case, Definition, DefinitionKind, Field, Function, Integer, Interface, Output, Parameter, Passing, Payload, Type,
};

const COLOR: usize = 0;
const SHAPE: usize = 1;
const ITEM: usize = 2;
const ORDER: usize = 3;

/// The project, with the hot crate in `folder`.
pub(crate) fn project(folder: &Path) -> Project {
    Project {
        interface: interface(),
        pure: vec![],
        crate_folder: folder.to_owned(),
        routes: routes(),
        server: Server::Generated,
        health: Some(Health {
            function: 0,
            arguments: b"\x05\0\0\0hello".to_vec(),
            // printf hello | sha256sum
            sha256: vec!["2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".to_owned()],
        }),
        head_limit: 16 << 10,
    }
}

fn interface() -> Interface {
    Interface {
        package: "sample".into(),
        library: "sample".into(),
        version: "0.1.0".into(),
        docs: "A sample.".into(),
        functions: functions(),
        definitions: definitions(),
        ..Interface::default()
    }
}

fn optional(ty: Type) -> Type {
    Type::Optional(Box::new(ty))
}

fn integer(integer: Integer) -> Type {
    Type::Integer(integer)
}

fn functions() -> Vec<Function> {
    let text = || ("text", Type::Text, "&str");
    vec![
        Function {
            output: Output { ty: Some(Type::Bytes), rust: "Vec<u8>".into(), fallible: true },
            docs: "Draws `text`.".into(),
            ..function("draw", vec![text()], None)
        },
        Function {
            docs: "Gives an order back.".into(),
            ..function(
                "echo",
                vec![("order", Type::Defined(ORDER), "::sample::Order")],
                Some((Type::Defined(ORDER), "::sample::Order")),
            )
        },
        lent(
            function(
                "total",
                vec![("items", Type::List(Box::new(Type::Defined(ITEM))), "&[::sample::Item]")],
                Some((integer(Integer::U64), "u64")),
            ),
            "Vec<::sample::Item>",
        ),
        function(
            "describe",
            vec![
                ("id", integer(Integer::U16), "u16"),
                ("color", optional(Type::Defined(COLOR)), "Option<::sample::Color>"),
                ("loud", Type::Bool, "bool"),
                ("ratio", Type::F64, "f64"),
                ("note", optional(Type::Text), "Option<&str>"),
            ],
            Some((Type::Text, "String")),
        ),
        function("length", vec![("data", Type::Bytes, "&[u8]")], Some((integer(Integer::U64), "u64"))),
        function("shout", vec![("text", Type::Text, "String")], Some((Type::Text, "String"))),
        function("nothing", vec![], None),
        Function {
            docs: "Takes its time.".into(),
            ..function(
                "slow",
                vec![("milliseconds", integer(Integer::U64), "u64")],
                Some((integer(Integer::U64), "u64")),
            )
        },
        function("fail", vec![text()], Some((Type::Text, "String"))),
        lent(
            function(
                "join",
                vec![("parts", Type::List(Box::new(Type::Text)), "&[&str]")],
                Some((Type::Text, "String")),
            ),
            "Vec<&str>",
        ),
        function("fill", vec![("length", integer(Integer::U32), "u32")], Some((Type::Bytes, "Vec<u8>"))),
        {
            let mut arrange = function(
                "arrange",
                vec![
                    ("id", integer(Integer::U16), "u16"),
                    ("items", Type::List(Box::new(Type::Defined(ITEM))), "&[::sample::Item]"),
                    ("main_color", optional(Type::Defined(COLOR)), "Option<::sample::Color>"),
                    ("labels", Type::List(Box::new(Type::Text)), "&[&str]"),
                    ("data", Type::Bytes, "Vec<u8>"),
                ],
                Some((Type::Text, "String")),
            );
            arrange.parameters[1].passing = Passing::Lent { owned: "Vec<::sample::Item>".into() };
            arrange.parameters[3].passing = Passing::Lent { owned: "Vec<&str>".into() };
            arrange
        },
        function("visit", vec![text()], Some((Type::Text, "String"))),
    ]
}

fn routes() -> Vec<Route> {
    vec![
        Route {
            query: query(&["text"]),
            content_type: Some("image/png".into()),
            max_bytes: vec![("text".into(), 512)],
            messages: RouteMessages {
                missing: Some("missing \"text\" query param".into()),
                too_long: Some("text must be <= 512 bytes".into()),
                ..RouteMessages::default()
            },
            ..route("GET", "/draw", 0)
        },
        Route { body: whole("order"), ..route("POST", "/echo", 1) },
        Route { body: whole("items"), ..route("POST", "/total", 2) },
        Route { query: query(&["color", "loud", "ratio", "note"]), ..route("GET", "/things/{id}", 3) },
        Route { body: whole("data"), ..route("POST", "/length", 4) },
        Route { body: whole("text"), max_bytes: vec![("text".into(), 10)], ..route("PUT", "/texts", 5) },
        route("DELETE", "/texts", 6),
        Route { query: query(&["milliseconds"]), ..route("GET", "/slow", 7) },
        Route { query: query(&["text"]), ..route("GET", "/fail", 8) },
        Route { body: whole("parts"), ..route("POST", "/join", 9) },
        Route { body: whole("order"), keys: Keys::CamelCase, ..route("POST", "/camel", 1) },
        Route {
            body: Some(Body::Members(["items", "main_color", "labels", "data"].map(str::to_owned).into())),
            keys: Keys::CamelCase,
            max_bytes: vec![("data".into(), 4)],
            ..route("POST", "/arrange/{id}", 11)
        },
        // Unusual addresses, with which the server must start.
        route("DELETE", "/odd//ü", 6),
        route("GET", "/odd/{milliseconds}", 7),
        route("PUT", "/odd/{milliseconds}/x", 7),
        route("POST", "/odd/{text}/x", 8),
        route("POST", "/{text}/odd", 8),
        Route { query: query(&["length"]), ..route("GET", "/fill", 10) },
        Route { query: query(&["text"]), ..route("GET", "/visit", 12) },
        Route { query: query(&["text"]), blocking: true, ..route("GET", "/wait", 12) },
    ]
}

fn whole(parameter: &str) -> Option<Body> {
    Some(Body::Parameter(parameter.to_owned()))
}

fn query(names: &[&str]) -> Vec<(String, String)> {
    names.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect()
}

fn route(method: &str, path: &str, function: usize) -> Route {
    Route {
        method: method.into(),
        path: path.into(),
        query: vec![],
        body: None,
        function,
        blocking: false,
        content_type: None,
        max_bytes: vec![],
        keys: Keys::default(),
        messages: RouteMessages::default(),
    }
}

fn function(name: &str, parameters: Vec<(&str, Type, &str)>, output: Option<(Type, &str)>) -> Function {
    let parameters = parameters.into_iter().map(|(name, ty, rust)| Parameter {
        name: name.into(),
        ty,
        rust: rust.into(),
        passing: Passing::Value,
    });
    let (ty, rust) = output.unzip();
    Function {
        name: name.into(),
        path: format!("::sample::{name}"),
        docs: String::new(),
        parameters: parameters.collect(),
        output: Output { ty, rust: rust.unwrap_or("()").into(), fallible: false },
    }
}

fn lent(mut function: Function, owned: &str) -> Function {
    function.parameters[0].passing = Passing::Lent { owned: owned.into() };
    function
}

fn definitions() -> Vec<Definition> {
    let case = |name: &str, payload| Case { name: name.into(), docs: String::new(), payload };
    let color = DefinitionKind::Enum(vec![case("Red", Payload::None), case("DarkBlue", Payload::None)]);
    let shape = DefinitionKind::Enum(vec![
        case("Point", Payload::None),
        case("Circle", Payload::Tuple(vec![(Type::F64, "f64".into())])),
        case(
            "Line",
            Payload::Tuple(vec![
                (integer(Integer::I64), "i64".into()),
                (optional(Type::Text), "Option<String>".into()),
            ]),
        ),
        case(
            "Box",
            Payload::Named(vec![
                field("width", Type::F64, "f64"),
                field("type", Type::Defined(COLOR), "::sample::Color"),
                field("line_width", optional(integer(Integer::U8)), "Option<u8>"),
            ]),
        ),
    ]);
    let item = DefinitionKind::Record(vec![
        field("id", integer(Integer::U64), "u64"),
        field("value", integer(Integer::U8), "u8"),
        field("type", Type::Defined(COLOR), "::sample::Color"),
        field("note", optional(Type::Text), "Option<String>"),
        field("data", Type::Bytes, "Vec<u8>"),
        field("ratio", Type::F32, "f32"),
    ]);
    let order = DefinitionKind::Record(vec![
        field("items", Type::List(Box::new(Type::Defined(ITEM))), "Vec<::sample::Item>"),
        field("counts", Type::Map(Box::new(integer(Integer::I64))), "::std::collections::HashMap<String, i64>"),
        field(
            "shapes",
            Type::Map(Box::new(Type::Defined(SHAPE))),
            "::std::collections::BTreeMap<String, ::sample::Shape>",
        ),
        field("due_date", optional(Type::Text), "Option<String>"),
    ]);
    [("Color", color), ("Shape", shape), ("Item", item), ("Order", order)]
        .map(|(name, kind)| Definition {
            name: name.into(),
            path: format!("::sample::{name}"),
            docs: String::new(),
            kind,
        })
        .into()
}

fn field(name: &str, ty: Type, rust: &str) -> Field {
    Field { name: name.into(), docs: String::new(), ty, rust: rust.into() }
}
