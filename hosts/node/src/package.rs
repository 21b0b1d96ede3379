//! The npm package: its entries, its manifest, and what runs it.

use askama::Template;
use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::{About, Command, Files, HostSettings, Machine, Pack, Parts, Project, Publishable, Target, source};
use tierup_model::Interface;

use crate::codec::{self, render};
use crate::names::{self, json, key, literal, sync};
use crate::{component, dts};

/// The longest name that npm's registry accepts, in characters.
const LONGEST_NAME: usize = 214;

/// The package's files, without built ones.
///
/// # Errors
/// npm or Node would not find a package with this name.
pub(crate) fn package(project: &Project, settings: &HostSettings) -> Result<Files, String> {
    let interface = &project.interface;
    let package = names::package(&interface.package)?;
    let named = &names::named(interface);
    let readme = ReadmeTemplate {
        package,
        docs: &interface.docs,
        // A reserved word of JavaScript can be a property, but not a variable.
        example: named.functions.iter().map(|one| &*one.name).find(|name| key(name) == *name).unwrap_or("…"),
        functions: &named.functions,
    };
    let mut files = Files::new()
        .with("package.json", manifest(package, interface, Kind::Linked))
        .with("README.md", render(&readme))
        .with("index.d.ts", dts::declarations(named))
        .with("index.mjs", module(named))
        .with("lib/own.js", own(settings))
        .with("lib/types.js", codec::types(project, named))
        .with("lib/variants/component.js", component::glue(named));
    for (name, content) in FIXED {
        files.add(*name, *content);
    }
    Ok(files)
}

/// The committed package, see [`tierup_codegen::Packaging::stub`].
///
/// # Errors
/// As [`package`].
pub(crate) fn committed(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let package = names::package(&interface.package)?;
    let named = &names::named(interface);
    let shared = FIXED.iter().filter(|(name, _)| SHARED.contains(name)).map(|(name, text)| (*name, (*text).to_owned()));
    let loaders = COMMITTED.iter().map(|(name, text)| (*name, (*text).to_owned()));
    let generated = [
        ("index.d.ts", dts::declarations(named)),
        ("index.mjs", module(named)),
        ("lib/types.js", codec::types(project, named)),
    ];
    let mut files = Files::new().with("package.json", manifest(package, interface, Kind::Committed));
    for (name, text) in shared.chain(loaders).chain(generated) {
        // This is for the linters and type checkers of the repository with the package.
        files.add(name, format!("/* eslint-disable */ // @ts-nocheck\n{}", source::committed(&text)));
    }
    Ok(files)
}

/// The package that others install: all files of [`package`], and the built files of each platform in a separate
/// folder, where `lib/built.js` looks for them. If it is split, these folders are in packages of their own, on which it
/// depends; they come first.
///
/// # Errors
/// As [`package`], and if npm's registry would not accept a package with this name.
pub(crate) fn publishable(project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
    let interface = &project.interface;
    let package = names::package(&interface.package)?;
    let split = split(package, parts);
    for name in split.iter().map(|(name, _)| &**name).chain([package]) {
        if name.len() > LONGEST_NAME || name.contains(|c: char| c.is_ascii_uppercase()) {
            return Err(format!(
                "npm publishes no package called `{name}`: a name has no capitals, and at most {LONGEST_NAME} characters"
            ));
        }
    }
    let own = self::package(project, &HostSettings::default())?;
    let own = own.with_other("package.json", manifest(package, interface, Kind::Published(parts)));
    let place = |target: &Target, name: &str| {
        format!("artifacts/{}/{}", target.name, name.strip_prefix("artifacts/").unwrap_or(name))
    };
    let files = parts.files(&own, |target, name| (!parts.is_split).then(|| place(target, name)));
    let packed = |name: &str, files, trial, only_for| {
        let pack = Pack::Run(Command::new("npm", ["pack", "--silent", "--pack-destination", ".."]));
        Publishable { file: format!("{name}-{}.tgz", interface.version), files, pack, trial, only_for }
    };
    let mut all: Vec<_> = split
        .iter()
        .map(|(name, target)| {
            let own = Files::new().with("package.json", platform_manifest(name, interface, parts.about, target));
            let alone = Parts { common: &Files::new(), ..*parts };
            let files = alone.files(&own, |one, name| (*one == **target).then(|| place(one, name)));
            packed(name, files, Vec::new(), Some(**target))
        })
        .collect();
    let this = Machine::this();
    let is_here = |target: &Target| (target.machine().os, &target.machine().arch) == (this.os, &this.arch);
    let here = split.iter().filter(|(_, target)| is_here(target)).map(|(name, _)| &**name);
    let files_here = [package].into_iter().chain(here).map(|name| format!("./{name}-{}.tgz", interface.version));
    let install = ["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock"].map(str::to_owned);
    let install = install.into_iter().chain(files_here).collect::<Vec<_>>();
    let call = |tier: &str| {
        let check = if project.health.is_some() { "checkHealth" } else { "ready" };
        let script = format!(
            "const rust = require({}).with({{ tier: '{tier}' }}); rust.ready().then(rust.{check}).then(rust.close)",
            json(package)
        );
        Command::new("node", ["-e", &*script])
    };
    let install = Command::new("npm", install.iter().map(String::as_str));
    all.push(packed(package, files, [install].into_iter().chain(parts.tried().map(call)).collect(), None));
    Ok(all)
}

/// The names of the packages with one platform's files, as other native packages of npm have them.
fn split<'a>(package: &str, parts: &'a Parts<'_>) -> Vec<(String, &'a Target)> {
    let targets = parts.targets.iter().filter(|_| parts.is_split);
    targets.map(|target| (format!("{package}-{}", target.name), target)).collect()
}

/// npm installs the package only on its system and processor. It does not ask for the C library: `lib/built.js` tries which
/// file loads.
fn platform_manifest(name: &str, interface: &Interface, about: &About, target: &Target) -> String {
    let mut words = target.name.split('-');
    let manifest = serde_json::json!({
        "name": name,
        "version": interface.version,
        "description": format!("The files of {} for {}", interface.package, target.name),
        "license": about.license,
        "repository": about.repository.as_deref().map(repository),
        "os": [words.next()],
        "cpu": [words.next()],
        "preferUnplugged": true,
    });
    format!("{manifest:#}\n")
}

/// The users of a package.
#[derive(Clone, Copy)]
enum Kind<'a> {
    /// The server beside the package.
    Linked,
    /// The server, if nothing has been built.
    Committed,
    /// Others, who install the package.
    Published(&'a Parts<'a>),
}

fn manifest(package: &str, interface: &Interface, kind: Kind<'_>) -> String {
    let docs = interface.docs.lines().next().unwrap_or_default();
    let about = if let Kind::Published(parts) = kind { Some(parts.about) } else { None };
    let manifest = ManifestTemplate {
        package: json(package),
        version: json(&interface.version),
        description: json(about.map_or(docs, |about| &about.description)),
        about: about
            .map(|about| (json(&about.license), about.repository.as_deref().map(|url| repository(url).to_string()))),
        is_committed: matches!(kind, Kind::Committed),
        platforms: if let Kind::Published(parts) = kind {
            split(package, parts).iter().map(|(name, _)| json(name)).collect()
        } else {
            Vec::new()
        },
    };
    render(&manifest) + "\n"
}

fn repository(url: &str) -> serde_json::Value {
    // Other addresses, such as `git@example.com:me/repository`, need no prefix for git.
    let needs_prefix = ["http://", "https://", "ssh://"].iter().any(|scheme| url.starts_with(scheme));
    let prefix = if needs_prefix { "git+" } else { "" };
    serde_json::json!({ "type": "git", "url": format!("{prefix}{url}") })
}

/// `index.mjs`.
fn module(named: &Named<'_>) -> String {
    let properties = named.functions.iter().map(|function| (function.name.clone(), sync(&function.name))).collect();
    render(&ModuleTemplate { properties })
}

/// `own.js`: the module with the server's own functions, for the threads of `0:workers`.
fn own(settings: &HostSettings) -> String {
    let module = settings.baselines.iter().find(|(label, _)| label.is_none());
    let path = module.map(|(_, module)| literal(&settings.folder.join(module).display().to_string()));
    let path = path.unwrap_or_else(|| "null".to_owned());
    format!(
        "// Made by tierup from tierup.toml; changes here are lost at the next build.\n'use strict';\n\n\
         /** The module with the server's own functions: \"0\" of [host.node.baseline]; null if it names none. */\n\
         const ownModule = {path};\n\nmodule.exports = {{ ownModule }};\n"
    )
}

/// The files that are the same in every package.
const FIXED: &[(&str, &str)] = &[
    ("bin.js", include_str!("../templates/package/bin.js")),
    ("index.d.cts", include_str!("../templates/package/index.d.cts")),
    ("index.d.mts", include_str!("../templates/package/index.d.mts")),
    ("index.js", include_str!("../templates/package/index.js")),
    ("lib/answers.js", include_str!("../templates/package/lib/answers.js")),
    ("lib/baselines.js", include_str!("../templates/package/lib/baselines.js")),
    ("lib/binding.js", include_str!("../templates/package/lib/binding.js")),
    ("lib/built.js", include_str!("../templates/package/lib/built.js")),
    ("lib/call.js", include_str!("../templates/package/lib/call.js")),
    ("lib/checks.js", include_str!("../templates/package/lib/checks.js")),
    ("lib/companion.js", include_str!("../templates/package/lib/companion.js")),
    ("lib/copies.js", include_str!("../templates/package/lib/copies.js")),
    ("lib/counts.js", include_str!("../templates/package/lib/counts.js")),
    ("lib/deaths.js", include_str!("../templates/package/lib/deaths.js")),
    ("lib/desk.js", include_str!("../templates/package/lib/desk.js")),
    ("lib/errors.js", include_str!("../templates/package/lib/errors.js")),
    ("lib/fallbacks.js", include_str!("../templates/package/lib/fallbacks.js")),
    ("lib/frames.js", include_str!("../templates/package/lib/frames.js")),
    ("lib/health.js", include_str!("../templates/package/lib/health.js")),
    ("lib/kept.js", include_str!("../templates/package/lib/kept.js")),
    ("lib/keys.js", include_str!("../templates/package/lib/keys.js")),
    ("lib/limits.js", include_str!("../templates/package/lib/limits.js")),
    ("lib/maps.js", include_str!("../templates/package/lib/maps.js")),
    ("lib/memory.js", include_str!("../templates/package/lib/memory.js")),
    ("lib/metrics.js", include_str!("../templates/package/lib/metrics.js")),
    ("lib/own_thread.js", include_str!("../templates/package/lib/own_thread.js")),
    ("lib/own_worker.js", include_str!("../templates/package/lib/own_worker.js")),
    ("lib/parallelism.js", include_str!("../templates/package/lib/parallelism.js")),
    ("lib/processes.js", include_str!("../templates/package/lib/processes.js")),
    ("lib/queue.js", include_str!("../templates/package/lib/queue.js")),
    ("lib/recording.js", include_str!("../templates/package/lib/recording.js")),
    ("lib/rollout.js", include_str!("../templates/package/lib/rollout.js")),
    ("lib/pairs.js", include_str!("../templates/package/lib/pairs.js")),
    ("lib/rollout_file.js", include_str!("../templates/package/lib/rollout_file.js")),
    ("lib/shadow.js", include_str!("../templates/package/lib/shadow.js")),
    ("lib/tiers.js", include_str!("../templates/package/lib/tiers.js")),
    ("lib/variants/async.js", include_str!("../templates/package/lib/variants/async.js")),
    ("lib/variants/baseline.js", include_str!("../templates/package/lib/variants/baseline.js")),
    ("lib/variants/bindgen.js", include_str!("../templates/package/lib/variants/bindgen.js")),
    ("lib/variants/core.js", include_str!("../templates/package/lib/variants/core.js")),
    ("lib/variants/free.js", include_str!("../templates/package/lib/variants/free.js")),
    ("lib/variants/memo.js", include_str!("../templates/package/lib/variants/memo.js")),
    ("lib/variants/native.js", include_str!("../templates/package/lib/variants/native.js")),
    ("lib/variants/pool.js", include_str!("../templates/package/lib/variants/pool.js")),
    ("lib/variants/spawn.js", include_str!("../templates/package/lib/variants/spawn.js")),
    ("lib/variants/workers.js", include_str!("../templates/package/lib/variants/workers.js")),
    ("lib/wire.js", include_str!("../templates/package/lib/wire.js")),
    ("lib/worker.js", include_str!("../templates/package/lib/worker.js")),
];

/// The fixed files that are also in the committed package.
const SHARED: &[&str] = &[
    "index.d.cts", "index.d.mts", "lib/baselines.js", "lib/binding.js", "lib/checks.js", "lib/errors.js",
    "lib/fallbacks.js", "lib/health.js", "lib/maps.js", "lib/metrics.js", "lib/variants/baseline.js", "lib/wire.js",
];

/// Files that only the committed package has. Its `tier0.js` is the built package's `index.js`.
const COMMITTED: &[(&str, &str)] = &[
    ("index.js", include_str!("../templates/committed/index.js")),
    ("lib/place.js", include_str!("../templates/committed/place.js")),
    ("lib/tiers.js", include_str!("../templates/committed/tiers.js")),
    ("tier0.js", include_str!("../templates/package/index.js")),
];

#[derive(Template)]
#[template(path = "package/package.json", escape = "none")]
struct ManifestTemplate {
    package: String,
    version: String,
    description: String,
    /// Licence and repository of the published package.
    about: Option<(String, Option<String>)>,
    /// Whether this is the committed package.
    is_committed: bool,
    /// The names of the packages with one platform's files.
    platforms: Vec<String>,
}

#[derive(Template)]
#[template(path = "package/README.md", escape = "none")]
struct ReadmeTemplate<'a> {
    package: &'a str,
    docs: &'a str,
    example: &'a str,
    functions: &'a [NamedFunction<'a>],
}

#[derive(Template)]
#[template(path = "package/index.mjs", escape = "none")]
struct ModuleTemplate {
    /// For each function, the property that returns a Promise, and the one that returns the answer.
    properties: Vec<(String, String)>,
}
