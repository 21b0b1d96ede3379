//! The host's part of `tierup new`: a server on Java's own `HttpServer`, without dependencies but the package.

use tierup_codegen::Files;

use crate::names;

/// `pom.xml`, the server and its own function for a project called `name`.
pub(crate) fn scaffold(name: &str) -> Files {
    let manifest = include_str!("../templates/scaffold/pom.xml").replace("GROUP", names::GROUP).replace("NAME", name);
    let server = include_str!("../templates/scaffold/Server.java")
        .replace("PACKAGE", &names::package(name))
        .replace("FACADE", &names::facade(name));
    Files::new()
        .with("pom.xml", manifest)
        .with(".gitignore", "/target/\n")
        .with("src/main/java/baseline/Slug.java", include_str!("../templates/scaffold/Slug.java"))
        .with("src/main/java/server/Server.java", server)
}

/// The name of a function of the scaffold's: `baseline.Slug::slugify`.
pub(crate) fn baseline(file: &str, function: &str) -> String {
    let class = file.trim_start_matches("src/main/java/").trim_end_matches(".java").replace('/', ".");
    format!("{class}::{}", names::function(function))
}
