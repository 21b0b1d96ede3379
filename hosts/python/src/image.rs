//! Python's part of a server's Dockerfile.

use tierup_codegen::{Image, ServerFolder, System, pinned};

use crate::{
    environment,
    manager::{self, Manager, REQUIREMENTS},
};

/// The image of a server whose dependencies pip installs.
///
/// # Errors
/// If another program does.
pub(crate) fn image(folder: &dyn ServerFolder, system: System) -> Result<Image, String> {
    let found = manager::found(folder);
    if !matches!(found, Some((Manager::Pip, _))) {
        let by = found.map(|(manager, file)| format!("; this server has {manager:?} (by {file})"));
        return Err(format!("tierup writes Dockerfiles for pip with a {REQUIREMENTS}{}", by.unwrap_or_default()));
    }
    let is_asked = |line: &&str| line.starts_with("requires-python");
    let asked = folder.read("pyproject.toml").and_then(|text| text.lines().find(is_asked).map(str::to_owned));
    let python = pinned(&[folder.read(".python-version"), asked], 2, PYTHON);
    let environment = environment::read(folder);
    // Lists of requirements name other files, and the server's own package.
    let names_more = |line: &str| {
        ["-r", "--r", "-c", "--c", "-e .", "."].iter().any(|start| line.starts_with(start))
            && !["../", "./tierup/"].iter().any(|way| line.trim_start_matches("-e ").starts_with(way))
    };
    let needs_more = folder.read(REQUIREMENTS).is_some_and(|text| text.lines().any(|line| names_more(line.trim())));
    let install = [
        format!("python3 -m venv {environment}"),
        format!("{environment}/bin/python -m pip install --no-cache-dir --disable-pip-version-check -r {REQUIREMENTS}"),
    ];
    let ready =
        "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/readyz')";
    Ok(Image {
        build: format!("python:{python}-{}", system.tag()),
        run: format!("python:{python}-{}", system.slim_tag()),
        manifests: vec![if needs_more { "." } else { REQUIREMENTS }.to_owned()],
        install: install.into(),
        // Unlike an archiver, pip marks programs as such.
        unpack: "python3 -m pip install --no-deps --no-cache-dir --target .tierup/python/src $PACKAGE".to_owned(),
        healthcheck: ["python3", "-c", ready].map(str::to_owned).into(),
        // A log must not wait in a buffer.
        variables: " PYTHONUNBUFFERED=1",
        ..Image::of(system)
    })
}

/// The version for a server that names none.
const PYTHON: &str = "3.13";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::tests::InMemory;

    #[test]
    fn pip_has_the_files_that_a_list_names() {
        let manifests = |text: &'static str| {
            image(&InMemory::new([("requirements.txt", text)], ""), System::Debian).unwrap().manifests
        };
        assert_eq!(manifests("flask\n-e ../tierup/slug[wasm]\n"), ["requirements.txt"]);
        for more in ["-r requirements/base.txt", "-c constraints.txt", "-e .", "./lib"] {
            assert_eq!(manifests(more), ["."], "{more}");
        }
    }
}
