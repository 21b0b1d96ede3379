//! How an existing server comes to call the package: the lines to add to its `pom.xml` and to change in its source.

use tierup_codegen::{Add, Dependency, Depends, Project};

use crate::names;

/// Maven has no command that adds a dependency: these are the lines.
pub(crate) fn dependency(project: &Project) -> Dependency {
    let interface = &project.interface;
    let (group, artifact) = (names::GROUP, &interface.package);
    let lines = format!(
        "<dependency>\n    <groupId>{group}</groupId>\n    <artifactId>{artifact}</artifactId>\n    \
         <version>{}</version>\n</dependency>",
        interface.version
    );
    let is_there = Depends::Mentioned { files: &["pom.xml"], text: format!("<artifactId>{artifact}</artifactId>") };
    Dependency { add: Add::Lines { file: "pom.xml", lines }, is_there }
}

/// The lines that take a function from the package.
pub(crate) fn hint(project: &Project) -> String {
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
         --file ../.tierup/java/with-server; `mvn install` in .tierup/java is for those who build the server alone.\n\
         So that `tierup check` and `tierup bench --in-process` can call your own function too, name it as \"0\" in\n\
         [host.java.baseline]: \"your.YourClass::{function}\".\n",
        names::GROUP,
        interface.package,
        interface.version
    )
}
