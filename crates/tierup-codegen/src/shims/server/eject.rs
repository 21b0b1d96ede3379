//! The server as a crate of the user's own, without any code of tierup's.

use super::{DEPENDENCIES, Json, Needs, SHA2, binary, check, rename, request_line, sources};
use crate::{Files, Project, source::fill};

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
    let files = sources(project, &needs, |what| format!("//! {what}\n\n"), Json::Module);
    Ok(files.with("Cargo.toml", manifest(project, name, hot_crate)).with("README.md", readme(project, name)))
}

fn manifest(project: &Project, name: &str, hot_crate: &str) -> String {
    let hot = rename::dependency(&project.interface, hot_crate.as_ref());
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
    fill(
        include_str!("../../../templates/server/README.md"),
        &[
            ("binary", &binary(&project.interface)),
            ("name", name),
            ("package", &project.interface.package),
            ("readyz", readyz),
            ("routes", &routes),
        ],
    )
}
