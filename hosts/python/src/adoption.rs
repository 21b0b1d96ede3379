//! How an existing server comes to call the package: what to run, and the line to change in its source.

use tierup_codegen::{Command, Dependency, Project};

use crate::names;

/// `pip install -e ./.tierup/python[wasm]`: a link, so that what is built later is found.
pub(crate) fn dependency(way: &str) -> Dependency {
    // pip takes a path that does not start with `./` or `../` for the name of a package.
    let folder = if way.starts_with("../") { way.to_owned() } else { format!("./{way}") };
    let package = format!("{folder}[wasm]");
    Dependency {
        command: Command::new("pip", ["install", "-e", package.as_str()]),
        // Which environment the server runs in, and where that keeps its packages, only its interpreter knows.
        place: None,
    }
}

/// The lines that take a function from the package.
pub(crate) fn hint(project: &Project) -> String {
    let module = names::module(&project.interface.package);
    format!(
        "    import {module}\n    import your_module\n    rust = {module}.bind(baseline=your_module)\n\n\
         `rust.your_function(…)` answers at once, at every tier; in a coroutine, `await rust.your_function_async(…)` does, and\n\
         the tier decides whether in a thread. A `requirements.txt` that should get the package too names it in a line of its own.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pip_is_given_a_path() {
        let command = |way| dependency(way).command.to_string();
        assert_eq!(command(".tierup/python"), "pip install -e './.tierup/python[wasm]'");
        assert_eq!(command("../.tierup/python"), "pip install -e '../.tierup/python[wasm]'");
    }
}
