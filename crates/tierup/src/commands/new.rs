//! `tierup new`: creates a project that can be built and served at once.

use std::path::PathBuf;

use clap::Args;
use tierup_codegen::source::fill;
use tierup_codegen::{Files, Host, Scaffold};
use tierup_rows::stub;
use tierup_runner::Observer as _;

use super::starter::{SAMPLE, absolute, check_name, find_host, hot_crate, names_in, settings, write_new};
use tierup_project::enclosing;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// Create a project with a small hot function and a server
#[derive(Args)]
pub struct Arguments {
    /// The folder to create; its last part becomes the name of the crate and the package
    name: PathBuf,
    /// The host of the server
    #[arg(long)]
    host: String,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let folder = &arguments.name;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    check_name(&name)?;
    let host = find_host(&arguments.host)?;
    if !names_in(folder).is_empty() || folder.is_file() {
        return Err(Failure::usage(format!("`{}` already exists and is not empty", folder.display()))
            .hint("choose another name; use `tierup init` for an existing server"));
    }
    enclosing::check(&absolute(folder)?)?;
    write_new(&project(&name, host), folder)?;
    stub::write(&open(folder)?, &[host])?;
    let shown = folder.display();
    console
        .note(&format!("made {shown}: the function is in {shown}/src/lib.rs, the server in {shown}/{}", host.name()));
    console.note(&format!("next: tierup serve {shown} --host {} --tier 3", host.name()));
    Ok(())
}

fn project(name: &str, host: &dyn Host) -> Files {
    let readme = fill(include_str!("../../templates/new/README.md"), &[("host", host.name()), ("name", name)]);
    let scaffold = host.scaffold(name, SAMPLE);
    let mut files = hot_crate(name)
        .with("tierup.toml", settings(".", &host_table(name, host, &scaffold)))
        .with("requests.http", include_str!("../../templates/new/requests.http"))
        .with("README.md", readme)
        .with(".gitignore", include_str!("../../templates/new/gitignore"));
    files.extend_below(host.name(), scaffold.files);
    files
}

/// The table `[host.NAME]` of the scaffold.
fn host_table(package: &str, host: &dyn Host, scaffold: &Scaffold) -> String {
    let (name, Scaffold { start, baseline, .. }) = (host.name(), scaffold);
    let prepare = host.prepare(&format!("../{}", stub::own_folder(package, host)));
    let prepare = if prepare.is_empty() { String::new() } else { format!("prepare = {prepare:?}\n") };
    format!("[host.{name}]\n{prepare}start = {start:?}\n[host.{name}.baseline]\n\"0\" = {baseline:?}\n")
}
