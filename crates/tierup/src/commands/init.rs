//! `tierup init`: adds a project to an existing server's repository. It changes no existing file.

mod folders;
mod function;

use std::path::{Path, PathBuf};

use clap::Args;
use tierup_codegen::{Add, Files, Host, Scaffold};
use tierup_rows::{
    Described, OnDisk,
    stub::{self, Standing},
};
use tierup_runner::Observer as _;

use self::function::ForFunction;
use super::starter::{SAMPLE, absolute, argument, find_host, hot_crate, names_in, settings, write_new};
use tierup_project::{Loaded, enclosing, shown};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
};

/// Add tierup to an existing server
#[derive(Args)]
pub struct Arguments {
    /// The server's folder
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The server's host [default: detected from its files]
    #[arg(long)]
    host: Option<String>,
    #[command(flatten)]
    function: ForFunction,
}

/// The hot crate's folder and name.
const HOT: &str = "hot";

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let folder = &arguments.folder;
    if let Some(function) = &arguments.function.function {
        return arguments.function.make(function, folder, arguments.host.as_deref(), console);
    }
    let names = names_in(folder);
    let host = match &arguments.host {
        Some(name) => find_host(name)?,
        None => detect(folder, &names)?,
    };
    let mut files = Files::new().with("tierup.toml", settings(HOT, &host_table(host, folder, &names)));
    files.extend_below(HOT, hot_crate(HOT).with(".gitignore", "/target\n"));
    // Checked before anything is written.
    enclosing::check(&absolute(folder)?)?;
    stub::check_free(&folder.join(stub::folder(HOT)))?;
    write_new(&files, folder)?;
    let loaded = open(folder)?;
    console.note(&created(&loaded, host, folder, HOT)?);
    console.data(&next_steps(&loaded, host, folder)?)
}

/// Writes the package to commit, if the host has one, and describes the created files.
fn created(loaded: &Loaded, host: &dyn Host, folder: &Path, hot: &str) -> Result<String> {
    let inside = inside(folder);
    let made = match stub::make(loaded, host) {
        Ok(_) => {
            stub::write(loaded, &[host])?;
            format!("{inside}tierup.toml, {inside}{hot}/ and {inside}{}/", stub::folder(hot))
        }
        Err(_) => format!("{inside}tierup.toml and {inside}{hot}/"),
    };
    Ok(format!("created {made} for {}; nothing else was changed\n", host.title()))
}

/// The prefix of paths within a folder, empty for the current one.
fn inside(folder: &Path) -> String {
    if folder == Path::new(".") { String::new() } else { folder.join("").display().to_string() }
}

/// The next steps, in order, with commands ready to run.
fn next_steps(loaded: &Loaded, host: &dyn Host, folder: &Path) -> Result<String> {
    let (_, settings) = loaded.asked_host(host.name())?;
    let project = argument(folder);
    let inside = inside(folder);
    let package = format!("{inside}{}/", stub::folder(HOT));
    let (build, add, stub) = match stub::standing(loaded, host) {
        Standing::Missing => ("Build it".to_owned(), "Add the generated package to the server", String::new()),
        _ => {
            let option = if project.is_empty() { String::new() } else { format!(" --project{project}") };
            (
                format!("Build it, and bring {package} up to date"),
                "Commit that package, and add it to the server",
                format!("\n       tierup stub{option}"),
            )
        }
    };
    let way = stub::package_way(loaded, host, settings);
    let dependency = host.dependency(&loaded.project, &way, &Described(settings));
    let depend = match dependency.add {
        Add::Run(command) => command.to_string(),
        Add::Lines { file, lines } => format!("in {file}:\n\n{lines}").replace('\n', "\n       "),
    };
    let there = if project.is_empty() { String::new() } else { format!(", in {}", folder.display()) };
    let hint = host.adoption_hint(&loaded.project, &way, &Described(settings));
    let hint: String = hint.lines().map(|line| format!("   {line}").trim_end().to_owned() + "\n").collect();
    Ok(format!(
        "1. Write your function in {inside}{HOT}/src/lib.rs, in place of `slugify`. In {inside}tierup.toml, replace the
   values of the sample: `export`; `start`, if your server starts differently; `request`, `call` and `max_bytes` of
   [[route]], `request` and `sha256` of [health]. Or remove [[route]] and [health] until you need them.

2. {build}:

       tierup build{project} --tiers 3{stub}

3. {add}{there}:

       {depend}

4. In the server, take the function from the package, and pass its present function as tier 0:

{hint}
5. Serve it, before and after:

       tierup serve{project} --tier 0
       tierup serve{project} --tier 3"
    ))
}

fn detect(folder: &Path, names: &[String]) -> Result<&'static dyn Host> {
    let found: Vec<_> = hosts::all().into_iter().filter(|host| host.detects(names)).collect();
    let list = |hosts: &[&dyn Host]| hosts.iter().map(|host| host.name()).collect::<Vec<_>>().join(", ");
    match &found[..] {
        [host] => Ok(*host),
        [] => {
            let failure = Failure::usage("found no server of a supported host here");
            let mut below = folders::below(folder);
            below.iter_mut().for_each(|(place, _)| *place = place.strip_prefix(".").unwrap_or(place).to_owned());
            let [(first, _), ..] = &below[..] else {
                return Err(failure.hint(format!("choose the host with --host: {}", list(&hosts::all()))));
            };
            let all: Vec<_> =
                below.iter().map(|(place, host)| format!("{} ({})", shown(place), host.title())).collect();
            Err(failure.hint(format!("these folders hold one: {}; e.g. tierup init {}", all.join(", "), shown(first))))
        }
        several => Err(Failure::usage("more than one host was found here")
            .hint(format!("choose one with --host: {}", list(several)))),
    }
}

/// How a server is built and started.
struct Start {
    prepare: Vec<String>,
    start: Vec<String>,
}

/// The table `[host.NAME]`.
fn host_table(host: &dyn Host, folder: &Path, names: &[String]) -> String {
    let Start { prepare, start } = start_of(host, folder, names, &stub::own_folder(HOT, host));
    let prepare = if prepare.is_empty() { String::new() } else { format!("prepare = {prepare:?}\n") };
    format!("[host.{}]\nfolder = \".\"\n{prepare}start = {start:?}\n", host.name())
}

/// The start command that the server's manifest names, or a guess by the names of its files. `package` is the path from
/// the server's folder to the package.
fn start_of(host: &dyn Host, folder: &Path, names: &[String], package: &str) -> Start {
    if let Some(start) = host.start(&OnDisk(folder)) {
        return Start { prepare: host.build(&OnDisk(folder), &start), start };
    }
    let Scaffold { mut start, .. } = host.scaffold(HOT, SAMPLE);
    let prepare = host.prepare(package);
    if prepare.is_empty() {
        let usual = start.pop().unwrap_or_default();
        let kind = usual.rsplit_once('.').map_or("", |(_, kind)| kind);
        let candidates = ["server", "index", "app", "main"].map(|name| format!("{name}.{kind}"));
        start.push(candidates.into_iter().find(|candidate| names.contains(candidate)).unwrap_or(usual));
    }
    Start { prepare, start }
}
