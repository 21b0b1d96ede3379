//! The package's built parts: files in its jar, and the Java code that runs the Wasm module.

use tierup_codegen::shims::{Library, WasmRuntime};
use tierup_codegen::source::fill;
use tierup_codegen::{Artifact, Command, Converter, Files, Machine, Project, Recipe};

use crate::names;
use crate::package::{ENDIVE, filled};

/// `1:spawn` and `1:pool`: the program that both run.
pub(crate) fn program(project: &Project, machine: &Machine) -> Recipe {
    Artifact::program(project, machine).copied(resource(project, "program"))
}

/// `2:core`: the Wasm module, compiled to Java bytecode by Endive.
pub(crate) fn core(project: &Project) -> Recipe {
    let source = filled(include_str!("../templates/core/Core.java"), project);
    let name = format!("src/main/java/{}/internal/core/Core.java", folder(project));
    let command = |from: &str, to: &str| {
        let (from, to) = (format!("-Dfrom={from}"), format!("-Dto={to}"));
        let maven = ["--batch-mode", "--quiet", "-Dstyle.color=never", "--file", "java-core/pom.xml"];
        Command::new("mvn", maven.into_iter().chain([&*from, &*to, "generate-resources"]))
    };
    let converter = Converter::by_command(command, move |compiled| Ok(compiled.with(name.as_str(), source.as_bytes())));
    let manifest = fill(
        include_str!("../templates/core/pom.xml"),
        &[("endive", ENDIVE), ("package", &names::package(&project.interface.package))],
    );
    // Endive does not compile vector instructions: https://github.com/dylibso/chicory/issues/791.
    let recipe = Artifact::core(project, WasmRuntime::Bytecode).converted("java", converter);
    Recipe { files: recipe.files.with("java-core/pom.xml", manifest), ..recipe }
}

/// `3:native`: the functions as one library, for both FFM and JNI.
pub(crate) fn native(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-java-native", &project.interface);
    let manifest = library
        .manifest(&project.interface, "[dependencies]\njni-sys = \"0.4.1\"\ntierup-calls = { path = \"../calls\" }");
    let symbol = names::symbol(&project.interface.package);
    let files = Files::new()
        .with("java-native/Cargo.toml", manifest)
        .with("java-native/src/lib.rs", include_str!("../templates/native/lib.rs"))
        .with("java-native/src/jni.rs", fill(include_str!("../templates/native/jni.rs"), &[("symbol", &symbol)]));
    let artifact = Artifact::library(&library, machine);
    let place = resource(project, &artifact.name);
    Recipe { files, ..artifact.copied(place) }
}

/// The path of a file in the jar, in a folder that is unique to this package.
fn resource(project: &Project, name: &str) -> String {
    format!("java/src/main/resources/META-INF/tierup/{}/{name}", names::package(&project.interface.package))
}

fn folder(project: &Project) -> String {
    names::package(&project.interface.package).replace('.', "/")
}
