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
    let asks = |name: &str| folder.read(name).filter(|text| text.contains("requires-python"));
    let asked = asks("pyproject.toml").and_then(|text| text.split("requires-python").nth(1).map(str::to_owned));
    let python = pinned(&[folder.read(".python-version"), asked], 2, PYTHON);
    let (tag, environment) = (system.tag(), environment::read(folder));
    let slim = if system == System::Debian { "slim-" } else { "" };
    let is_list = |name: &String| name.starts_with("requirements") && name.ends_with(".txt");
    let install = [
        format!("python3 -m venv {environment}"),
        format!("{environment}/bin/python -m pip install --no-cache-dir --disable-pip-version-check -r {REQUIREMENTS}"),
    ];
    let ready =
        "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/readyz')";
    Ok(Image {
        build: format!("python:{python}-{tag}"),
        run: format!("python:{python}-{slim}{tag}"),
        libc: system.libc(),
        manifests: folder.names("").into_iter().filter(is_list).collect(),
        install: install.into(),
        // Unlike an archiver, pip marks programs as such.
        unpack: "python3 -m pip install --no-deps --no-cache-dir --target .tierup/python/src $PACKAGE".to_owned(),
        trim: None,
        is_alone: false,
        healthcheck: ["python3", "-c", ready].map(str::to_owned).into(),
    })
}

/// The version for a server that names none.
const PYTHON: &str = "3.13";
