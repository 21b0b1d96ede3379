//! The Dockerfile of a user's server. It copies what `tierup package` compiled, so that no image needs Rust.
//!
//! In: a project, a host, a system, a tier. Out: a [`ServerImage`], or why there is none; its files, once the package has a name.

use std::{collections::BTreeSet, path::Path};

use serde_json::json;
use tierup_codegen::{
    ByPath, Command, Files, Host, HostSettings, Image, InstallBy, Libc, Row, Server, System, Tier, Variant,
    healthcheck, quoted, source::fill,
};
use tierup_diagnostic::{Failure, Result};
use tierup_project::{FILE, Loaded, relative};

use crate::{
    Described,
    builder::impossible,
    server_folder::names_path,
    stub::{self, Standing},
};

/// An image that the user asks for: the system below the server, and the row that the server runs.
#[derive(Debug, Clone)]
pub struct ImageOrder {
    pub system: System,
    pub row: Row,
}

impl ImageOrder {
    pub fn tier(&self) -> Tier {
        match (&self.row, self.row.variant()) {
            (_, Some(variant)) => variant.tier(),
            (Row::Tier(tier), None) => *tier,
            _ => Tier::Baseline,
        }
    }
}

/// An image that can be made.
pub struct ServerImage {
    order: ImageOrder,
    /// The server's folder from the project's: `node`, or `.`.
    folder: String,
    settings: HostSettings,
    /// The host's part of the Dockerfile; `None` for the server in Rust.
    image: Option<Image>,
    /// The health check in its exec form, or why the image has none.
    healthcheck: std::result::Result<Vec<String>, String>,
    /// Folders on `PATH`.
    programs: Vec<String>,
    /// Names at any depth that are not copied, and paths: of what Rust needs or builds in the server's folder.
    ignored: BTreeSet<String>,
}

impl ServerImage {
    /// Starts the first line of each file.
    pub const MARK: &str = "Made by `tierup package";

    /// # Errors
    /// Why this project's server has no such image.
    pub fn new(loaded: &Loaded, host: &dyn Host, settings: &HostSettings, order: ImageOrder) -> Result<ServerImage> {
        let no = |reason: String| Failure::usage(format!("no image for {}: {reason}", host.title()));
        let (tier, is_static) = (order.tier(), order.system == System::Scratch);
        if tier == Tier::Server {
            let healthcheck = match (&loaded.project.server, order.system) {
                (Server::Generated, _) => Ok(["/server", "--ready"].map(str::to_owned).into()),
                (_, System::Scratch) => Err("nothing in this image can ask for it".to_owned()),
                (_, system) => Ok(healthcheck(system)),
            };
            let reason = impossible(loaded, host, Variant::Server);
            return reason.map_or(Ok(()), |reason| Err(no(reason))).map(|()| ServerImage {
                order,
                folder: ".".to_owned(),
                settings: settings.clone(),
                image: None,
                healthcheck,
                programs: Vec::new(),
                ignored: BTreeSet::new(),
            });
        }
        if tier == Tier::Baseline
            || is_static
            || matches!(order.row.variant(), Some(Variant::Bindgen | Variant::Component))
        {
            let hint = "an image of nothing but a program is for --tier 4; packages have 1:pool, 1:spawn, 2:core, 3:native and 3:async";
            return Err(no(format!("packages do not have {} on this system", order.row)).hint(hint));
        }
        if settings.start.is_empty() {
            return Err(no(format!("[host.{}] of {FILE} has no `start`", host.name())));
        }
        let folder = relative(&loaded.folder, &settings.folder);
        if folder.starts_with("..") {
            return Err(no(format!(
                "its server is in {folder}, outside the folder of {FILE}, whose files an image can have"
            )));
        }
        let image = host.image(&loaded.project, &Described(settings), order.system, tier).map_err(no)?;
        if image.is_alone && settings.prepare.is_empty() {
            return Err(no(format!("no `prepare` in {FILE} builds the server with the function")));
        }
        if stub::standing(loaded, host) != Standing::Current {
            return Err(no("the image's server takes the function from the committed package, which is missing or older than the function".into())
                .hint("run `tierup stub`, and let the server depend on what it writes"));
        }
        let is_ready = names_path(&settings.folder, "/readyz", ByPath { quoted: &[], plain: &["*"] });
        let healthcheck =
            if is_ready { Ok(image.healthcheck.clone()) } else { Err("no file of the server has /readyz".to_owned()) };
        let leaves = host.install(&Described(settings)).leaves;
        let programs = host.programs(&Described(settings));
        let environments = programs.iter().filter_map(|path| path.split('/').next().map(str::to_owned));
        let names = environments.chain([leaves]).filter(|name| !name.is_empty()).map(|name| format!("**/{name}"));
        let below = image.leaves.iter().map(|name| format!("{folder}/{name}").trim_start_matches('/').to_owned());
        let rust = [&loaded.project.crate_folder, &loaded.workspace_root].into_iter().filter_map(|rust| {
            let inside = rust.starts_with(&settings.folder).then(|| relative(&loaded.folder, rust))?;
            Some(if *rust == settings.folder {
                format!("{inside}/target").trim_start_matches('/').to_owned()
            } else {
                inside
            })
        });
        let ignored = names.chain(below).chain(rust).collect();
        let folder = if folder.is_empty() { ".".to_owned() } else { folder };
        // A Dockerfile has no one way to quote a path.
        if let Some(odd) = [&folder].into_iter().chain(&programs).chain(&image.manifests).find(|path| !is_plain(path)) {
            return Err(no(format!("a Dockerfile cannot name `{odd}`: its path has blanks or signs")));
        }
        Ok(ServerImage {
            order,
            folder,
            settings: settings.clone(),
            image: Some(image),
            healthcheck,
            programs,
            ignored,
        })
    }

    /// The C library of what is compiled for it.
    pub fn libc(&self) -> Libc {
        self.image.as_ref().map_or(self.order.system.libc(), |image| image.libc)
    }

    /// The options of `tierup package` that ask for it.
    pub fn options(&self) -> String {
        let system = match self.order.system {
            System::Debian => "debian",
            System::Alpine => "alpine",
            System::Scratch => "scratch",
        };
        format!("--image {system} --tier {}", self.order.row)
    }

    /// Whether it is the server in Rust.
    pub fn is_server(&self) -> bool {
        self.image.is_none()
    }

    /// The option by which `docker build` gets a secret, with a blank.
    pub fn secret(&self) -> String {
        let secret = self.image.as_ref().and_then(|image| image.secret);
        let option = secret.map(|(id, file)| format!("--secret id={id},src={} ", self.below(file)));
        option.unwrap_or_default()
    }

    /// A file of the server's folder, from the project's.
    fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.folder).trim_start_matches("./").to_owned()
    }

    /// `Dockerfile` and `.dockerignore`. `package`: the file from the project's folder, and what its files need. `command`: what makes
    /// both.
    ///
    /// # Errors
    /// The package is for another version of the language than the server.
    pub fn files(&self, package: &Path, needs: &[&str], command: &str) -> std::result::Result<Files, String> {
        let name = package.to_string_lossy().replace('\\', "/");
        let healthcheck = match &self.healthcheck {
            Ok(words) => format!("HEALTHCHECK --interval=10s --timeout=5s --start-period=15s CMD {}", json!(words)),
            Err(reason) => format!("# There is no HEALTHCHECK: {reason}."),
        };
        let Some(image) = &self.image else {
            let (run, kind) = match self.order.system {
                System::Debian => (DEBIAN, "the server in Rust"),
                System::Alpine => (ALPINE, "the server in Rust, linked statically"),
                System::Scratch => ("scratch", "the server in Rust, linked statically, which needs no other file"),
            };
            let values =
                [("command", command), ("healthcheck", &healthcheck), ("kind", kind), ("package", &name), ("run", run)];
            let dockerfile = fill(include_str!("../../templates/image/server.Dockerfile"), &values);
            return Ok(Files::new()
                .with("Dockerfile", dockerfile)
                .with(".dockerignore", format!("# {}`.\n*\n!{name}\n", Self::MARK)));
        };
        let version = image.version.as_ref().map(|version| version.chosen(needs, self.order.tier() != Tier::Cli));
        let version = version.transpose()?.unwrap_or_default();
        let [build, run_in] = [&image.build, &image.run].map(|name| name.replace("VERSION", &version));
        let place = if self.folder == "." { "/app".to_owned() } else { format!("/app/{}", self.folder) };
        let sources = format!("COPY {} ./\n", self.folder);
        let run = |commands: &[String]| commands.iter().map(|command| format!("RUN {command}\n")).collect::<String>();
        let command_of = |words: &[String]| Command::new(&words[0], words[1..].iter().map(String::as_str)).to_string();
        let install = match &self.settings.install {
            InstallBy::Nobody => String::new(),
            InstallBy::Command(words) => sources.clone() + &run(&[command_of(words)]),
            InstallBy::Found if image.manifests.is_empty() => String::new(),
            InstallBy::Found => {
                let from = image.manifests.iter().map(|name| self.below(name) + " ");
                format!("COPY {}./\n", from.collect::<String>()) + &run(&image.install)
            }
        };
        let trim: Vec<_> = image.trim.iter().cloned().collect();
        let (is_built, is_all) = (!self.settings.prepare.is_empty(), self.folder == ".");
        let mut prepare = if is_built || is_all { sources.clone() } else { String::new() };
        if is_built {
            let kept = image.downloads.map(|folder| format!("--mount=type=cache,target={folder} ")).unwrap_or_default();
            prepare += &run(&[kept + &command_of(&self.settings.prepare)]);
        }
        if is_all {
            prepare += &run(&[format!("rm {name}")]);
        }
        let path = self.programs.iter().map(|folder| format!("{place}/{folder}:")).collect::<String>();
        let dockerfile = fill(
            include_str!("../../templates/image/Dockerfile"),
            &[
                ("build", &build),
                ("command", command),
                ("file", package.file_name().unwrap_or_default().to_string_lossy().as_ref()),
                ("healthcheck", &healthcheck),
                ("install", &install),
                ("kept", if image.is_alone { &place } else { "/app" }),
                ("package", &name),
                ("path", &if path.is_empty() { path } else { format!(" PATH={path}$PATH") }),
                ("place", &place),
                ("prepare", &(prepare + &run(&trim))),
                ("run", &run_in),
                ("sources", if is_built || is_all { "" } else { &sources }),
                ("start", &json!(self.settings.start).to_string()),
                ("tier", &self.order.row.to_string()),
                ("unpack", &image.unpack),
                ("variables", image.variables),
            ],
        );
        // Without these lines, a builder gets the whole repository.
        let only = if is_all { String::new() } else { format!("*\n!tierup\n!{}\n", self.folder) };
        let secret = image.secret.map(|(_, file)| format!("**/{file}"));
        let names = ["**/.git", "**/.env*", "**/.netrc", "**/.pypirc", ".tierup"].map(str::to_owned);
        let ignored: Vec<_> = names.into_iter().chain(secret).chain(self.ignored.iter().cloned()).collect();
        let ignored = format!("# {}`.\n{only}{}\n!{name}\n", Self::MARK, ignored.join("\n"));
        Ok(Files::new().with("Dockerfile", dockerfile).with(".dockerignore", ignored))
    }
}

/// Whether shells, Dockerfiles and YAML read this path as it is.
pub fn is_plain(path: &str) -> bool {
    quoted(path) == path && !path.starts_with('-')
}

const DEBIAN: &str = "debian:bookworm-slim";
const ALPINE: &str = "alpine:3.22";

#[cfg(test)]
mod tests {
    use tierup_codegen::Version;

    use super::*;

    /// `Dockerfile` and `.dockerignore` of a server in `folder`.
    fn files(folder: &str, prepare: &[&str]) -> [String; 2] {
        let image = Image {
            build: "node:VERSION-bookworm".to_owned(),
            run: "node:VERSION-bookworm-slim".to_owned(),
            version: Some(Version { of: "Node", asked: None }),
            manifests: vec!["package.json".to_owned()],
            install: vec!["npm ci".to_owned()],
            secret: Some(("npmrc", ".npmrc")),
            downloads: Some("/root/.npm"),
            unpack: "tar".to_owned(),
            ..Image::of(System::Debian)
        };
        let settings = HostSettings {
            prepare: prepare.iter().map(|&word| word.to_owned()).collect(),
            start: vec!["node".to_owned(), "my server.js".to_owned()],
            ..HostSettings::default()
        };
        let image = ServerImage {
            order: ImageOrder { system: System::Debian, row: Row::Tier(Tier::Native) },
            folder: folder.to_owned(),
            settings,
            image: Some(image),
            healthcheck: Err("no file of the server has /readyz".to_owned()),
            programs: Vec::new(),
            ignored: ["**/node_modules".to_owned(), "hot".to_owned()].into(),
        };
        let files =
            image.files(Path::new("dist/slug-0.1.0.tgz"), &["libc.so.6", "Node 22"], "tierup package --image").unwrap();
        ["Dockerfile", ".dockerignore"].map(|name| String::from_utf8_lossy(files.get(name).unwrap()).into_owned())
    }

    #[test]
    fn a_builder_gets_the_server_and_the_package_without_secrets() {
        let [dockerfile, ignored] = files("apps/api", &[]);
        let (only, without) = ignored.split_once("**/.git\n").unwrap();
        assert_eq!(only, "# Made by `tierup package`.\n*\n!tierup\n!apps/api\n");
        for name in ["**/.env*\n", "**/.npmrc\n", "**/node_modules\n", "hot\n!dist/slug-0.1.0.tgz\n"] {
            assert!(without.contains(name), "{ignored}");
        }
        assert!(dockerfile.contains("COPY apps/api/package.json ./\nRUN npm ci\n"), "{dockerfile}");
        assert!(dockerfile.ends_with("CMD [\"node\",\"my server.js\"]\n"), "{dockerfile}");
    }

    #[test]
    fn the_package_is_not_copied_with_a_server_in_the_projects_folder() {
        for prepare in [&[][..], &["npm", "run", "build"]] {
            let [dockerfile, ignored] = files(".", prepare);
            assert!(dockerfile.contains("\nFROM node:22-bookworm AS build\n"), "{dockerfile}");
            let (build, run) = dockerfile.split_once("\nFROM node:22-bookworm-slim\n").unwrap();
            assert!(build.ends_with("RUN rm dist/slug-0.1.0.tgz\n"), "{dockerfile}");
            let builds = build.contains("RUN --mount=type=cache,target=/root/.npm npm run build\n");
            assert_eq!(builds, !prepare.is_empty(), "{dockerfile}");
            assert!(build.contains("COPY package.json ./\n") && !run.contains("COPY ."), "{dockerfile}");
            assert!(!ignored.contains("*\n!tierup"), "{ignored}");
        }
    }

    #[test]
    fn paths_that_mean_something_else_in_a_dockerfile_are_not_plain() {
        assert!(is_plain("apps/api-2.0") && is_plain("@acme/x"));
        for path in ["my server", "a$b", "--from=x", "a\nRUN id", "[slug]", "it's", "*", ""] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
