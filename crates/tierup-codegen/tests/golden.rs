//! Generated Rust, compared with the files kept beside this test: read those to see what tierup writes.
//! After a change on purpose: `UPDATE_EXPECT=1 cargo test -p tierup-codegen --test golden`.

#[path = "sample/project.rs"]
mod project;

use std::path::Path;

use expect_test::{Expect, ExpectFile, expect, expect_file};
use tierup_codegen::abi::Value;
use tierup_codegen::{Body, Files, Health, Machine, Project, Route, Server, Step, shims};
use tierup_model::{Alternative, Function};

fn check(files: &Files, name: &str, expected: ExpectFile) {
    let content = files.get(name).unwrap_or_else(|| panic!("`{name}` is written"));
    expected.assert_eq(&String::from_utf8_lossy(content));
}

#[test]
fn json() {
    let files = shims::json::json(&project::project(Path::new("/sample")));
    check(&files, "json/src/types.rs", expect_file!["golden/json/types.rs"]);
}

/// The only function has two alternatives. The readers of types are those that other tests run.
#[test]
fn alternatives() {
    let mut project = project::project(Path::new("/sample"));
    let interface = &mut project.interface;
    interface.definitions.clear();
    interface.functions.retain(|function| function.name == "draw");
    interface.alternatives = ["by-hand", "plain"]
        .map(|name| {
            let path = format!("::sample::{}", name.replace('-', "_"));
            Alternative { name: name.into(), function: Function { path, ..interface.functions[0].clone() } }
        })
        .into();
    check(&shims::calls(&project), "calls/src/lib.rs", expect_file!["golden/calls/alternatives.rs"]);
    let core = shims::core(&project);
    let core = String::from_utf8_lossy(core.get("core/src/lib.rs").unwrap()).into_owned();
    assert!(core.contains("pub extern \"C\" fn tierup_choose(number: u32)"), "{core}");
}

/// Without alternatives, a call costs nothing more, and nothing reads the environment.
#[test]
fn without_alternatives_there_is_no_choice() {
    let project = project::project(Path::new("/sample"));
    for (files, name) in [(shims::calls(&project), "calls/src/lib.rs"), (shims::core(&project), "core/src/lib.rs")] {
        let text = String::from_utf8_lossy(files.get(name).unwrap()).into_owned();
        assert!(!text.contains("alternative") && !text.contains("tierup_choose"), "{name}: {text}");
    }
}

#[test]
fn driver() {
    let files = shims::driver(&project::project(Path::new("/sample"))).files;
    check(&files, "driver/src/timed.rs", expect_file!["golden/driver/timed.rs"]);
}

#[test]
fn server() {
    let files = shims::server::server(&project::project(Path::new("/sample")), &Machine::this()).files;
    check(&files, "server/Cargo.toml", expect_file!["golden/server/Cargo.toml"]);
    check(&files, "server/src/main.rs", expect_file!["golden/server/main.rs"]);
    check(&files, "server/src/routes.rs", expect_file!["golden/server/routes.rs"]);
    check(&files, "server/src/health.rs", expect_file!["golden/server/health.rs"]);
    check(&files, "server/src/bodies.rs", expect_file!["golden/server/bodies.rs"]);
}

#[test]
fn server_steps() {
    let steps = |server: Server| {
        let project = Project { server, ..project::project(Path::new("/sample")) };
        let recipe = shims::server::server(&project, &Machine::this());
        let step = |step: &Step| match step {
            Step::Run(command) => format!("{command}\n"),
            Step::Copy { from, to } => format!("{} -> {}\n", from.display(), to.display()),
            Step::Either { .. } => unreachable!("nothing that the compiler decides"),
            Step::Convert { .. } => unreachable!("nothing to convert"),
        };
        recipe.steps.iter().map(step).collect::<String>()
    };
    expect![[r#"
        cargo build --target-dir target --release --package tierup-server --target host-tuple --config 'profile.release.panic="unwind"'
        target/host-tuple/release/sample-server -> bin/sample-server
    "#]]
    .assert_eq(&steps(Server::Generated));
    expect![[r#"
        cargo build --release --manifest-path '/sample/my server/Cargo.toml' --target-dir target/own-server --target host-tuple --bin sample-server
        target/own-server/host-tuple/release/sample-server -> bin/sample-server
    "#]].assert_eq(&steps(Server::Own { folder: "/sample/my server".into() }));
    expect![[""]].assert_eq(&steps(Server::None));
}

/// A user's crate with the name of one of the server's dependencies gets another name there.
#[test]
fn a_crate_called_axum() {
    let mut project = project::project(Path::new("/sample"));
    project.interface.package = "axum".into();
    project.interface.library = "sample".into();
    let line = |files: &Files, name: &str| {
        let manifest = String::from_utf8_lossy(files.get(name).expect("there is a manifest")).into_owned();
        manifest.lines().find(|line| line.contains("/sample") || line.contains("\"..\"")).map(str::to_owned)
    };
    let files = shims::server::server(&project, &Machine::this()).files;
    expect![[r#"hot = { package = "axum", path = "/sample" }"#]]
        .assert_eq(&line(&files, "server/Cargo.toml").unwrap_or_default());
    let routes = String::from_utf8_lossy(files.get("server/src/routes.rs").expect("there are routes")).into_owned();
    assert!(routes.contains("::hot::draw") && !routes.contains("::sample::"), "{routes}");
    let ejected = shims::server::eject(&project, "axum-server", "..").expect("there are routes");
    expect![[r#"hot = { package = "axum", path = ".." }"#]]
        .assert_eq(&line(&ejected, "Cargo.toml").unwrap_or_default());
    let types = String::from_utf8_lossy(ejected.get("src/json/types.rs").expect("JSON is needed")).into_owned();
    assert!(types.contains("::hot::Item") && !types.contains("::sample::"), "{types}");
}

#[test]
fn own_health_routes_come_first() {
    let mut project = project::project(Path::new("/sample"));
    project.routes[6].path = "/livez".into();
    let files = shims::server::server(&project, &Machine::this()).files;
    let text = |name: &str| String::from_utf8_lossy(files.get(name).expect("written")).into_owned();
    assert!(text("server/src/routes.rs").contains(".route(\"/livez\", delete(delete_livez))"));
    assert!(!text("server/src/routes.rs").contains("health::livez"));
    // The admin port still has tierup's own `/livez`, besides `/readyz`.
    assert!(text("server/src/health.rs").contains("fn livez") && text("server/src/admin.rs").contains("health::livez"));
}

/// A golden call whose arguments and answer are records: it is written as Rust, and its answer is encoded.
#[test]
fn server_health_of_records() {
    let mut project = project::project(Path::new("/sample"));
    let interface = &project.interface;
    let order = Value::Record(vec![
        Value::List(vec![Value::Record(vec![
            Value::Integer(7),
            Value::Integer(255),
            Value::Enum(1, vec![]),
            Value::Optional(Some(Box::new(Value::Text("\"quoted\"\n".into())))),
            Value::Bytes(vec![0, 255]),
            Value::F32(-0.5),
        ])]),
        Value::Map([("a".to_owned(), Value::Integer(i64::MIN.into()))].into()),
        Value::Map(
            [
                (
                    "box".to_owned(),
                    Value::Enum(3, vec![Value::F64(f64::NAN), Value::Enum(0, vec![]), Value::Optional(None)]),
                ),
                ("line".to_owned(), Value::Enum(2, vec![Value::Integer(-1), Value::Optional(None)])),
            ]
            .into(),
        ),
        Value::Optional(None),
    ]);
    let mut arguments = Vec::new();
    order.encode(&interface.functions[1].parameters[0].ty, interface, &mut arguments).expect("the value fits");
    project.health = Some(Health { function: 1, arguments, sha256: vec!["00".repeat(32)] });
    let files = shims::server::server(&project, &Machine::this()).files;
    check(&files, "server/src/health.rs", expect_file!["golden/server/health_of_records.rs"]);
}

/// The smallest server: one route, nothing but text and bytes.
#[test]
fn eject() {
    let mut project = project::project(Path::new("/sample"));
    project.routes.truncate(1);
    let files = shims::server::eject(&project, "my-server", "..").expect("there is a route");
    let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
    expect![[r#"
        Cargo.toml
        README.md
        src/access_log.rs
        src/admin.rs
        src/call.rs
        src/health.rs
        src/main.rs
        src/memory.rs
        src/problem.rs
        src/ready.rs
        src/routes.rs
        src/serve.rs
        src/settings.rs
        src/stderr.rs
        src/stream.rs
        src/target.rs
        src/text.rs
        src/unsent.rs"#]]
    .assert_eq(&names.join("\n"));
    check(&files, "Cargo.toml", expect_file!["golden/server/ejected/Cargo.toml"]);
    check(&files, "README.md", expect_file!["golden/server/ejected/README.md"]);
    check(&files, "src/main.rs", expect_file!["golden/server/ejected/main.rs"]);
    check(&files, "src/routes.rs", expect_file!["golden/server/ejected/routes.rs"]);
}

/// Checks the message of [`shims::server::check`] about the sample's second route after a change.
fn refused(change: impl FnOnce(&mut Route), expected: Expect) {
    let mut project = project::project(Path::new("/sample"));
    change(&mut project.routes[1]);
    let problem = shims::server::check(&project).expect_err("this route is wrong");
    expected.assert_eq(&problem.to_string());
    let files = shims::server::server(&project, &Machine::this()).files;
    let routes = String::from_utf8_lossy(files.get("server/src/routes.rs").expect("routes")).into_owned();
    assert!(routes.contains("compile_error!"), "{routes}");
}

#[test]
fn wrong_routes_are_refused() {
    refused(
        |route| route.method = "GRAB".into(),
        expect!["route `GRAB /echo`: the method must be one of DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"],
    );
    refused(|route| route.path = "echo".into(), expect!["route `POST echo`: the path must start with `/`"]);
    refused(
        |route| route.path = "/echo/{*rest}".into(),
        expect![
            "route `POST /echo/{*rest}`: `{*rest}` in the path is neither text nor one capture, as in `/shapes/{id}`"
        ],
    );
    refused(
        |route| route.path = "/echo/{".into(),
        expect!["route `POST /echo/{`: `{` in the path is neither text nor one capture, as in `/shapes/{id}`"],
    );
    refused(
        |route| route.path = "/echo/{nobody}".into(),
        expect!["route `POST /echo/{nobody}`: the function has no parameter `nobody`"],
    );
    refused(
        |route| (route.method, route.path) = ("GET".into(), "/draw".into()),
        expect!["route `GET /draw`: `GET /draw?text={text}` answers the same requests"],
    );
    refused(
        |route| route.path = "/:v1".into(),
        expect!["route `POST /:v1`: `:v1` in the path is neither text nor one capture, as in `/shapes/{id}`"],
    );
    refused(
        |route| route.path = "/*rest".into(),
        expect!["route `POST /*rest`: `*rest` in the path is neither text nor one capture, as in `/shapes/{id}`"],
    );
    refused(
        |route| route.body = None,
        expect!["route `POST /echo`: nothing in the request fills the parameter `order`"],
    );
    refused(
        |route| route.query = vec![("order".into(), "order".into())],
        expect!["route `POST /echo?order={order}`: the parameter `order` is filled twice"],
    );
    refused(
        |route| route.body = Some(Body::Members(vec!["order".into(), "order".into()])),
        expect!["route `POST /echo`: the parameter `order` is filled twice"],
    );
    refused(
        |route| (route.body, route.path) = (None, "/{order}".into()),
        expect![[
            r#"route `POST /{order}`: `order` is too much for a path or a query; let the body fill it: `body = "order"`"#
        ]],
    );
    refused(
        |route| route.max_bytes = vec![("order".into(), 1)],
        expect!["route `POST /echo`: `max_bytes` is for text and bytes, which `order` is not"],
    );
    refused(
        |route| route.content_type = Some("text/plain\r\nx: y".into()),
        expect![[r#"route `POST /echo`: `text/plain\r\nx: y` is no content type"#]],
    );
}

#[test]
fn projects_that_share_a_build_folder_have_sandboxes_of_their_own() {
    let version = |folder: &str, version: &str| {
        let mut project = project::project(Path::new(folder));
        project.interface.version = version.to_owned();
        let files = shims::sandbox(&project);
        let manifest =
            String::from_utf8_lossy(files.get("sandbox/Cargo.toml").expect("there is a manifest")).into_owned();
        manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap_or_default().to_owned()
    };
    let [one, other] = ["/srv/one", "/srv/other"].map(|folder| version(folder, "1.2.3"));
    assert!(one.starts_with("\"1.2.3+") && one != other, "{one} {other}");
    assert!(version("/srv/one", "1.2.3+mine").starts_with("\"1.2.3+mine."));
}
