//! `tierup init --function`: a project for one function of a server, whose signature is guessed from calls that are seen.
//! In: the function's place, and how its server starts. Out: the project's files. The server's own files stay as they are.

mod watching;

use std::path::{Component, Path, PathBuf};

use clap::Args;
use tierup_codegen::{Add, Files, Host};
use tierup_project::{Loaded, enclosing};
use tierup_rows::{
    Described, OnDisk,
    stub::{self, Standing},
};
use tierup_runner::Observer as _;
use tierup_signature::{Golden, Signature, library};

use self::watching::{Guess, Watching};
use super::{
    super::starter::{absolute, check_name, crate_with, names_in, write_new},
    HOT, Start, created, detect, find_host, inside, start_of,
};
use crate::{
    commands::profile::taking::server::named,
    console::Console,
    failure::{Failure, Result},
    hosts::open,
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
    /// The name of the crate and of its package
    #[arg(long, value_name = "NAME", default_value = HOT, requires = "function")]
    name: String,
    /// Requests file, .http or .har [default: requests.http or requests.har of the server's folder]
    #[arg(long, value_name = "FILE", requires = "function")]
    requests: Option<PathBuf>,
    /// If a few calls gave an argument of another type, take the type of most calls; the code names the request
    #[arg(long, requires = "function")]
    most: bool,
}

/// In so many of the files that a source is compiled to, its function is watched.
const MOST_FILES: usize = 8;

/// A function's place, as the user gives it.
struct Place {
    file: PathBuf,
    /// As it was typed.
    shown: String,
    name: String,
    line: Option<u32>,
}

impl ForFunction {
    /// Makes the project in the server's folder.
    pub(super) fn make(&self, place: &str, folder: &Path, host: Option<&str>, console: &mut Console) -> Result<()> {
        let place = Place::of(place, folder)?;
        let hot = self.name.as_str();
        if hot != HOT {
            check_name(hot)?;
        }
        let root = absolute(folder)?;
        let root = root.canonicalize().unwrap_or(root);
        let names = names_in(folder);
        let host = match (host, &self.command) {
            (Some(name), _) => find_host(name)?,
            (None, Some(command)) => named(command).map_or_else(|| detect(&names), Ok)?,
            (None, None) => detect(&names)?,
        };
        // Before anything is started or written.
        enclosing::check(&root)?;
        stub::check_free(&folder.join(stub::folder(hot)))?;
        if let Some(taken) = ["tierup.toml", hot].into_iter().find(|name| folder.join(name).exists()) {
            return Err(Failure::usage(format!(
                "`{}` already exists: {taken} is a project's",
                folder.join(taken).display()
            ))
            .hint("move it away, or make the project in another folder".to_owned()));
        }
        let start = match &self.command {
            Some(command) => {
                let start = words(command);
                let prepare = match &self.prepare {
                    Some(prepare) => words(prepare),
                    None => host.build(&OnDisk(folder), &start),
                };
                Start { prepare, start }
            }
            None => start_of(host, folder, &names, hot),
        };
        let watching = Watching {
            host,
            folder: root.clone(),
            command: self.command.clone().unwrap_or_else(|| start.start.join(" ")),
            prepare: match &self.prepare {
                Some(prepare) => Some(prepare.clone()),
                None => Some(start.prepare.join(" ")).filter(|text| !text.is_empty()),
            },
            url: self.url.as_deref(),
            requests: self.requests.as_deref(),
            most: self.most,
        };
        let places = place.all(host, &root);
        let (guess, place) = watching.guess(&places, console)?;
        let module = shown_file(place, &root);
        let origin = format!("{}:{}", guess.source.as_ref().unwrap_or(&module), guess.line);
        let mut files = Files::new().with("tierup.toml", settings(hot, host, &start, &guess));
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
        console.data(&next_steps(&loaded, host, folder, &guess, &module)?)
    }
}

impl Place {
    fn of(text: &str, folder: &Path) -> Result<Place> {
        let wrong = || {
            Failure::usage(format!("`{text}` is no function of a file"))
                .hint("write FILE:FUNCTION, as `tierup profile` prints it, e.g. `basket.js:price`".to_owned())
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
                .hint("give the path from the server's folder".to_owned())
        })?;
        Ok(Place { file: path, shown: file.to_owned(), name: name.to_owned(), line })
    }
}

impl Place {
    /// The function in each file that its source may run as, and in the source itself.
    fn all(self, host: &dyn Host, root: &Path) -> Vec<Place> {
        let source = self.file.strip_prefix(root).map(|file| file.display().to_string());
        let compiled = source.map(|source| host.compiled(&OnDisk(root), &source)).unwrap_or_default();
        let place = |file: String| Place { file: root.join(&file), shown: file, name: self.name.clone(), line: None };
        let mut all: Vec<Place> = compiled.into_iter().take(MOST_FILES).map(place).collect();
        all.push(self);
        all
    }
}

/// The file as it is named in the project: from the server's folder if it is within it.
fn shown_file(place: &Place, root: &Path) -> String {
    match place.file.strip_prefix(root) {
        Ok(file) => file.display().to_string(),
        Err(_) => place.shown.clone(),
    }
}

/// A command as words; one that needs a shell is the shell's.
fn words(command: &str) -> Vec<String> {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:@%+, ".contains(character);
    if command.chars().all(is_plain) {
        // No program, but what a shell is told to become.
        command.trim_start().trim_start_matches("exec ").split_whitespace().map(str::to_owned).collect()
    } else {
        vec!["sh".to_owned(), "-c".to_owned(), command.to_owned()]
    }
}

/// A module without its ending, as the file that starts the server names it: `./basket`, `../lib/basket`. Both are below the
/// project's folder, or else it is named from there.
fn from_server(module: &str, start: &[String], folder: &Path) -> String {
    let stem = module.rsplit_once('.').map_or(module, |(stem, _)| stem);
    let is_below = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let mut words = start.iter().map(|word| word.trim_start_matches("./"));
    let server = words.find(|word| is_below(word) && folder.join(word).is_file());
    let parts: Vec<&str> = stem.split('/').collect();
    let Some(server) = server.filter(|_| is_below(stem)) else {
        return if stem.starts_with("../") { stem.to_owned() } else { format!("./{stem}") };
    };
    let above: Vec<&str> = server.split('/').collect();
    let (above, within) = (&above[..above.len() - 1], &parts[..parts.len() - 1]);
    let shared = above.iter().zip(within).take_while(|(one, other)| one == other).count();
    let up = if shared == above.len() { "./".to_owned() } else { "../".repeat(above.len() - shared) };
    up + &parts[shared..].join("/")
}

/// `tierup.toml`.
fn settings(hot: &str, host: &dyn Host, start: &Start, guess: &Guess) -> String {
    let Guess { signature, golden, baseline, requests, .. } = guess;
    let mut text = format!(
        "#:schema ./.tierup/schema.json\n# What is hot, which server calls it, and how to tell that it works.\n\n\
         [function]\ncrate = {hot:?}\nexport = [{:?}]\n\n[host.{}]\nfolder = \".\"\n",
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

/// The remaining steps, in order, with commands that run as they are printed.
fn next_steps(loaded: &Loaded, host: &dyn Host, folder: &Path, guess: &Guess, module: &str) -> Result<String> {
    let hot = &loaded.project.interface.package;
    let (_, settings) = loaded.asked_host(host.name())?;
    let project = if folder == Path::new(".") { String::new() } else { format!(" {}", folder.display()) };
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
        if project.is_empty() { String::new() } else { format!(", in {}", folder.display()) },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_from_the_file_that_starts_the_server() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("node/bin")).unwrap();
        for file in ["server.js", "node/server.js", "node/bin/www.js"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let of = |module: &str, start: &str| from_server(module, &words(start), folder.path());
        assert_eq!(of("basket.js", "node server.js"), "./basket");
        assert_eq!(of("node/lib/basket.js", "node node/server.js tier-0"), "./lib/basket");
        assert_eq!(of("node/lib/basket.js", "node node/bin/www.js"), "../lib/basket");
        assert_eq!(of("node/lib/basket.js", "node ./node/bin/www.js"), "../lib/basket");
        assert_eq!(of("basket.js", "node node/bin/www.js"), "../../basket");
        assert_eq!(of("lib/basket.js", "npm start"), "./lib/basket");
        assert_eq!(of("../text/basket.js", "node server.js"), "../text/basket");
    }
}
