//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::source::Source;
use tierup_codegen::{Command, Files, HostSettings};

use crate::codec::INDENT;
use crate::names::literal;

/// The driver's files, below `.tierup/node/`, and the command that starts it in `.tierup/`.
pub(crate) fn driver(settings: &HostSettings) -> (Files, Command) {
    let files = Files::new()
        .with("driver/driver.mjs", include_str!("../templates/driver/driver.mjs"))
        .with("driver/baselines.mjs", baselines(settings));
    let mut words = loaders(settings);
    words.push("node/driver/driver.mjs".to_owned());
    (files, Command::new("node", words.iter().map(String::as_str)))
}

/// The files that Node may load for a module's name.
pub(crate) fn baseline_files(name: &str) -> Vec<String> {
    let endings = ["", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.ts"];
    endings.iter().map(|ending| format!("{name}{ending}")).collect()
}

/// Whether a command runs TypeScript directly.
pub(crate) fn runs_typescript(start: &[String]) -> bool {
    start.iter().flat_map(|word| word.split_whitespace()).any(is_typed)
}

fn is_typed(file: &str) -> bool {
    [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| file.ends_with(ending))
}

/// The options of the server's own Node that let it run TypeScript, if a baseline is such a file: `--import tsx`.
fn loaders(settings: &HostSettings) -> Vec<String> {
    const WITH_A_VALUE: &[&str] = &["--import", "--loader", "--require", "-r", "--conditions", "-C"];
    if !settings.baselines.iter().any(|(_, module)| is_typed(module)) {
        return Vec::new();
    }
    let words: Vec<&str> = settings.start.iter().flat_map(|word| word.split_whitespace()).collect();
    let mut found: Vec<String> = Vec::new();
    if words.contains(&"tsx") && !words.contains(&"--import") {
        found.extend(["--import", "tsx"].map(str::to_owned));
    }
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).filter(|_| WITH_A_VALUE.contains(word));
        match (next, word.split_once('=')) {
            (Some(value), _) => found.extend([word, value].map(|text| (*text).to_owned())),
            (None, Some((option, _))) if WITH_A_VALUE.contains(&option) => found.push((*word).to_owned()),
            _ => {}
        }
    }
    found
}

/// The module with the list of baselines: those that `[host.node.baseline]` names, relative to the server's folder.
fn baselines(settings: &HostSettings) -> String {
    let mut source = Source::new(INDENT);
    source.add("// Made by tierup from tierup.toml; changes here are lost at the next build.").gap(1).add(
        "
        /** The modules with the server's own functions, by label; the one without a label is tier 0. */
        export const baselines = {
        ",
    );
    for (label, module) in &settings.baselines {
        let label = literal(label.as_deref().unwrap_or_default());
        let path = literal(&settings.folder.join(module).display().to_string());
        source.add_inside(format!("{label}: {path},"));
    }
    source.add("};");
    source.into_text()
}

#[cfg(test)]
mod tests {
    use tierup_codegen::InstallBy;

    use super::*;

    #[test]
    fn a_typescript_baseline_is_loaded_as_the_server_loads_it() {
        let words = |module: &str, start: &str| {
            let start: Vec<String> = start.split(' ').map(str::to_owned).collect();
            let baselines = vec![(None, module.into())];
            let (folder, prepare) = ("/shop".into(), Vec::new());
            driver(&HostSettings { folder, install: InstallBy::Nobody, prepare, start, baselines })
                .1
                .arguments
                .join(" ")
        };
        let tsx = "node --import tsx --conditions=source src/server.ts";
        assert_eq!(words("src/price.ts", tsx), "--import tsx --conditions=source node/driver/driver.mjs");
        assert_eq!(words("src/price.ts", "npx tsx src/server.ts"), "--import tsx node/driver/driver.mjs");
        assert_eq!(words("dist/price.js", tsx), "node/driver/driver.mjs");
    }
}
