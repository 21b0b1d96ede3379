//! The server as a crate of the user's own, with nothing of tierup in it.

use super::{DEPENDENCIES, Needs, SHA2, binary, check, rename, request_line, sources};
use crate::shims::json;
use crate::{Files, Project};

/// A crate called `name` that depends on the hot crate by the path `hot_crate`, relative to the new crate's folder.
///
/// # Errors
/// The problem that [`check`] finds in the routes, or that there are no routes.
pub fn eject(project: &Project, name: &str, hot_crate: &str) -> Result<Files, String> {
    if project.routes.is_empty() {
        return Err("there are no routes to write a server from".to_owned());
    }
    check(project).map_err(|refusal| refusal.to_string())?;
    let project = &*rename::renamed(project);
    let needs = Needs::of(project);
    let mut sources = sources(project, &needs, |what| format!("//! {what}\n\n"));
    if needs.json {
        json::module(project, &mut sources.files);
    } else {
        sources.main = sources.main.replace("mod json;\n", "");
    }
    let files = sources.files.with("src/main.rs", sources.main);
    Ok(files.with("Cargo.toml", manifest(project, name, hot_crate)).with("README.md", readme(project, name)))
}

fn manifest(project: &Project, name: &str, hot_crate: &str) -> String {
    let hot = rename::dependency(&project.interface, hot_crate);
    let sha2 = if Needs::of(project).sha2 { format!("{SHA2}\n") } else { String::new() };
    let binary = binary(&project.interface);
    format!(
        r#"[package]
name = {name:?}
version = "0.1.0"
edition = "2024"
rust-version = "1.88"
publish = false

# It builds alone. Where your repository has a workspace, add this folder to its members and take this line out.
[workspace]

[[bin]]
name = {binary:?}
path = "src/main.rs"

[dependencies]
{hot}
{DEPENDENCIES}
{sha2}
[profile.release]
codegen-units = 1
lto = "thin"
# A panic is caught and answered.
panic = "unwind"
strip = "debuginfo"
"#
    )
}

fn readme(project: &Project, name: &str) -> String {
    let functions = &project.interface.functions;
    let route = |route| format!("- `{}`: `{}`\n", request_line(route), functions[route.function].name);
    let routes: String = project.routes.iter().map(route).collect();
    let readyz = match project.health {
        Some(_) => ", `/readyz` while the golden call's answer is right",
        None => ", and so does `/readyz`",
    };
    include_str!("../../../templates/server/README.md")
        .replace("{{name}}", name)
        .replace("{{package}}", &project.interface.package)
        .replace("{{routes}}", &routes)
        .replace("{{readyz}}", readyz)
        .replace("{{binary}}", &binary(&project.interface))
}
