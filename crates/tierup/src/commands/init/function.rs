//! `tierup init --function`: makes a project for one function of a server; guesses its signature from observed calls.
//! In: the function's place, and how to start its server. Out: the project's files. The server's files do not change.

mod command;
mod watching;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use heck::ToKebabCase as _;
use tierup_codegen::{Add, Files, Host};
use tierup_project::{Loaded, enclosing, relative};
use tierup_rows::{
    Described, OnDisk,
    stub::{self, Standing},
};
use tierup_runner::Observer as _;
use tierup_signature::{Golden, Signature, library};

use self::{
    command::{file_of, from_folder, from_server, words},
    watching::{Guess, Watching},
};
use super::{
    super::starter::{absolute, argument, check_name, crate_with, names_in, write_new},
    HOT, Start, created, detect, find_host, folders, inside, start_of,
};
use crate::{
    commands::profile::taking::server::named,
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    sources::Sources,
};

/// The options of a project for one function.
#[derive(Args)]
#[command(next_help_heading = "A project for one function")]
pub(super) struct ForFunction {
    /// Make the project for this function, e.g. `basket.js:price`; append `:LINE` if its file has several of this name.
    /// Starts the server, sends single requests, and guesses the Rust signature from what the function is given
    #[arg(long, value_name = "FILE:FUNCTION")]
    pub(super) function: Option<String>,
    /// The command that starts the server; its port is in PORT [default: found in the server's folder]
    #[arg(long, value_name = "COMMAND", requires = "function")]
    command: Option<String>,
    /// The command that builds the server, e.g. `go build -o server .`
    #[arg(long, value_name = "COMMAND", requires = "command")]
    prepare: Option<String>,
    /// The address at which the server listens, if it does not take PORT; its path is the request if --requests is not
    /// given
    #[arg(long, value_name = "URL", requires = "function")]
    url: Option<String>,
    /// The name of the crate and of its package [default: that of the function, e.g. `near-duplicates`]
    #[arg(long, value_name = "NAME", requires = "function")]
    name: Option<String>,
    /// Requests file, .http or .har [default: requests.http or requests.har of the server's folder]
    #[arg(long, value_name = "FILE", requires = "function")]
    requests: Option<PathBuf>,
    /// If a few calls gave an argument of another type, take the type of most calls; the code names the request
    #[arg(long, requires = "function")]
    most: bool,
}

/// Maximum number of compiled files to watch for one source.
const MOST_FILES: usize = 8;

/// A function's place, as the user gives it.
struct FunctionPlace {
    file: PathBuf,
    /// The file as the user typed it.
    shown: String,
    name: String,
    line: Option<u32>,
}

impl ForFunction {
    /// Makes the project in the server's folder.
    pub(super) fn make(&self, place: &str, folder: &Path, host: Option<&str>, console: &mut Console) -> Result<()> {
        let place = FunctionPlace::parse(place, folder)?;
        if let Some(name) = self.name.as_deref().filter(|name| *name != HOT) {
            check_name(name)?;
        }
        let root = absolute(folder)?;
        let root = root.canonicalize().unwrap_or(root);
        let named_host = match (host, &self.command) {
            (Some(name), _) => Some(find_host(name)?),
            (None, command) => command.as_ref().and_then(|command| named(command)),
        };
        // If the command names no file, the server's folder is the project's, not that of the function's file.
        let started = match &self.command {
            Some(command) => file_of(command, &root),
            None => Some(place.file.clone()),
        };
        let server = started.map_or_else(|| root.clone(), |file| folders::server(&root, named_host, &file));
        let names = names_in(&server);
        let host = named_host.map_or_else(|| detect(folder, &names), Ok)?;
        let hot = &match &self.name {
            Some(name) => name.clone(),
            None => usual_name(&place.name, host, &root, &server),
        };
        // Checked before anything is started or written.
        enclosing::check(&root)?;
        check_free(folder, hot)?;
        // The user gives commands relative to the project's folder.
        let moved = |command: &str| from_folder(command, &root, &server);
        let (command, prepare) = (self.command.as_deref().map(moved), self.prepare.as_deref().map(moved));
        let start = match &command {
            Some(command) => {
                let start = words(command);
                let prepare = match &prepare {
                    Some(prepare) => words(prepare),
                    None => host.build(&OnDisk(&server), &start),
                };
                Start { prepare, start }
            }
            None => {
                let package = root.join(stub::own_folder(hot, host));
                start_of(host, &server, &names, &relative(&server, &package))
            }
        };
        let watching = Watching {
            host,
            project: root.clone(),
            folder: server.clone(),
            command: command.unwrap_or_else(|| start.start.join(" ")),
            prepare: prepare.or_else(|| Some(start.prepare.join(" ")).filter(|text| !text.is_empty())),
            url: self.url.as_deref(),
            requests: self.requests.as_deref(),
            most: self.most,
        };
        let places = place.all(host, &root);
        let (guess, place) = watching.guess(&places, console)?;
        let module = shown_file(place, &root);
        let origin = format!("{}:{}", guess.source.as_ref().unwrap_or(&module), guess.line);
        let from = relative(&root, &server);
        let from = if from.is_empty() { "." } else { &from };
        let mut files = Files::new().with("tierup.toml", settings(hot, host, from, &start, &guess));
        files.extend_below(
            hot,
            crate_with(hot, &library(&guess.signature, &place.name, &origin)).with(".gitignore", "/target\n"),
        );
        if let Some(target) = &guess.target {
            files = files.with("requests.http", format!("GET {target}\n"));
        }
        write_new(&files, folder)?;
        let loaded = open(folder)?;
        console.note(&created(&loaded, host, folder, hot)?);
        let module = if server == root { module } else { relative(&server, &place.file) };
        console.data(&next_steps(&loaded, host, (folder, from), &guess, &module)?)
    }
}

/// Refuses a folder that already has files of a project.
fn check_free(folder: &Path, hot: &str) -> Result<()> {
    stub::check_free(&folder.join(stub::folder(hot)))?;
    let Some(taken) = ["tierup.toml", hot].into_iter().find(|name| folder.join(name).exists()) else { return Ok(()) };
    let message = format!("`{}` already exists: {taken} is a project's", folder.join(taken).display());
    Err(Failure::usage(message).hint(match taken {
        "tierup.toml" => "move it away, or make the project in another folder",
        _ => "move it away, or name the crate with --name",
    }))
}

impl FunctionPlace {
    fn parse(text: &str, folder: &Path) -> Result<FunctionPlace> {
        let wrong = || {
            Failure::usage(format!("`{text}` is no function of a file"))
                .hint("write FILE:FUNCTION, as `tierup profile` prints it, e.g. `basket.js:price`")
        };
        let (rest, line) = match text.rsplit_once(':') {
            Some((rest, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) && !last.is_empty() => {
                (rest, Some(last.parse().map_err(|_| wrong())?))
            }
            _ => (text, None),
        };
        let (file, name) =
            rest.rsplit_once(':').filter(|(file, name)| !file.is_empty() && !name.is_empty()).ok_or_else(wrong)?;
        let path = [folder.join(file), PathBuf::from(file)].into_iter().find_map(|path| path.canonicalize().ok());
        let path = path.filter(|path| path.is_file()).ok_or_else(|| {
            Failure::usage(format!("there is no file `{file}` in {}", tierup_project::shown(folder)))
                .hint("give the path from the server's folder")
        })?;
        Ok(FunctionPlace { file: path, shown: file.to_owned(), name: name.to_owned(), line })
    }

    /// The function in each file that the source may be compiled to, and in the source itself.
    fn all(self, host: &'static dyn Host, root: &Path) -> Vec<FunctionPlace> {
        let compiled = Sources::new(host, root).compiled(&self.file);
        let place =
            |file: PathBuf| FunctionPlace { shown: relative(root, &file), file, name: self.name.clone(), line: None };
        let mut all: Vec<FunctionPlace> = compiled.into_iter().take(MOST_FILES).map(place).collect();
        all.push(self);
        all
    }
}

/// The file's path within the project, or as the user typed it if it is outside.
fn shown_file(place: &FunctionPlace, root: &Path) -> String {
    match place.file.strip_prefix(root) {
        Ok(file) => file.display().to_string(),
        Err(_) => place.shown.clone(),
    }
}

/// The function's name in the spelling of crates and packages, with a suffix if it is taken.
fn usual_name(function: &str, host: &dyn Host, root: &Path, server: &Path) -> String {
    let plain = function.to_kebab_case();
    let manifests: Vec<String> =
        host.identity().tell_tales.iter().filter_map(|name| fs::read_to_string(server.join(name)).ok()).collect();
    // The name is taken if a manifest mentions it: as the server itself, or as a dependency.
    let is_named = |name: &str| {
        let quoted = [format!("\"{name}\""), format!("'{name}'")];
        manifests.iter().any(|text| quoted.iter().any(|name| text.contains(name)))
    };
    let names = [plain.clone(), format!("{plain}-fast")];
    let is_free = |name: &String| check_name(name).is_ok() && !is_named(name) && !root.join(name).exists();
    names.into_iter().find(is_free).unwrap_or_else(|| HOT.to_owned())
}

/// The content of `tierup.toml`.
fn settings(hot: &str, host: &dyn Host, folder: &str, start: &Start, guess: &Guess) -> String {
    let Guess { signature, golden, baseline, requests, .. } = guess;
    let mut text = format!(
        "#:schema ./.tierup/schema.json\n# What is hot, which server calls it, and how to tell that it works.\n\n\
         [function]\ncrate = {hot:?}\nexport = [{:?}]\n\n[host.{}]\nfolder = {folder:?}\n",
        signature.name,
        host.name()
    );
    if !start.prepare.is_empty() {
        text += &format!("prepare = {:?}\n", start.prepare);
    }
    text += &format!("start = {:?}\n", start.start);
    if let Some(baseline) = baseline {
        text += &format!("[host.{}.baseline]\n\"0\" = {baseline:?}\n", host.name());
    }
    if let Some(requests) = requests {
        text += &format!("\n[bench]\nrequests = {requests:?}\n");
    }
    if let Some(Golden { arguments, sha256 }) = golden {
        text += &format!(
            "\n# A call whose answer was always the same while tierup watched. Check that it is the right one.\n\
             [health]\ncall = {:?}\narguments = [{}]\nsha256 = {sha256:?}\n",
            signature.name,
            arguments.join(", ")
        );
    }
    text
}

/// The next steps, in order, with commands ready to run.
fn next_steps(
    loaded: &Loaded,
    host: &dyn Host,
    (folder, server): (&Path, &str),
    guess: &Guess,
    module: &str,
) -> Result<String> {
    let hot = &loaded.project.interface.package;
    let (_, settings) = loaded.asked_host(host.name())?;
    let project = argument(folder);
    let way = stub::package_way(loaded, host, settings);
    let dependency = host.dependency(&loaded.project, &way, &Described(settings));
    let depend = match dependency.add {
        Add::Run(command) => command.to_string(),
        Add::Lines { file, lines } => format!("in {file}:\n\n{lines}").replace('\n', "\n       "),
    };
    let Signature { name, in_package, .. } = &guess.signature;
    let hint = host.adoption_hint(&loaded.project, &way, &Described(settings));
    let hint = hint.replace("yourFunction", in_package).replace("your_function", name);
    let hint = hint.replace("your_own_function", guess.owner.as_deref().unwrap_or(name));
    let hint = hint.replace("./your-module", &from_server(module, &settings.start, &settings.folder));
    let hint = hint.replace("YourModule", guess.owner.as_deref().unwrap_or("YourModule"));
    let hint: String = hint.lines().map(|line| format!("   {line}").trim_end().to_owned() + "\n").collect();
    let inside = inside(folder);
    let not_exported = match (&guess.baseline, &guess.conversion) {
        (Some(_), _) => String::new(),
        (None, Some(conversion)) => format!(
            "   {conversion}\n   Export it, and name it in [host.{}.baseline] of {inside}tierup.toml, so that `tierup check` can compare.\n\n",
            host.name()
        ),
        (None, None) => format!(
            "   Its file does not export it as `{in_package}`: export it, and name its place in [host.{}.baseline]\n   \
             of {inside}tierup.toml, so that `tierup check` can compare.\n\n",
            host.name()
        ),
    };
    let add = match stub::standing(loaded, host) {
        Standing::Missing => "Add the package".to_owned(),
        _ => format!("Commit {inside}{}/, and add it", stub::folder(hot)),
    };
    let port = match guess.takes_port {
        true => "",
        false => "   Let the server listen on the port in PORT: tierup starts several side by side.\n\n",
    };
    Ok(format!(
        "1. Build the package with the function as it is: it answers `not written yet`.

       tierup build{project} --tiers 3

2. {add} to the server{}:

       {depend}

3. In the server, take the function from the package, and pass its present function as tier 0:

{hint}
{not_exported}{port}4. Measure what a rewrite could buy at most, before you write it:

       tierup ceiling{project}

5. Write it in {inside}{hot}/src/lib.rs. `tierup check` fails until it answers as the present one does:

       tierup check{project} --tiers 3",
        match server {
            "." if project.is_empty() => String::new(),
            "." => format!(", in {}", folder.display()),
            server => format!(", in {inside}{server}"),
        },
    ))
}
