//! The package: its modules, its manifest, how it is installed and made into a wheel.

use tierup_codegen::source::{self, fill, paragraphs};
use tierup_codegen::{Files, Project};
use tierup_model::Interface;

use crate::names;
use crate::source::{HEADER, literal};
use crate::{codec, definitions, functions, stub};

/// The package's files, without anything built, below `.tierup/python/`.
///
/// # Errors
/// If Python could not import a package of this name.
pub(crate) fn package(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let named = &names::named(interface);
    let mut own = Files::new()
        .with("__init__.py", functions::init(named))
        .with("__init__.pyi", stub::stub(named))
        .with("__main__.py", include_str!("../templates/package/main.py"))
        .with("_functions.py", functions::functions(named))
        .with("_interface.py", codec::interface(project, named))
        .with("_types.py", definitions::types(named))
        .with("py.typed", "");
    for (name, content) in RUNTIME {
        own.add(format!("_tierup/{name}"), *content);
    }
    let example = named.functions.first().map_or("…", |function| &*function.name);
    let readme = fill(
        include_str!("../templates/package/README.md"),
        &[
            ("docs", &paragraphs(&interface.docs)),
            ("example", example),
            ("module", &module),
            ("package", &interface.package),
        ],
    );
    let manifest = manifest(include_str!("../templates/package/pyproject.toml"), interface, &module);
    let mut files = Files::new()
        .with("README.md", readme)
        .with("pyproject.toml", manifest)
        .with("build_backend/tierup_backend.py", include_str!("../templates/package/tierup_backend.py"));
    files.extend_below(&format!("src/{module}"), own);
    Ok(files)
}

/// The committed package: see [`tierup_codegen::Packaging::stub`].
///
/// # Errors
/// As for [`package`].
pub(crate) fn committed(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let named = &names::named(interface);
    let mut own = Files::new().with("py.typed", "");
    let generated = [
        ("__init__.pyi", stub::stub(named)),
        ("_functions.py", functions::functions(named)),
        ("_interface.py", codec::interface(project, named)),
        ("_tier0.py", functions::init(named)),
        ("_types.py", definitions::types(named)),
    ];
    let runtime = RUNTIME.iter().filter(|(name, _)| SHARED.contains(name));
    let shared = runtime.map(|(name, text)| (format!("_tierup/{name}"), (*text).to_owned()));
    let loaders = COMMITTED.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let generated = generated.into_iter().map(|(name, text)| (name.to_owned(), text));
    for (name, text) in shared.chain(loaders).chain(generated) {
        // Excludes the file from the formatters, linters and type checkers of the user's repository.
        own.add(name, format!("# fmt: off\n{}# ruff: noqa\n# mypy: ignore-errors\n", source::committed(&text)));
    }
    let manifest = manifest(include_str!("../templates/committed/pyproject.toml"), interface, &module);
    let mut files = Files::new().with("pyproject.toml", source::committed(&manifest));
    files.extend_below(&format!("src/{module}"), own);
    Ok(files)
}

fn manifest(template: &str, interface: &Interface, module: &str) -> String {
    fill(
        template,
        &[
            ("description", &literal(interface.docs.lines().next().unwrap_or_default())),
            ("module", module),
            ("package", &literal(&interface.package)),
            ("version", &literal(&version(&interface.version))),
        ],
    )
}

/// Cargo's version in Python's form: `1.2.0-alpha.1` is `1.2.0a1`. Parts that PEP 440 cannot express are left out.
pub(crate) fn version(cargo: &str) -> String {
    let (numbers, rest) = cargo.split_once(['-', '+']).unwrap_or((cargo, ""));
    let (label, number) = rest.split_once('.').unwrap_or((rest, "0"));
    let word = match label {
        "alpha" => "a",
        "beta" => "b",
        "rc" => "rc",
        _ if cargo.contains('-') => return format!("{numbers}.dev0"),
        _ => return numbers.to_owned(),
    };
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return format!("{numbers}{word}0");
    }
    format!("{numbers}{word}{number}")
}

/// A Python file with the line that names tierup as its generator.
pub(crate) fn generated(text: &str) -> String {
    format!("{HEADER}{text}")
}

/// The files that are the same in every package.
const RUNTIME: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../templates/package/runtime/__init__.py")),
    ("answers.py", include_str!("../templates/package/runtime/answers.py")),
    ("baselines.py", include_str!("../templates/package/runtime/baselines.py")),
    ("binding.py", include_str!("../templates/package/runtime/binding.py")),
    ("built.py", include_str!("../templates/package/runtime/built.py")),
    ("checks.py", include_str!("../templates/package/runtime/checks.py")),
    ("companion.py", include_str!("../templates/package/runtime/companion.py")),
    ("control.py", include_str!("../templates/package/runtime/control.py")),
    ("counts.py", include_str!("../templates/package/runtime/counts.py")),
    ("deaths.py", include_str!("../templates/package/runtime/deaths.py")),
    ("default.py", include_str!("../templates/package/runtime/default.py")),
    ("errors.py", include_str!("../templates/package/runtime/errors.py")),
    ("exports.py", include_str!("../templates/package/runtime/exports.py")),
    ("fallbacks.py", include_str!("../templates/package/runtime/fallbacks.py")),
    ("forks.py", include_str!("../templates/package/runtime/forks.py")),
    ("health.py", include_str!("../templates/package/runtime/health.py")),
    ("in_force.py", include_str!("../templates/package/runtime/in_force.py")),
    ("keys.py", include_str!("../templates/package/runtime/keys.py")),
    ("kept.py", include_str!("../templates/package/runtime/kept.py")),
    ("lending.py", include_str!("../templates/package/runtime/lending.py")),
    ("limits.py", include_str!("../templates/package/runtime/limits.py")),
    ("metrics.py", include_str!("../templates/package/runtime/metrics.py")),
    ("own_worker.py", include_str!("../templates/package/runtime/own_worker.py")),
    ("pairs.py", include_str!("../templates/package/runtime/pairs.py")),
    ("parallelism.py", include_str!("../templates/package/runtime/parallelism.py")),
    ("programs.py", include_str!("../templates/package/runtime/programs.py")),
    ("recording.py", include_str!("../templates/package/runtime/recording.py")),
    ("rollout.py", include_str!("../templates/package/runtime/rollout.py")),
    ("rollout_file.py", include_str!("../templates/package/runtime/rollout_file.py")),
    ("shadow.py", include_str!("../templates/package/runtime/shadow.py")),
    ("signals.py", include_str!("../templates/package/runtime/signals.py")),
    ("taken.py", include_str!("../templates/package/runtime/taken.py")),
    ("ticker.py", include_str!("../templates/package/runtime/ticker.py")),
    ("tiers.py", include_str!("../templates/package/runtime/tiers.py")),
    ("variants/__init__.py", include_str!("../templates/package/runtime/variants/__init__.py")),
    ("variants/baseline.py", include_str!("../templates/package/runtime/variants/baseline.py")),
    ("variants/core.py", include_str!("../templates/package/runtime/variants/core.py")),
    ("variants/free.py", include_str!("../templates/package/runtime/variants/free.py")),
    ("variants/memo.py", include_str!("../templates/package/runtime/variants/memo.py")),
    ("variants/native.py", include_str!("../templates/package/runtime/variants/native.py")),
    ("variants/pool.py", include_str!("../templates/package/runtime/variants/pool.py")),
    ("variants/spawn.py", include_str!("../templates/package/runtime/variants/spawn.py")),
    ("variants/threaded.py", include_str!("../templates/package/runtime/variants/threaded.py")),
    ("variants/ways.py", include_str!("../templates/package/runtime/variants/ways.py")),
    ("variants/workers.py", include_str!("../templates/package/runtime/variants/workers.py")),
    ("wire.py", include_str!("../templates/package/runtime/wire.py")),
    ("worker.py", include_str!("../templates/package/runtime/worker.py")),
];

/// The runtime files that the committed package also has.
const SHARED: &[&str] = &[
    "__init__.py", "baselines.py", "binding.py", "checks.py", "default.py", "errors.py", "fallbacks.py", "health.py",
    "metrics.py", "variants/__init__.py", "variants/baseline.py", "variants/ways.py", "wire.py",
];

/// The files that only the committed package has.
const COMMITTED: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../templates/committed/init.py")),
    ("_place.py", include_str!("../templates/committed/place.py")),
    ("_tierup/tiers.py", include_str!("../templates/committed/tiers.py")),
];

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_valid_in_python() {
        let all = ["0.1.0", "1.2.0-alpha.1", "1.2.0-rc", "1.0.0-beta.x", "1.0.0-nightly", "1.0.0+build"].map(version);
        assert_eq!(all, ["0.1.0", "1.2.0a1", "1.2.0rc0", "1.0.0b0", "1.0.0.dev0", "1.0.0"]);
    }
}
