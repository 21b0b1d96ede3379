//! A Dockerfile, carried out without an engine. Each stage is a folder that stands for its root.
//!
//! With `TIERUP_BASES`, `FROM` copies the folder of the image's name in there, and steps run in it by chroot, for which one must be root.
//! Otherwise, what this machine has stands in for the images.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

pub(crate) struct Stage {
    name: String,
    pub(crate) root: PathBuf,
    pub(crate) is_whole: bool,
    pub(crate) workdir: String,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) user: String,
    pub(crate) start: Vec<String>,
    pub(crate) healthcheck: Vec<String>,
}

/// The last stage. Another instruction than these is a reason to teach it to this file.
pub(crate) fn carry_out(context: &Path, into: &Path) -> Stage {
    let read = |name: &str| fs::read_to_string(context.join(name)).unwrap();
    let (text, ignored) = (read("Dockerfile"), read(".dockerignore"));
    let mut stages: Vec<Stage> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (instruction, rest) = line.split_once(' ').unwrap();
        let words: Vec<&str> = rest.split(' ').collect();
        if instruction == "FROM" {
            stages.push(Stage::from(&words, &into.join(stages.len().to_string())));
            continue;
        }
        let (stage, before) = stages.split_last_mut().unwrap();
        match instruction {
            "WORKDIR" => stage.workdir = rest.to_owned(),
            "RUN" => stage.run(rest),
            "COPY" => match words[0].strip_prefix("--from=") {
                Some(name) => {
                    let from = before.iter().find(|stage| stage.name == name).unwrap();
                    stage.copy(&from.root, &words[1..], &|_| false);
                }
                None => stage.copy(context, &words, &|path| is_ignored(&ignored, path)),
            },
            "ENV" => stage.variables.extend(words.iter().map(|word| {
                let (name, value) = word.split_once('=').unwrap();
                let path = env::var("PATH").unwrap();
                (name.to_owned(), value.replace("$PATH", if stage.is_whole { PATH } else { &path }))
            })),
            "USER" => stage.user = rest.to_owned(),
            "HEALTHCHECK" => stage.healthcheck = list(rest.split_once("CMD ").unwrap().1),
            "CMD" => stage.start = list(rest),
            "EXPOSE" | "STOPSIGNAL" => {}
            _ => panic!("this test does not know {instruction}"),
        }
    }
    stages.pop().unwrap()
}

/// That of images without one of their own.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn list(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap()
}

impl Stage {
    fn from(words: &[&str], root: &Path) -> Stage {
        let base = env::var_os("TIERUP_BASES").map(|bases| Path::new(&bases).join(words[0]));
        let is_whole = base.is_some() && words[0] != "scratch";
        if let Some(base) = base.filter(|_| is_whole) {
            assert!(Command::new("cp").arg("-a").args([&base, root]).status().unwrap().success());
        }
        fs::create_dir_all(root.join("tmp")).unwrap();
        let name = words.get(2).copied().unwrap_or_default().to_owned();
        let (root, workdir) = (root.to_owned(), "/".to_owned());
        let (variables, start, healthcheck) = (Vec::new(), Vec::new(), Vec::new());
        Stage { name, root, is_whole, workdir, variables, user: String::new(), start, healthcheck }
    }

    /// A path in the container as one on this machine.
    pub(crate) fn here(&self, path: &str) -> PathBuf {
        self.root.join(Path::new(&self.workdir).join(path).strip_prefix("/").unwrap())
    }

    fn run(&self, line: &str) {
        // What a builder keeps: this machine has a folder of its own for that.
        let line = if line.starts_with("--mount=type=cache,") { line.split_once(' ').unwrap().1 } else { line };
        fs::create_dir_all(self.here("")).unwrap();
        let mut command = if self.is_whole {
            let mut command = Command::new("chroot");
            command.arg(&self.root).args(["env", "-i", &format!("PATH={PATH}"), "HOME=/root", "sh", "-ec"]);
            command.arg(format!("cd {}; {line}", self.workdir));
            command
        } else {
            // Absolute paths are those of the container; its folder here is itself below `/tmp/`.
            let inside = |line: &str, path: &str| line.replace(path, &format!("'{}'{path}", self.root.display()));
            let mut command = Command::new("sh");
            command.current_dir(self.here("")).args(["-ec", &inside(&inside(line, "/tmp/"), "/app")]);
            command
        };
        command.envs(self.variables.iter().cloned());
        assert!(command.status().unwrap().success(), "RUN {line}");
    }

    fn copy(&self, source: &Path, words: &[&str], is_ignored: &dyn Fn(&str) -> bool) {
        let (to, from) = words.split_last().unwrap();
        for name in from {
            let name = name.trim_start_matches('/');
            assert!(!is_ignored(name), ".dockerignore leaves out {name}, which is copied");
            // The content of a folder is copied, and a file into a folder keeps its name.
            let path = source.join(name);
            let into = if to.ends_with('/') && path.is_file() {
                Path::new(to).join(path.file_name().unwrap())
            } else {
                to.into()
            };
            copy_all(source, name.trim_start_matches('.'), &self.here(into.to_str().unwrap()), is_ignored);
        }
    }
}

fn copy_all(root: &Path, name: &str, to: &Path, is_ignored: &dyn Fn(&str) -> bool) {
    let from = root.join(name);
    if from.is_symlink() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        symlink(fs::read_link(from).unwrap(), to).unwrap();
    } else if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(&from).unwrap().flatten() {
            let file = entry.file_name().into_string().unwrap();
            let name = format!("{name}/{file}").trim_start_matches('/').to_owned();
            if !is_ignored(&name) {
                copy_all(root, &name, &to.join(file), is_ignored);
            }
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

/// The last line that fits decides: `NAME`, `**/NAME`, `*`, or one of these behind `!`; a name may end in `*`.
fn is_ignored(lines: &str, path: &str) -> bool {
    let fits = |name: &str, pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let matches = |pattern: &str| match pattern.strip_prefix("**/") {
        Some(pattern) => path.split('/').any(|name| fits(name, pattern)),
        None => fits(path, pattern) || path.starts_with(&format!("{pattern}/")),
    };
    let last = lines.lines().rfind(|line| matches(line.trim_start_matches('!')));
    last.is_some_and(|line| !line.starts_with('!'))
}
