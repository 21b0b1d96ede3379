//! Tests that compile nothing: which files are generated, which rows there are, how a failed build is explained.

mod assembling;
mod building;
mod choosing;
mod committed;
mod shadowing;

use std::{fs, path::Path, sync::Arc};

use tempfile::TempDir;
use tierup_codegen::Host;
use tierup_project::{Loaded, open};

use crate::rows::ProjectHost;

const MANIFEST: &str = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const SOURCE: &str =
    "pub fn shout(text: &str) -> String { text.into() }\npub fn fast(text: &str) -> String { text.into() }\n";

/// A project of these hosts. `more` is added to the settings of `[function]`.
fn project(hosts: &[&'static dyn Host], more: &str) -> (TempDir, Arc<Loaded>) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = format!("[function]\ncrate = \".\"\nexport = [\"shout\"]\n{more}");
    for host in hosts {
        let name = host.name();
        write(folder.path(), &[(&format!("{name}/server.txt"), "")]);
        settings.push_str(&format!("[host.{name}]\nstart = [\"false\"]\n[host.{name}.baseline]\n\"0\" = \"old\"\n"));
        settings.push_str("\"0:tuned\" = \"tuned\"\n");
    }
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE), ("tierup.toml", &settings)]);
    let loaded = reopened(folder.path(), hosts);
    (folder, loaded)
}

fn reopened(folder: &Path, hosts: &[&'static dyn Host]) -> Arc<Loaded> {
    Arc::new(open(folder, hosts).unwrap())
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn at<'a>(loaded: &'a Arc<Loaded>, host: &'static dyn Host) -> ProjectHost<'a> {
    ProjectHost { loaded, host, settings: loaded.host(host.name()).unwrap() }
}

const ROUTE: &str = "[[route]]\nrequest = \"GET /shout?text={text}\"\ncall = \"shout\"\n";
