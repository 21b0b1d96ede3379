//! The package: classes generated for the project, and classes that are the same in every package.

use serde_json::json;
use tierup_codegen::source::{fill, fill_shared, paragraphs};
use tierup_codegen::{About, Files, Project};

use crate::{codec, definitions, functions, names};

/// The package's files, without anything built, below `.tierup/php/`.
pub(crate) fn package(project: &Project) -> Files {
    let interface = &project.interface;
    let namespace = names::namespace(&interface.package);
    let named = &names::named(interface);
    let symbol = functions::symbol(named).to_uppercase();
    let sandbox = functions::sandbox_symbol(named).to_uppercase();
    let filled =
        |text: &str| fill_shared(text, &[("namespace", &namespace), ("sandbox", &sandbox), ("symbol", &symbol)]);
    let mut own = definitions::types(named)
        .with("Rust.php", functions::rust(named, &filled(include_str!("../templates/package/rust.php"))))
        .with("Pool.php", filled(include_str!("../templates/package/Pool.php")))
        .with("Internal/Calls.php", codec::calls(project, named))
        .with("Internal/Encoded.php", functions::encoded(named))
        .with("Internal/Native.php", functions::native(named))
        .with("Internal/Sandboxed.php", functions::sandboxed(named))
        .with("Internal/Baseline.php", functions::baseline(named))
        .with("Internal/Free.php", functions::free(named))
        .with("Internal/Memoized.php", functions::memoized(named))
        .with("Internal/Rolled.php", functions::rolled(named, &project.pure));
    for (name, parent, docs) in EXCEPTIONS {
        own.add(format!("{name}.php"), exception(&namespace, name, parent, docs));
    }
    for (name, text) in INTERNAL {
        own.add(format!("Internal/{name}"), filled(text));
    }
    let mut files = Files::new()
        .with("README.md", readme(project, &built_here(&interface.package)))
        .with("autoload.php", filled(include_str!("../templates/package/autoload.php")))
        .with("composer.json", manifest(project, None));
    files.extend_below("src", own);
    files
}

/// How a server loads the package and its extensions, for the README: where it was built.
fn built_here(package: &str) -> [(&'static str, String); 2] {
    let composer = names::composer(package);
    let autoload = format!(
        "require __DIR__ . '/../.tierup/php/autoload.php';   // or Composer: a `path` repository, and `{composer}`"
    );
    let extension = "`extension=/path/to/artifacts/native.so`, or `core.so` for the next";
    [("autoload", autoload), ("extension", extension.to_owned())]
}

/// `README.md`, with how a server loads the package.
pub(crate) fn readme(project: &Project, loads: &[(&str, String)]) -> String {
    let interface = &project.interface;
    let named = names::named(interface);
    let (docs, namespace) = (paragraphs(&interface.docs), names::namespace(&interface.package));
    let example = named.functions.first().map_or("…", |function| &*function.name);
    let own = [("docs", &*docs), ("example", example), ("namespace", &namespace), ("package", &interface.package)];
    let all: Vec<_> = own.into_iter().chain(loads.iter().map(|(name, value)| (*name, &**value))).collect();
    fill(include_str!("../templates/package/README.md"), &all)
}

/// The published package's program that names its extension.
pub(crate) fn script(package: &str) -> String {
    format!("bin/{package}-extension")
}

/// `composer.json`; of the published package, if there is something to say of the crate.
pub(crate) fn manifest(project: &Project, about: Option<&About>) -> String {
    let interface = &project.interface;
    let namespace = names::namespace(&interface.package);
    let docs = interface.docs.lines().next().unwrap_or_default();
    let mut manifest = json!({
        "name": names::composer(&interface.package),
        "description": about.map_or(docs, |about| &about.description),
        "version": version(&interface.version),
        "type": "library",
        "license": about.map_or_else(|| vec!["proprietary"], About::choices),
        "require": { "php": ">=8.2" },
        "suggest": { "ext-apcu": "0:memo needs it", "ext-posix": "1:pool in a server needs it" },
        "autoload": { "psr-4": { format!("{namespace}\\"): "src/" } },
    });
    if let Some(about) = about {
        manifest["bin"] = json!([script(&interface.package)]);
        if let Some(url) = &about.repository {
            manifest["support"] = json!({ "source": url });
        }
    }
    format!("{manifest:#}\n")
}

/// Cargo's version in Composer's form. Labels that Composer does not know are left out.
pub(crate) fn version(cargo: &str) -> String {
    let plain = cargo.split('+').next().unwrap_or_default();
    let (numbers, label) = plain.split_once('-').unwrap_or((plain, ""));
    let word = label.split('.').next().unwrap_or_default();
    if matches!(word, "alpha" | "beta" | "rc") { plain.to_owned() } else { numbers.to_owned() }
}

fn exception(namespace: &str, name: &str, parent: &str, docs: &str) -> String {
    format!(
        "<?php\n\n// Made by tierup; the same in every package.\n\ndeclare(strict_types=1);\n\nnamespace {namespace};\n\n\
         /** {docs} */\nclass {name} extends {parent}\n{{\n}}\n"
    )
}

/// The exceptions of calls: class, parent, meaning. Unfit arguments are a TypeError or ValueError.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("RustException", "\\RuntimeException", "What all exceptions of this package are."),
    ("CallException", "RustException", "The function itself returned an error, with its message."),
    ("PanicException", "RustException", "The function panicked. The next call is unharmed."),
    (
        "TransportException",
        "RustException",
        "The call or its answer was lost: a process died, or a binary is out of date.",
    ),
    ("CallTimeoutException", "TransportException", "The call was not answered within TIERUP_CALL_TIMEOUT."),
    ("UnavailableException", "RustException", "A variant cannot run here, and why."),
    (
        "HealthException",
        "RustException",
        "The golden call of `[health]` in `tierup.toml` failed, or its answer is wrong.",
    ),
];

/// The files that are the same in every package, except for its name.
const INTERNAL: &[(&str, &str)] = &[
    ("Answer.php", include_str!("../templates/package/Internal/Answer.php")),
    ("Built.php", include_str!("../templates/package/Internal/Built.php")),
    ("Connection.php", include_str!("../templates/package/Internal/Connection.php")),
    ("Control.php", include_str!("../templates/package/Internal/Control.php")),
    ("Copies.php", include_str!("../templates/package/Internal/Copies.php")),
    ("Counts.php", include_str!("../templates/package/Internal/Counts.php")),
    ("Extension.php", include_str!("../templates/package/Internal/Extension.php")),
    ("Health.php", include_str!("../templates/package/Internal/Health.php")),
    ("InFlight.php", include_str!("../templates/package/Internal/InFlight.php")),
    ("Kept.php", include_str!("../templates/package/Internal/Kept.php")),
    ("Limits.php", include_str!("../templates/package/Internal/Limits.php")),
    ("Mark.php", include_str!("../templates/package/Internal/Mark.php")),
    ("Memo.php", include_str!("../templates/package/Internal/Memo.php")),
    ("MemoCounts.php", include_str!("../templates/package/Internal/MemoCounts.php")),
    ("Mismatch.php", include_str!("../templates/package/Internal/Mismatch.php")),
    ("Own.php", include_str!("../templates/package/Internal/Own.php")),
    ("Pairs.php", include_str!("../templates/package/Internal/Pairs.php")),
    ("Place.php", include_str!("../templates/package/Internal/Place.php")),
    ("Process.php", include_str!("../templates/package/Internal/Process.php")),
    ("Quiet.php", include_str!("../templates/package/Internal/Quiet.php")),
    ("Reader.php", include_str!("../templates/package/Internal/Reader.php")),
    ("Recorded.php", include_str!("../templates/package/Internal/Recorded.php")),
    ("Roll.php", include_str!("../templates/package/Internal/Roll.php")),
    ("Rollout.php", include_str!("../templates/package/Internal/Rollout.php")),
    ("Shadow.php", include_str!("../templates/package/Internal/Shadow.php")),
    ("Sockets.php", include_str!("../templates/package/Internal/Sockets.php")),
    ("Spawn.php", include_str!("../templates/package/Internal/Spawn.php")),
    ("Stream.php", include_str!("../templates/package/Internal/Stream.php")),
    ("Tiers.php", include_str!("../templates/package/Internal/Tiers.php")),
    ("Variant.php", include_str!("../templates/package/Internal/Variant.php")),
    ("Wire.php", include_str!("../templates/package/Internal/Wire.php")),
    ("Workers.php", include_str!("../templates/package/Internal/Workers.php")),
];

/// The built files, and the parts that only variants in Rust need.
pub(crate) const BUILT: [&str; 13] = [
    "artifacts/", "built.json", "src/Internal/Connection.php", "src/Internal/Encoded.php", "src/Internal/InFlight.php",
    "src/Internal/Native.php", "src/Internal/Process.php", "src/Internal/Sandboxed.php", "src/Internal/Sockets.php",
    "src/Internal/Spawn.php", "src/Internal/Stream.php", "src/Internal/Variant.php", "src/Internal/Workers.php",
];

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_valid_for_composer() {
        assert_eq!(
            ["0.1.0", "1.2.0-rc.1", "1.0.0-nightly", "1.0.0+x"].map(version),
            ["0.1.0", "1.2.0-rc.1", "1.0.0", "1.0.0"]
        );
    }
}
