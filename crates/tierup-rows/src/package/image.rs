//! The Dockerfile of a user's server. It copies what `tierup package` compiled, so that no image needs Rust.
//!
//! In: a project, a host, a system, a tier. Out: a [`ServerImage`], or why there is none; its files, once the package has a name.

use std::{collections::BTreeSet, path::Path};

use serde_json::json;
use tierup_codegen::{
    ByPath, Command, Files, Host, HostSettings, Image, InstallBy, Libc, Row, Server, System, Tier, Variant,
    healthcheck, source::fill,
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
    /// Folders on `PATH`, and names that are not copied.
    programs: Vec<String>,
    ignored: BTreeSet<String>,
}

impl ServerImage {
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
        let folder = relative(&loaded.folder, &settings.folder);
        if folder.starts_with("..") {
            return Err(no(format!(
                "its server is in {folder}, outside the folder of {FILE}, whose files an image can have"
            )));
        }
        let image = host.image(&loaded.project, &Described(settings), order.system, tier).map_err(no)?;
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
        let ignored = environments.chain([leaves]).filter(|name| !name.is_empty()).collect();
        let folder = if folder.is_empty() { ".".to_owned() } else { folder };
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

    /// `Dockerfile` and `.dockerignore`. `package`: the file from the project's folder. `command`: what makes both.
    pub fn files(&self, package: &Path, command: &str) -> Files {
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
            return Files::new().with("Dockerfile", dockerfile).with(".dockerignore", format!("*\n!{name}\n"));
        };
        let place = if self.folder == "." { "/app".to_owned() } else { format!("/app/{}", self.folder) };
        let sources = format!("COPY {} ./\n", self.folder);
        let run = |commands: &[String]| commands.iter().map(|command| format!("RUN {command}\n")).collect::<String>();
        let command_of = |words: &[String]| Command::new(&words[0], words[1..].iter().map(String::as_str)).to_string();
        let install = match &self.settings.install {
            InstallBy::Nobody => String::new(),
            InstallBy::Command(words) => sources.clone() + &run(&[command_of(words)]),
            InstallBy::Found if image.manifests.is_empty() => String::new(),
            InstallBy::Found => {
                let from = image
                    .manifests
                    .iter()
                    .map(|name| format!("{}/{name} ", self.folder).trim_start_matches("./").to_owned());
                format!("COPY {}./\n", from.collect::<String>()) + &run(&image.install)
            }
        };
        let trim: Vec<_> = image.trim.iter().cloned().collect();
        let is_built = !self.settings.prepare.is_empty();
        let prepare =
            if is_built { sources.clone() + &run(&[command_of(&self.settings.prepare)]) } else { String::new() };
        let path = self.programs.iter().map(|folder| format!("{place}/{folder}:")).collect::<String>();
        let dockerfile = fill(
            include_str!("../../templates/image/Dockerfile"),
            &[
                ("build", &image.build),
                ("command", command),
                ("file", package.file_name().unwrap_or_default().to_string_lossy().as_ref()),
                ("healthcheck", &healthcheck),
                ("install", &install),
                ("kept", if image.is_alone { &place } else { "/app" }),
                ("package", &name),
                ("path", &if path.is_empty() { path } else { format!(" PATH={path}$PATH") }),
                ("place", &place),
                ("prepare", &(prepare + &run(&trim))),
                ("run", &image.run),
                ("sources", if is_built { "" } else { &sources }),
                ("start", &json!(self.settings.start).to_string()),
                ("tier", &self.order.row.to_string()),
                ("unpack", &image.unpack),
            ],
        );
        let ignored = self.ignored.iter().map(|name| format!("**/{name}\n")).collect::<String>();
        let ignored = format!(".git\n.tierup\n**/.env*\n**/target\n{ignored}");
        Files::new().with("Dockerfile", dockerfile).with(".dockerignore", ignored)
    }
}

const DEBIAN: &str = "debian:bookworm-slim";
const ALPINE: &str = "alpine:3.22";
