//! `tierup package --ci`: the file by which a forge makes the packages, tries them on each system, and publishes them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tierup_codegen::{Files, Forge, Host, Target, source::fill};
use tierup_project::{Loaded, relative, shown};
use tierup_rows::is_plain;

use super::image::write_own;
use crate::failure::{Failure, Result};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Ci {
    Github,
    Gitlab,
}

/// Writes the file into the repository. Returns its name.
pub(super) fn write(ci: Ci, loaded: &Loaded, host: &dyn Host, targets: &[Target], force: bool) -> Result<String> {
    let (forge, word, file) = match ci {
        Ci::Github => (Forge::GitHub, "github", ".github/workflows/package.yml"),
        Ci::Gitlab => (Forge::GitLab, "gitlab", ".gitlab-ci.yml"),
    };
    let pipeline = host.pipeline(&loaded.project, forge);
    let pipeline = pipeline.map_err(|why| Failure::usage(format!("no CI file for {}: {why}", host.title())))?;
    if loaded.project.health.is_none() {
        return Err(Failure::usage(
            "tierup.toml has no [health]: there is no answer that must be the same on each system",
        )
        .hint("`tierup health` finds its hash"));
    }
    let root = repository(&loaded.folder);
    let project = match relative(&root, &loaded.folder) {
        way if !way.is_empty() && !is_plain(&way) => {
            return Err(Failure::usage(format!("no CI file for `{way}`: its path has blanks or signs")));
        }
        way if way.is_empty() => way,
        way => format!("{way} "),
    };
    let names: Vec<_> = targets.iter().map(|target| target.name).collect();
    let runner =
        |(start, runner): &(&str, &'static str)| names.iter().any(|name| name.starts_with(start)).then_some(*runner);
    let runners: Vec<_> = RUNNERS.iter().filter_map(runner).collect();
    let [debian, alpine] = pipeline.images;
    let (targets, indent) = (names.join(","), if forge == Forge::GitHub { 8 } else { 6 });
    let call = pipeline.call.lines().map(|line| format!("{:indent$}{line}\n", "")).collect::<String>();
    let command = format!("tierup package --host {} --ci {word}", host.name());
    let shared = [
        ("call", &*call),
        ("command", &command),
        ("host", host.name()),
        ("project", &project),
        ("publish", pipeline.publish.trim_end()),
        ("registry", pipeline.registry),
        ("targets", &targets),
        ("version", env!("CARGO_PKG_VERSION")),
    ];
    let text = match forge {
        Forge::GitHub => {
            let step = format!(
                "      - name: The same on Alpine\n        if: runner.os == 'Linux'\n        \
                 run: docker run --rm --volume \"$PWD:/packages\" --workdir /packages {alpine} sh -c \"$CALL\"\n"
            );
            let is_tried = names.iter().any(|name| name.ends_with("-musl"));
            let own = [
                ("alpine", if is_tried { &*step } else { "" }),
                ("runners", &format!("[{}]", runners.join(", "))),
                ("setup", pipeline.setup),
            ];
            fill(include_str!("../../../templates/package/github.yml"), &[&shared[..], &own].concat())
        }
        Forge::GitLab => {
            let own = [("alpine", alpine), ("debian", debian)];
            fill(include_str!("../../../templates/package/gitlab.yml"), &[&shared[..], &own].concat())
        }
    };
    write_own(&Files::new().with(file, text), &root, force)?;
    Ok(shown(&root.join(file)))
}

/// GitHub's runners by the beginnings of targets' names.
const RUNNERS: [(&str, &str); 5] = [
    ("linux-x64", "ubuntu-24.04"),
    ("linux-arm64", "ubuntu-24.04-arm"),
    ("darwin-arm64", "macos-15"),
    ("darwin-x64", "macos-15-intel"),
    ("win32-x64", "windows-2025"),
];

/// The repository that a folder is in, or the folder.
fn repository(folder: &Path) -> PathBuf {
    folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(folder).to_owned()
}
