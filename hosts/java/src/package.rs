//! The package: a Maven project with the functions, and the files that are the same in every package.

use tierup_codegen::source::{fill, fill_shared, paragraphs};
use tierup_codegen::{Files, HostSettings, Project};

use crate::names;
use crate::source::Types;
use crate::{calls, codec, definitions, functions, interface};

/// Maven's description of a project, in its folder.
pub(crate) const MANIFEST: &str = "pom.xml";

/// The folder in which Maven expects Java sources.
const SOURCES: &str = "src/main/java";

/// The version of Endive: the compiler of `2:core` and its runtime belong together.
pub(crate) const ENDIVE: &str = "1.0.0";

/// The folder in which Maven expects tests. The driver is there.
pub(crate) const TESTS: &str = "src/test/java";

/// The project's files below `.tierup/java/`, without built parts.
///
/// # Errors
/// If Maven does not allow an artifact of this name.
pub(crate) fn package(project: &Project, settings: &HostSettings) -> Result<Files, String> {
    let interface = &project.interface;
    let artifact = names::artifact(&interface.package)?;
    let named = &names::named(interface);
    let class = names::class(named);
    let package = names::package(&interface.package);
    let example = named.functions.first().map_or("…", |function| &*function.name);
    let readme = fill(
        include_str!("../templates/package/README.md"),
        &[
            ("artifact", artifact),
            ("docs", &paragraphs(&interface.docs)),
            ("example", example),
            ("facade", &class),
            ("group", names::GROUP),
            ("package", &package),
            ("version", &interface.version),
        ],
    );
    let with_server =
        [("artifact", artifact), ("group", names::GROUP), ("server", &way(settings)), ("version", &interface.version)];
    let mut files = Files::new()
        .with("README.md", readme)
        .with(MANIFEST, manifest(project, &About::default())?)
        .with("with-server/pom.xml", fill(include_str!("../templates/package/with-server.xml"), &with_server));
    let folder = format!("{SOURCES}/{}", package.replace('.', "/"));
    let mut add = |name: &str, content: String| files.add(format!("{folder}/{name}.java"), content);
    add(&class, functions::facade(named, &project.pure, &class, &package));
    add("Functions", functions::functions(named, &package));
    add("TierupCodec", codec::codec(named, &package));
    add("TierupCalls", calls::calls(named, &class, &package));
    add("TierupInterface", interface::interface(project, named, &package));
    for definition in &named.definitions {
        add(&definition.name, definitions::definition(definition, &package, &Types { named }));
    }
    for (name, content) in RUNTIME {
        add(name, filled(content, project));
    }
    Ok(files)
}

/// What `pom.xml` says besides the names: nothing for the server beside the package.
#[derive(Default)]
pub(crate) struct About {
    pub description: Option<String>,
    /// Further elements of the project.
    pub elements: String,
    pub properties: String,
    /// Further elements of the plugin that makes the jar.
    pub jars: String,
}

/// `pom.xml`.
///
/// # Errors
/// If Maven does not allow an artifact of this name.
pub(crate) fn manifest(project: &Project, about: &About) -> Result<String, String> {
    let interface = &project.interface;
    let description = about.description.as_deref().unwrap_or("Functions in Rust, at the tier that you choose");
    Ok(fill(
        include_str!("../templates/package/pom.xml"),
        &[
            ("about", &about.elements),
            ("artifact", names::artifact(&interface.package)?),
            ("description", &escaped(description)),
            ("endive", ENDIVE),
            ("group", names::GROUP),
            ("jars", &about.jars),
            ("package", &names::package(&interface.package)),
            ("reproducible", &about.properties),
            ("version", &interface.version),
        ],
    ))
}

/// Text in XML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A fixed file of a package.
pub(crate) fn filled(text: &str, project: &Project) -> String {
    let facade = names::class(&names::named(&project.interface));
    fill_shared(text, &[("facade", &facade), ("package", &names::package(&project.interface.package))])
}

/// The built files, and the parts that only variants in Rust need.
pub(crate) fn built(project: &Project) -> Vec<String> {
    const CLASSES: [&str; 12] = [
        "Companion", "Ffm", "Jni", "Native", "NativeCalls", "OwnComparer", "Packed", "Pool", "Processors", "Program",
        "Spawn", "Worker",
    ];
    let folder = format!("{SOURCES}/{}/internal", names::package(&project.interface.package).replace('.', "/"));
    let fixed = ["built.json", "src/main/resources/"].map(str::to_owned);
    let classes = CLASSES.iter().map(|name| format!("{folder}/{name}.java"));
    fixed.into_iter().chain([format!("{folder}/core/")]).chain(classes).collect()
}

/// The path from `with-server/` to the server's folder. For an absolute one, it climbs to the file system's root.
fn way(settings: &HostSettings) -> String {
    let folder = escaped(&settings.folder.display().to_string());
    let up = if settings.folder.is_absolute() { 24 } else { 1 };
    format!("{}{}", "../".repeat(up), folder.trim_start_matches('/'))
}

macro_rules! runtime {
    ($($folder:literal: $($name:literal)*;)*) => {
        &[$($(
            (
                concat!($folder, $name),
                include_str!(concat!("../templates/package/", $folder, $name, ".java")),
            ),
        )*)*]
    };
}

/// The files that are the same in every package.
const RUNTIME: &[(&str, &str)] = runtime! {
    "": "Binding" "CallException" "CallTimeoutException" "HealthException" "Metrics" "Options" "PanicException" "RustException" "TierupCounts" "TierupCrossing"
        "TierupInvoked" "TierupRoll" "TierupTiers" "TransportException" "UnavailableException";
    "internal/": "Answer" "Around" "Built" "CallKey" "Companion" "Comparer" "Control" "Deadline" "Deaths" "Failure" "Ffm" "InForce" "Jni" "Kept" "Keys" "Limits" "Memo" "MemoCounts" "Messages" "Native" "NativeCalls" "OwnComparer" "Packed" "Pairing" "Pool" "Processors" "Program" "Reader"
        "RecordFile" "Recorder" "Refusal" "Rollout" "Shadow" "Spawn" "Taken" "Tally" "Threads" "Unreadable" "Values" "Variant" "Variants" "Worker" "Writer";
};
