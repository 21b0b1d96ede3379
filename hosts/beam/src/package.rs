//! The package: a mix project with one application, which has a module for the crate's functions, one for each type,
//! and the runtime, which is the same in every package.

use tierup_codegen::source::{fill, paragraphs};
use tierup_codegen::{About, Files, Project};

use crate::source::literal;
use crate::{functions, interface, names, types};

/// The package's files without built ones, below `.tierup/beam/`.
///
/// # Errors
/// The BEAM could not load an application with this name.
pub(crate) fn package(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked(&interface.package)?;
    let application = names::application(&interface.package);
    let named = &names::named(interface);
    let filled = |text: &str| fill(text, &[("module", &module)]);
    let mut own = types::types(named, &module);
    own.add("tierup/interface.ex", interface::interface(project, named, &module));
    for (name, text) in RUNTIME {
        own.add(format!("tierup/{name}"), filled(text));
    }
    for (name, nif, variant) in [("nif.ex", "Nif", "3:native"), ("sandbox_nif.ex", "SandboxNif", "2:core")] {
        let values = [("module", &*module), ("nif", nif), ("variant", variant)];
        own.add(format!("tierup/{name}"), fill(include_str!("../templates/package/tierup/nif.ex"), &values));
    }
    let example = named.functions.first().map_or("…", |function| &*function.name);
    let readme = fill(
        include_str!("../templates/package/README.md"),
        &[
            ("application", &application),
            ("docs", &paragraphs(&interface.docs)),
            ("example", example),
            ("module", &module),
            ("package", &interface.package),
        ],
    );
    let mut files = Files::new()
        .with("README.md", readme)
        .with("mix.exs", manifest(project, None))
        .with(format!("lib/{application}.ex"), functions::functions(named, &module));
    files.extend_below(&format!("lib/{application}"), own);
    Ok(files)
}

/// `mix.exs`; of the published package, if there is something to say of the crate.
pub(crate) fn manifest(project: &Project, about: Option<&About>) -> String {
    let interface = &project.interface;
    let docs = interface.docs.lines().next().unwrap_or_default();
    let list = |names: &[&str]| names.iter().map(|name| literal(name)).collect::<Vec<_>>().join(", ");
    let mut files = vec!["lib", "priv", "mix.exs", "README.md"];
    let mut package = String::new();
    if let Some(about) = about {
        files.push("built.json");
        files.extend(about.licenses.iter().map(|(name, _)| name).chain([About::SBOM]));
        let links = about.repository.iter().map(|url| format!("\"Source\" => {}", literal(url))).collect::<String>();
        package = format!(",\n        licenses: [{}],\n        links: %{{{links}}}", list(&about.choices()));
    }
    fill(
        include_str!("../templates/package/mix.exs"),
        &[
            ("application", &names::application(&interface.package)),
            ("description", &literal(about.map_or(docs, |about| &about.description))),
            ("module", &names::module(&interface.package)),
            ("package", &format!("        files: [{}]{package}", list(&files))),
            ("version", &literal(&interface.version)),
        ],
    )
}

/// The built files, and the parts that only variants in Rust need.
pub(crate) fn built(project: &Project) -> Vec<String> {
    const MODULES: [&str; 8] = ["calls", "native", "nif", "pool", "process", "sandbox_nif", "starts", "trial"];
    let application = names::application(&project.interface.package);
    let modules = MODULES.iter().map(|name| format!("lib/{application}/tierup/{name}.ex"));
    let rollout = ["rollout.ex", "rollout/"].map(|name| format!("lib/{application}/tierup/{name}"));
    ["built.json", "priv/"].map(str::to_owned).into_iter().chain(modules).chain(rollout).collect()
}

/// The files that are the same in every package, except for its name.
const RUNTIME: &[(&str, &str)] = &[
    ("application.ex", include_str!("../templates/package/tierup/application.ex")),
    ("baseline.ex", include_str!("../templates/package/tierup/baseline.ex")),
    ("binding.ex", include_str!("../templates/package/tierup/binding.ex")),
    ("built.ex", include_str!("../templates/package/tierup/built.ex")),
    ("calls.ex", include_str!("../templates/package/tierup/calls.ex")),
    ("errors.ex", include_str!("../templates/package/tierup/errors.ex")),
    ("free.ex", include_str!("../templates/package/tierup/free.ex")),
    ("health.ex", include_str!("../templates/package/tierup/health.ex")),
    ("kept.ex", include_str!("../templates/package/tierup/kept.ex")),
    ("limits.ex", include_str!("../templates/package/tierup/limits.ex")),
    ("memo.ex", include_str!("../templates/package/tierup/memo.ex")),
    ("memo_counts.ex", include_str!("../templates/package/tierup/memo_counts.ex")),
    ("metrics.ex", include_str!("../templates/package/tierup/metrics.ex")),
    ("native.ex", include_str!("../templates/package/tierup/native.ex")),
    ("pool.ex", include_str!("../templates/package/tierup/pool.ex")),
    ("process.ex", include_str!("../templates/package/tierup/process.ex")),
    ("recording.ex", include_str!("../templates/package/tierup/recording.ex")),
    ("rollout.ex", include_str!("../templates/package/tierup/rollout.ex")),
    ("rollout/board.ex", include_str!("../templates/package/tierup/rollout/board.ex")),
    ("rollout/control_file.ex", include_str!("../templates/package/tierup/rollout/control_file.ex")),
    ("rollout/copies.ex", include_str!("../templates/package/tierup/rollout/copies.ex")),
    ("rollout/deaths.ex", include_str!("../templates/package/tierup/rollout/deaths.ex")),
    ("rollout/in_force.ex", include_str!("../templates/package/tierup/rollout/in_force.ex")),
    ("rollout/line.ex", include_str!("../templates/package/tierup/rollout/line.ex")),
    ("rollout/pairs.ex", include_str!("../templates/package/tierup/rollout/pairs.ex")),
    ("rollout/reader.ex", include_str!("../templates/package/tierup/rollout/reader.ex")),
    ("rollout/taken.ex", include_str!("../templates/package/tierup/rollout/taken.ex")),
    ("starts.ex", include_str!("../templates/package/tierup/starts.ex")),
    ("tiers.ex", include_str!("../templates/package/tierup/tiers.ex")),
    ("trial.ex", include_str!("../templates/package/tierup/trial.ex")),
    ("wire.ex", include_str!("../templates/package/tierup/wire.ex")),
];
