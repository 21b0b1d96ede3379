//! The driver: a program that calls every variant and every baseline through the package (`docs/driver.md`).

use std::fmt::Write as _;

use tierup_codegen::{Command, Files, HostSettings, Project};

use crate::environment;
use crate::names;
use crate::package::generated;
use crate::source::literal;

/// The driver's files, below `.tierup/python/`, and the command that starts it from `.tierup/`.
pub(crate) fn driver(project: &Project, settings: &HostSettings) -> (Files, Command) {
    let files = Files::new()
        .with("driver/driver.py", include_str!("../templates/driver/driver.py"))
        .with("driver/project.py", self::project(project, settings));
    (files, Command::new("python3", ["python/driver/driver.py"]))
}

/// The files of a module: `shop.codes:encode` is in `shop/codes.py`, or in the package `shop/codes/`.
pub(crate) fn baseline_files(name: &str) -> Vec<String> {
    let module = name.split(':').next().unwrap_or_default().replace('.', "/");
    ["", "src/"].iter().flat_map(|root| [".py", "/__init__.py"].map(|end| format!("{root}{module}{end}"))).collect()
}

/// `project.py`: the server's settings.
fn project(project: &Project, settings: &HostSettings) -> String {
    let mut text = format!(
        "\"\"\"What tierup.toml says of the server.\"\"\"\n\nMODULE = {}\n\n\
         # The folder that has its modules.\nFOLDER = {}\n\n\
         # The server runs in the first of these environments that exists.\nENVIRONMENTS = [{}]\n\n\
         # The server's own functions by label; the one without a label is tier 0.\nBASELINES = {{\n",
        literal(&names::module(&project.interface.package)),
        literal(&settings.folder.display().to_string()),
        environment::candidates(&settings.start).iter().map(|name| literal(name)).collect::<Vec<_>>().join(", "),
    );
    for (label, name) in &settings.baselines {
        let _ = writeln!(text, "    {}: {},", literal(label.as_deref().unwrap_or_default()), literal(name));
    }
    generated(&(text + "}\n"))
}
