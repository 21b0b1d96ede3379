//! The host's part of `tierup new`: a server on Java's own `HttpServer`, with the package as its only dependency.

use tierup_codegen::{Files, Scaffold, source::fill};

use crate::names;

/// `pom.xml`, the server and its own function for a project called `name`.
pub(crate) fn scaffold(name: &str, function: &str) -> Scaffold {
    let manifest = fill(include_str!("../templates/scaffold/pom.xml"), &[("group", names::GROUP), ("name", name)]);
    let server = fill(
        include_str!("../templates/scaffold/Server.java"),
        &[("facade", &names::facade(name)), ("package", &names::package(name))],
    );
    let files = Files::new()
        .with("pom.xml", manifest)
        .with(".gitignore", "/target/\n")
        .with("src/main/java/baseline/Slug.java", include_str!("../templates/scaffold/Slug.java"))
        .with("src/main/java/server/Server.java", server);
    let start = ["java", "-jar", "target/server.jar"].map(str::to_owned).into();
    let baseline = format!("baseline.Slug::{}", names::function(function));
    Scaffold { files, start, baseline }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// JDK 24 and newer warn about native code without it.
    #[test]
    fn the_servers_jar_may_call_native_code() {
        let manifest = scaffold("shop", "slugify").files.get("pom.xml").map(<[u8]>::to_vec).unwrap();
        let manifest = String::from_utf8(manifest).unwrap();
        assert!(manifest.contains("<Enable-Native-Access>ALL-UNNAMED</Enable-Native-Access>"), "{manifest}");
    }
}
