//! The driver: a program that reaches every variant and every baseline through the package (`docs/driver.md`).

use tierup_codegen::source::Source;
use tierup_codegen::{Command, Files, HostSettings};

use crate::codec::INDENT;
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
