//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Dependency, Depends, Files, HostSettings, Image, Install, Packaging, Parts, Project, Publishable,
    Scaffold, ServerFolder, Stub, System, Tier, source::fill,
};

use crate::{Java, image, names, package, package::MANIFEST, published};

impl Packaging for Java {
    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String> {
        package::package(project, settings)
    }

    fn stub(&self, project: &Project, settings: &HostSettings) -> Result<Stub, String> {
        Ok(Stub::part_of(&package::package(project, settings)?, package::built(project)))
    }

    fn publishable(&self, project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        Ok(vec![published::repository(project, parts)?])
    }

    fn image(&self, project: &Project, folder: &dyn ServerFolder, system: System, _: Tier) -> Result<Image, String> {
        image::image(project, folder, system)
    }

    /// `pom.xml`, the server and its own function for a project called `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold {
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

    /// The lines to add, as Maven has no command that adds a dependency. `prepare` contains the path to the package. An
    /// XML comment cannot contain two dashes, so the flag is the short one.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let interface = &project.interface;
        let (group, artifact) = (names::GROUP, &interface.package);
        let lines = format!(
            "<!-- mvn -f {way}/with-server package -->\n<dependency>\n    <groupId>{group}</groupId>\n    <artifactId>{artifact}</artifactId>\n    \
             <version>{}</version>\n</dependency>",
            interface.version
        );
        let manifests = folder.read_above(MANIFEST);
        let is_there = manifests.is_empty() || manifests.iter().any(|manifest| declares(manifest, artifact));
        Dependency {
            add: Add::Lines { file: MANIFEST, lines },
            is_there: Depends::Known(is_there),
            by_path: ByPath { quoted: &["*.gradle", "*.gradle.kts", "*.sbt", "*.sc"], plain: &[MANIFEST] },
        }
    }

    fn prepare(&self, way: &str) -> Vec<String> {
        let both = format!("{way}/with-server");
        ["mvn", "--batch-mode", "--quiet", "--file", &both, "package"].map(str::to_owned).into()
    }

    /// The lines that make a server call a function of the package, which is in the folder `way`.
    fn adoption_hint(&self, project: &Project, way: &str, _: &dyn ServerFolder) -> String {
        let interface = &project.interface;
        let named = names::named(interface);
        let (package, facade) = (names::package(&interface.package), names::class(&named));
        let function = named.functions.into_iter().next().map(|function| function.name);
        let function = function.unwrap_or_else(|| "yourFunction".into());
        format!(
            "In pom.xml:\n\n    \
             <dependency>\n        <groupId>{}</groupId>\n        <artifactId>{}</artifactId>\n        <version>{}</version>\n    </dependency>\n\n\
             In the source:\n\n    \
             import {package}.{facade};\n\n    \
             {facade} rust = {facade}.load(YourClass::{function});\n\n\
             `rust.{function}(…)` is the same call at every tier. Of more functions than one, an object that implements Functions is\n\
             handed over. The jar lies in no repository: Maven builds it with the server, which `prepare` in tierup.toml does by\n\
             --file {way}/with-server; `mvn install` in {way} is for those who build the server alone.\n\
             So that `tierup check` and `tierup bench --in-process` can call your own function too, name it as \"0\" in\n\
             [host.java.baseline]: \"your.YourClass::{function}\".\n",
            names::GROUP,
            interface.package,
            interface.version
        )
    }

    /// Nothing: building the server downloads its dependencies.
    fn install(&self, _: &dyn ServerFolder) -> Install {
        // The build installs. The owner's install command, if there is one, runs again when this file changes.
        Install { decided_by: [MANIFEST].map(str::to_owned).to_vec(), ..Install::default() }
    }
}

/// Whether a `pom.xml` has an artifact among its dependencies.
fn declares(manifest: &str, artifact: &str) -> bool {
    let name = format!("<artifactId>{artifact}</artifactId>");
    // A comment ends at `-->`. The text before the first `<!--` is not a comment.
    let mut parts = manifest.split("<!--");
    let code = parts.next().into_iter().chain(parts.filter_map(|part| part.split_once("-->").map(|(_, code)| code)));
    let code: String = code.flat_map(str::split_whitespace).collect();
    let mut dependencies = code.split("<dependency>").skip(1).filter_map(|rest| rest.split("</dependency>").next());
    dependencies.any(|dependency| dependency.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dependency_element_counts_as_a_dependency() {
        let declares = |manifest: &str| declares(manifest, "words");
        let dependency =
            "<dependency>\n  <groupId>local.tierup</groupId>\n  <artifactId> words </artifactId>\n</dependency>";
        assert!(declares(&format!("<project><dependencies>{dependency}</dependencies></project>")));
        assert!(!declares("<project><artifactId>words</artifactId></project>"));
        assert!(!declares(&format!("<project><!-- later: {dependency} --></project>")));
        assert!(declares(&format!("<project><!-- now --> {dependency}</project>")));
    }

    /// Without this, JDK 24 and newer warn about native code.
    #[test]
    fn the_servers_jar_may_call_native_code() {
        let manifest = Java.scaffold("shop", "slugify").files.get("pom.xml").map(<[u8]>::to_vec).unwrap();
        let manifest = String::from_utf8(manifest).unwrap();
        assert!(manifest.contains("<Enable-Native-Access>ALL-UNNAMED</Enable-Native-Access>"), "{manifest}");
    }
}
