//! The host's part of `tierup new`: a server on Java's own `HttpServer`, with the package as its only dependency.

use tierup_codegen::{Files, Scaffold};

use crate::names;

/// `pom.xml`, the server and its own function for a project called `name`.
pub(crate) fn scaffold(name: &str, function: &str) -> Scaffold {
    let manifest = include_str!("../templates/scaffold/pom.xml").replace("GROUP", names::GROUP).replace("NAME", name);
    let server = include_str!("../templates/scaffold/Server.java")
        .replace("PACKAGE", &names::package(name))
        .replace("FACADE", &names::facade(name));
    let files = Files::new()
        .with("pom.xml", manifest)
        .with(".gitignore", "/target/\n")
        .with("src/main/java/baseline/Slug.java", include_str!("../templates/scaffold/Slug.java"))
        .with("src/main/java/server/Server.java", server);
    let start = ["java", "-jar", "target/server.jar"].map(str::to_owned).into();
    let baseline = format!("baseline.Slug::{}", names::function(function));
    Scaffold { files, start, baseline }
}
