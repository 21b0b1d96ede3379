//! The requests of a run, from the project's own file or from one that the user names.

use std::{
    fs,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use jiff::Zoned;
use tierup_diagnostic::{Failure, Result};
use tierup_requests::{Context, Moment, Recording, Set, Templates};
use tierup_runner::Observer;

use crate::{FILE, shown};

/// Where requests come from.
pub enum Source {
    /// The file `requests.http` or `requests.har` in this folder.
    Project(PathBuf),
    File(PathBuf),
    /// One request for this path and query.
    Target(String),
}

impl Source {
    /// The requests file in a folder, if it has one.
    pub fn found_in(folder: &Path) -> Option<Source> {
        let exists = FILES.iter().any(|name| folder.join(name).is_file());
        exists.then(|| Source::Project(folder.to_owned()))
    }
}

/// Templates with variables expand to this many distinct requests: enough that no cache wins by accident, few enough
/// that each can be checked.
const DISTINCT: usize = 1000;

const FILES: [&str; 2] = ["requests.http", "requests.har"];

/// The requests, and the name of their source for people. From now on, the observer hides the secrets in the requests.
///
/// # Errors
/// There is no such file, or it is invalid.
pub fn requests(source: &Source, seed: u64, observer: &mut dyn Observer) -> Result<(Set, String)> {
    let file = match source {
        Source::Target(target) => {
            let text = format!("GET {target}\n");
            let set = templates("the address", &text, Path::new("."), seed)?;
            return Ok((set, format!("GET {target}")));
        }
        Source::File(file) => file.clone(),
        Source::Project(folder) => {
            let found = FILES.iter().map(|name| folder.join(name)).find(|file| file.is_file());
            found.ok_or_else(|| {
                Failure::usage(format!("there is neither {} in {}", FILES.join(" nor "), shown(folder)))
                    .hint("write a .http file (docs/requests.md), or name a requests file with --requests")
            })?
        }
    };
    let name = shown(&file);
    let text = tierup_runner::read_text(&file)?.ok_or_else(|| Failure::usage(format!("there is no file `{name}`")))?;
    let folder = folder_of(&file).to_owned();
    let recorded = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("har"));
    let set = if recorded {
        let recording = Recording::parse(&name, &text, None).map_err(Failure::Diagnostics)?;
        for left_out in &recording.left_out {
            observer.note(&format!("{name}: skipping {} requests: {}", left_out.requests, left_out.reason));
        }
        recording.set
    } else {
        templates(&name, &text, &folder, seed)?
    };
    observer.hide(&set.requests);
    Ok((set, name))
}

fn templates(name: &str, text: &str, folder: &Path, seed: u64) -> Result<Set> {
    // A request cannot hold a value that is not UTF-8, so a file that uses such a variable is refused.
    let (mut environment, mut not_text) = (Vec::new(), Vec::new());
    for (name, value) in std::env::vars_os() {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => environment.push((name, value)),
            (Ok(name), Err(_)) => not_text.push(name),
            (Err(_), _) => {}
        }
    }
    let files = |path: &str| body_file(folder, path);
    let now = Zoned::now();
    let moment =
        Moment { unix_milliseconds: now.timestamp().as_millisecond(), utc_offset_minutes: now.offset().seconds() / 60 };
    let dotenv = dotenv(folder);
    let context = Context {
        environment: &environment,
        not_text: &not_text,
        dotenv: &dotenv,
        files: &files,
        ..Context::new(moment)
    };
    let templates = Templates::parse(name, text).map_err(Failure::Diagnostics)?;
    templates.expand(DISTINCT, seed, &context).map_err(Failure::Diagnostics)
}

/// The largest file that a request can use as its body, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a file that is used as a body. Its content goes to a server, and the requests file may come from somebody
/// else. So only regular files of the project are allowed, and large ones are refused.
fn body_file(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let refused = |reason: String| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    let top = fs::canonicalize(top(&std::path::absolute(folder)?))?;
    // Resolving links detects those that lead out of the project.
    let file = fs::canonicalize(folder.join(path))?;
    if !file.starts_with(&top) {
        return refused(format!("it is outside of {}", shown(&top)));
    }
    // This is checked before the file is opened, as opening a pipe would wait.
    if !fs::metadata(&file)?.is_file() {
        return refused("it is not a regular file".to_owned());
    }
    let mut content = Vec::new();
    File::open(&file)?.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST_BYTES {
        return refused(format!("it has more than {} MiB", MOST_BYTES >> 20));
    }
    Ok(content)
}

/// The folder of a file: the current one if the path is a mere name.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The root of the project or repository around a folder, or the folder itself.
fn top(folder: &Path) -> &Path {
    let is_top = |folder: &&Path| [FILE, ".git"].iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(is_top).unwrap_or(folder)
}

/// The `NAME=value` lines of the nearest `.env` file, from the requests file's folder up to the root of the project or
/// repository. So requests in `corpus/requests/` have the same variables as those beside `tierup.toml`.
fn dotenv(folder: &Path) -> Vec<(String, String)> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let top = top(&folder);
    let mut within = folder.ancestors().take_while(|folder| folder.starts_with(top));
    let text = within.find_map(|folder| fs::read_to_string(folder.join(".env")).ok()).unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    let unquoted = |value: &str| {
        let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote).map(str::to_owned);
        inner('"').or_else(|| inner('\'')).unwrap_or_else(|| value.to_owned())
    };
    pairs.map(|(name, value)| (name.trim().to_owned(), unquoted(value.trim()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mere_name_is_in_the_current_folder() {
        assert_eq!(folder_of(Path::new("requests.http")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/requests.http")), Path::new("a"));
        // Tests run in the crate's folder.
        assert!(body_file(folder_of(Path::new("requests.http")), "Cargo.toml").is_ok());
    }

    #[test]
    fn bodies_are_regular_files_of_the_project() {
        let outside = tempfile::tempdir().unwrap();
        let project = outside.path().join("project");
        let requests = project.join("corpus");
        fs::create_dir_all(&requests).unwrap();
        fs::write(project.join(FILE), "").unwrap();
        fs::write(project.join("body.json"), "{}").unwrap();
        fs::write(outside.path().join("secret"), "password").unwrap();
        File::create(project.join("large")).unwrap().set_len(MOST_BYTES + 1).unwrap();

        assert_eq!(body_file(&requests, "../body.json").unwrap(), b"{}");
        assert_eq!(body_file(&requests, project.join("body.json").to_str().unwrap()).unwrap(), b"{}");
        let refused = |path: &str| body_file(&requests, path).unwrap_err().to_string();
        for path in ["../../secret", "/proc/self/environ", "/dev/zero"] {
            assert!(refused(path).starts_with("it is outside of "), "{path}: {}", refused(path));
        }
        assert_eq!(refused("../large"), "it has more than 64 MiB");
        assert_eq!(refused(".."), "it is not a regular file");
        assert_eq!(body_file(&requests, "missing").unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_project_are_refused() {
        let outside = tempfile::tempdir().unwrap();
        let project = outside.path().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(outside.path().join("secret"), "password").unwrap();
        std::os::unix::fs::symlink("../secret", project.join("body.json")).unwrap();
        let refused = body_file(&project, "body.json").unwrap_err().to_string();
        assert!(refused.starts_with("it is outside of "), "{refused}");
    }
}
