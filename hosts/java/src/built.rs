//! The package's built parts: files in its jar, and the Java code that runs the Wasm module.

use tierup_codegen::shims::{Library, WasmRuntime};
use tierup_codegen::source::fill;
use tierup_codegen::{Artifact, Command, Converter, Files, Machine, Project, Recipe, Step};

use crate::names;
use crate::package::filled;

/// `1:spawn` and `1:pool`: the program that both run.
pub(crate) fn program(project: &Project, machine: &Machine) -> Recipe {
    Artifact::program(project, machine).copied(resource(project, "program"))
}

/// `2:core`: the Wasm module. Endive compiles it to Java bytecode when the package is compiled. The recipe compiles it
/// once, so that a module that Endive cannot compile is reported here and does not break the server.
pub(crate) fn core(project: &Project) -> Recipe {
    let source = filled(include_str!("../templates/package/core/Core.java"), project);
    let name = format!("src/main/java/{}/internal/core/Core.java", folder(project));
    let converter = Converter::new(move |bytes| {
        Ok(Files::new().with("src/main/wasm/core.wasm", bytes).with(name.as_str(), source.as_bytes()))
    });
    let compile =
        Command::new("mvn", ["--batch-mode", "--quiet", "-Dstyle.color=never", "--file", "java/pom.xml", "compile"]);
    // Endive does not compile vector instructions: https://github.com/dylibso/chicory/issues/791.
    let mut recipe = Artifact::core(project, WasmRuntime::Bytecode).converted("java", converter);
    recipe.steps.push(Step::Run(compile));
    recipe
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
