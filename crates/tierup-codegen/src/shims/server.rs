//! Tier 4: an axum server from the routes.
//!
//! The fixed files are plain Rust in `templates/server/`, included where a route needs them. `routes.rs` and
//! `health.rs` are made from the project. [`eject`] writes the same files as a crate of the user's own.

mod arguments;
mod eject;
mod encode;
mod handler;
mod health;
mod literal;
mod refusal;
mod rename;
mod routes;
mod sampled;

use std::path::Path;

use tierup_model::{Interface, Type};

use super::{build_native, built_native, json, manifest};
use crate::{Command, Files, Machine, Project, Recipe, Route, Server, Step, rust, source::fill};

pub use eject::eject;
pub use refusal::{Refusal, check};
pub use sampled::{frames, sensor, with_symbols};

/// The crate `server/` (or the user's own), and the build that leaves `bin/<package>-server`.
///
/// If [`check`] refuses the routes, the crate does not compile, and the compiler shows the reason.
pub fn server(project: &Project, machine: &Machine) -> Recipe {
    let binary = binary(&project.interface);
    match &project.server {
        Server::Generated => {
            let file = machine.program(&binary);
            let copy = Step::Copy { from: built_native(&file, machine), to: Path::new("bin").join(file) };
            let steps = vec![Step::Run(build_native("tierup-server", machine)), copy];
            Recipe { files: generated(project), steps }
        }
        Server::Own { folder } => Recipe { files: Files::new(), steps: own(folder, &binary, machine) },
        Server::None => Recipe::default(),
    }
}

/// The name of the server's program, without a platform's suffix. A server of the user's own must have the same
/// name: where that program is missing, cargo's message lists the programs that exist.
pub fn binary(interface: &Interface) -> String {
    format!("{}-server", interface.package)
}

/// The build has a target folder of its own, because the crate has its own profiles and lock file.
fn own(folder: &Path, binary: &str, machine: &Machine) -> Vec<Step> {
    let manifest = folder.join("Cargo.toml").display().to_string();
    let target = "target/own-server";
    let mut build = Command::new("cargo", ["build", "--release", "--manifest-path", manifest.as_str()]);
    build.arguments.extend(["--target-dir", target, "--target", machine.target(), "--bin", binary].map(str::to_owned));
    let file = machine.program(binary);
    let from = [target, machine.target(), "release", &file].iter().collect();
    vec![Step::Run(build), Step::Copy { from, to: Path::new("bin").join(file) }]
}

fn generated(project: &Project) -> Files {
    let project = &*rename::renamed(project);
    let interface = &project.interface;
    let mut dependencies = vec![rename::dependency(interface, &project.crate_folder)];
    dependencies.extend(DEPENDENCIES.lines().map(str::to_owned));
    let needs = Needs::of(project);
    if needs.json {
        dependencies.push("tierup-json = { path = \"../json\" }".to_owned());
    }
    if needs.sha2 {
        dependencies.push(SHA2.to_owned());
    }
    let rest = format!(
        "[[bin]]\nname = {:?}\npath = \"src/main.rs\"\n\n[dependencies]\n{}\n",
        binary(interface),
        dependencies.join("\n")
    );
    let mut files = Files::new().with("server/Cargo.toml", manifest(interface, "tierup-server", &rest));
    files.extend_below("server", sources(project, &needs, rust::header, Json::Crate));
    files
}

const DEPENDENCIES: &str = r#"axum = { version = "0.8", default-features = false }
http-body-util = "0.1"
hyper = { version = "1", features = ["http1", "server"] }
hyper-util = { version = "0.1", features = ["tokio"] }
libc = "0.2"
tokio = { version = "1", features = ["macros", "net", "rt-multi-thread", "signal", "sync", "time"] }
tower-service = "0.3""#;

const SHA2: &str = "sha2 = \"0.10\"";

/// The fixed files that the routes need, beside those of every server.
struct Needs {
    /// Path or query parameters.
    parameters: bool,
    bodies: bool,
    json_bodies: bool,
    /// Bodies that fill several parameters.
    members: bool,
    /// JSON in bodies or answers.
    json: bool,
    /// Whether `/livez` and `/readyz` are routes. A route of the user's with that address takes precedence.
    livez: bool,
    readyz: bool,
    /// Hashes, for the golden call.
    sha2: bool,
}

impl Needs {
    fn of(project: &Project) -> Self {
        let functions = &project.interface.functions;
        let json_bodies = project.routes.iter().any(|route| {
            let whole = handler::whole_body(route, &functions[route.function]);
            !route.members().is_empty() || whole.is_some_and(|ty| !is_raw(ty))
        });
        let json_answers = project.routes.iter().any(|route| {
            functions[route.function].output.ty.as_ref().is_some_and(|ty| !matches!(ty, Type::Text | Type::Bytes))
        });
        let free = |path: &str| project.routes.iter().all(|route| route.path != path);
        Needs {
            parameters: project.routes.iter().any(|route| !route.query.is_empty() || !captures(&route.path).is_empty()),
            bodies: project.routes.iter().any(|route| route.body.is_some()),
            json_bodies,
            members: project.routes.iter().any(|route| !route.members().is_empty()),
            json: json_bodies || json_answers,
            livez: free("/livez"),
            readyz: free("/readyz"),
            sha2: project.health.is_some(),
        }
    }
}

/// Whether a body carries the type unchanged, without JSON.
fn is_raw(ty: &Type) -> bool {
    match ty {
        Type::Text | Type::Bytes => true,
        Type::Optional(inner) => matches!(**inner, Type::Text | Type::Bytes),
        _ => false,
    }
}

/// The captures of a path by the number of their segment: `/a/{b}` has `b` at 1.
fn captures(path: &str) -> Vec<(usize, &str)> {
    let segments = path.split('/').skip(1).enumerate();
    segments.filter_map(|(index, segment)| Some((index, capture(segment)?))).collect()
}

/// The name in a segment that is a capture.
fn capture(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// Where the server has its JSON from, if it needs any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Json {
    /// The generated crate beside it.
    Crate,
    /// A module of its own.
    Module,
}

/// The server's source, below `src/`. `header` opens the files that are made from the project.
fn sources(project: &Project, needs: &Needs, header: fn(&str) -> String, json: Json) -> Files {
    let mut files = Files::new();
    let fixed = [
        ("access_log", include_str!("../../templates/server/access_log.rs"), true),
        ("admin", include_str!("../../templates/server/admin.rs"), true),
        ("body", include_str!("../../templates/server/body.rs"), needs.bodies),
        ("call", include_str!("../../templates/server/call.rs"), true),
        ("json_body", include_str!("../../templates/server/json_body.rs"), needs.json_bodies),
        ("memory", include_str!("../../templates/server/memory.rs"), true),
        ("problem", include_str!("../../templates/server/problem.rs"), true),
        ("ready", include_str!("../../templates/server/ready.rs"), true),
        ("serve", include_str!("../../templates/server/serve.rs"), true),
        ("stderr", include_str!("../../templates/server/stderr.rs"), true),
        ("stream", include_str!("../../templates/server/stream.rs"), true),
        ("target", include_str!("../../templates/server/target.rs"), needs.parameters),
        ("text", include_str!("../../templates/server/text.rs"), needs.parameters),
        ("unsent", include_str!("../../templates/server/unsent.rs"), true),
    ];
    for (name, content, _) in fixed.into_iter().filter(|(.., needed)| *needed) {
        files.add(format!("src/{name}.rs"), content);
    }
    let head_limit = project.head_limit.to_string();
    files.add(
        "src/settings.rs",
        fill(include_str!("../../templates/server/settings.rs"), &[("head_limit", &head_limit)]),
    );
    if needs.members {
        files.add("src/bodies.rs", routes::bodies(project, header));
    }
    files.add("src/routes.rs", routes::routes(project, header));
    files.add("src/health.rs", health::health(project, header));
    if needs.json && json == Json::Module {
        json::module(project, &mut files);
    }
    let modules = files.iter().filter_map(|(file, _)| file.strip_prefix("src/")?.strip_suffix(".rs"));
    let modules: String = modules.filter(|name| !name.contains('/')).map(|name| format!("mod {name};\n")).collect();
    let json = if needs.json && json == Json::Crate { "use tierup_json as json;\n" } else { "" };
    let main = fill(
        include_str!("../../templates/server/main.rs"),
        &[("json", json), ("modules", &modules), ("package", &project.interface.package)],
    );
    files.with("src/main.rs", main)
}

/// The route's request as `tierup.toml` has it: `GET /thumbnail?url={url}`.
fn request_line(route: &Route) -> String {
    let query: Vec<_> = route.query.iter().map(|(key, parameter)| format!("{key}={{{parameter}}}")).collect();
    let question_mark = if query.is_empty() { "" } else { "?" };
    format!("{} {}{question_mark}{}", route.method, route.path, query.join("&"))
}
