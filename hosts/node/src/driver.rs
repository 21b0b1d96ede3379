//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use std::fmt::Write as _;

use tierup_codegen::{Command, Files, HostSettings};

use crate::names::literal;

/// Its files, below `.tierup/node/`, and the command that starts it, in `.tierup/`.
pub(crate) fn driver(settings: &HostSettings) -> (Files, Command) {
    let files = Files::new()
        .with("driver/driver.mjs", include_str!("../templates/driver/driver.mjs"))
        .with("driver/baselines.mjs", baselines(settings));
    (files, Command::new("node", ["node/driver/driver.mjs"]))
}

/// Where the server's own functions are: the modules that `[host.node.baseline]` names, from the server's folder.
fn baselines(settings: &HostSettings) -> String {
    let mut text = String::from(
        "// Made by tierup from tierup.toml; changes here are lost at the next build.\n\n\
         /** The modules with the server's own functions, by label; the one without a label is tier 0. */\n\
         export const baselines = {\n",
    );
    for (label, module) in &settings.baselines {
        let label = literal(label.as_deref().unwrap_or_default());
        let path = literal(&settings.folder.join(module).display().to_string());
        let _ = writeln!(text, "  {label}: {path},");
    }
    text + "};\n"
}
