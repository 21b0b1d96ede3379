//! Files outside the server's folder, for `go build -overlay`. In: the commands that build the server, and the files.
//! Out: their list, and the variable that names it; or why this server's build takes no overlay.

use std::path::Path;

use tierup_codegen::{Command, HostSettings, ServerFolder, Variable};

/// The list's name in the private folder.
pub(crate) const OVERLAY: &str = "overlay.json";

/// The build of a server.
pub(crate) struct Build {
    /// The `go` program.
    program: String,
    /// The folder of the main package, relative to the server's: empty, or with `/` at its end.
    pub(crate) package: String,
}

impl Build {
    /// # Errors
    /// If tierup cannot add files to this build.
    pub(crate) fn read(settings: &HostSettings, folder: &dyn ServerFolder) -> Result<Build, String> {
        let (program, words) = build(settings)?;
        Ok(Build { program: program.to_owned(), package: main_package(&words, folder)? })
    }

    /// The variable that makes Go read the list in this folder.
    ///
    /// # Errors
    /// If GOFLAGS cannot name a file in the private folder.
    pub(crate) fn variable(&self, private: &Path) -> Result<Variable, String> {
        let value = format!("-overlay={}", private.join(OVERLAY).display());
        if value.contains(char::is_whitespace) {
            return Err("the folder for temporary files has a space in its path, which GOFLAGS cannot hold".to_owned());
        }
        Ok(Variable {
            name: "GOFLAGS",
            value,
            joined_by: Some(" "),
            // `go env -w` may have set it in a file. The variable overrides that file.
            asked_by: Some(Command::new(&self.program, ["env", "GOFLAGS"])),
        })
    }
}

/// The JSON for `go build -overlay`: maps each path that Go opens to the file to read instead. Relative paths start at
/// the folder in which the command runs.
pub(crate) fn overlay(replaced: &[(String, String)]) -> String {
    let pairs: Vec<_> = replaced.iter().map(|(path, by)| format!("{}: {}", quoted(path), quoted(by))).collect();
    format!("{{\"Replace\": {{{}}}}}\n", pairs.join(", "))
}

/// The next step if no process of the server contained the added files.
pub(crate) const HINT: &str =
    "`prepare` in tierup.toml must build the program that `start` runs, with `go build` in the server's folder";

/// Flags of `go build` and `go run` without a value. All others have one, after a space or `=`.
const SWITCHES: &[&str] =
    &["a", "asan", "buildvcs", "json", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x"];
/// Words that end a command in a shell.
const ENDS: &[&str] = &["&&", "||", ";", "|", "&"];

/// The command that builds the server: its program, and the words from `build`, `install` or `run` on.
fn build(settings: &HostSettings) -> Result<(&str, Vec<String>), String> {
    let commands = [(&settings.prepare, &["build", "install"][..]), (&settings.start, &["run"][..])];
    commands.iter().find_map(|(command, verbs)| arguments(command, verbs)).ok_or_else(|| {
        "tierup adds code to a Go server's build, and neither `prepare` is `go build` nor `start` is `go run`"
            .to_owned()
    })
}

/// The folder of the main package, relative to the server's: empty, or with `/` at its end.
fn main_package(words: &[String], folder: &dyn ServerFolder) -> Result<String, String> {
    let named = packages(words)?;
    if let Some(file) = named.iter().find(|word| word.ends_with(".go")) {
        return Err(format!(
            "a build of single files (`{file}`) takes no other file: build the package, e.g. `go build .`"
        ));
    }
    let package = match named {
        [] => ".",
        [package] if package == "." || package.starts_with("./") || package.starts_with("../") => package,
        [package] => {
            return Err(format!(
                "`{package}` is not a path of a folder: build the package as e.g. `go build ./cmd/server`"
            ));
        }
        _ => return Err(format!("`{}` are several packages: build the server's alone", named.join(" "))),
    };
    let package = match package.trim_start_matches("./").trim_matches('/') {
        "" | "." => String::new(),
        inner => format!("{inner}/"),
    };
    let names = folder.names(package.trim_end_matches('/'));
    if names.iter().any(|name| name.ends_with(".go")) {
        Ok(package)
    } else {
        Err(format!("there is no Go source in `{}`", if package.is_empty() { "." } else { &package }))
    }
}

/// The words after the flags: the packages of `go build`; the package of `go run`, without its program's arguments.
fn packages(words: &[String]) -> Result<&[String], String> {
    let is_run = words.first().is_some_and(|verb| verb == "run");
    let mut rest = words.get(1..).unwrap_or_default();
    while let [word, behind @ ..] = rest {
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|flag| !flag.is_empty())
        else {
            break;
        };
        let (name, has_value) = flag.split_once('=').map_or((flag, false), |(name, _)| (name, true));
        if ["C", "cover", "overlay"].contains(&name) {
            return Err(format!("`go {}` with `-{name}` cannot be profiled: do without this flag", words[0]));
        }
        rest = if has_value || SWITCHES.contains(&name) { behind } else { behind.get(1..).unwrap_or_default() };
    }
    Ok(if is_run { rest.get(..1).unwrap_or_default() } else { rest })
}

/// The program of a command if it is Go's and the verb is one of these, and the words from the verb on.
fn arguments<'a>(command: &'a [String], verbs: &[&str]) -> Option<(&'a str, Vec<String>)> {
    let [program, rest @ ..] = command else { return None };
    let name = program.rsplit(['/', '\\']).next()?;
    let is_one = name.trim_end_matches(".exe") == "go" && verbs.contains(&rest.first()?.as_str());
    is_one.then(|| (program.as_str(), whole(rest)))
}

/// The words of the first command. The line was split at its spaces, so a quoted part may span several words, and
/// another command may follow.
fn whole(words: &[String]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut open = false;
    for word in words {
        match whole.last_mut().filter(|_| open) {
            Some(last) => *last += &format!(" {word}"),
            None if ENDS.contains(&word.as_str()) => break,
            None => whole.push(word.clone()),
        }
        let quotes = word.chars().filter(|letter| matches!(letter, '"' | '\'')).count();
        open ^= quotes % 2 == 1;
    }
    // With a lone quote, such as an apostrophe, the words were complete already.
    if open { words.to_vec() } else { whole }
}

/// A string literal for both Go and JSON.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| match c {
        '"' | '\\' => vec!['\\', c],
        c => vec![c],
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use tierup_codegen::InstallBy;

    use super::*;

    struct Folder(&'static [(&'static str, &'static str)]);

    impl ServerFolder for Folder {
        fn read(&self, _: &str) -> Option<String> {
            None
        }

        fn names(&self, folder: &str) -> Vec<String> {
            self.0.iter().filter(|(of, _)| *of == folder).map(|(_, name)| (*name).to_owned()).collect()
        }

        fn exists(&self, _: &str) -> bool {
            false
        }
    }

    fn package(prepare: &[&str], start: &[&str]) -> Result<String, String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let settings = HostSettings {
            folder: "/srv".into(),
            install: InstallBy::Nobody,
            prepare: words(prepare),
            start: words(start),
            baselines: Vec::new(),
        };
        main_package(&build(&settings)?.1, &Folder(&[("", "main.go"), ("cmd/server", "main.go")]))
    }

    #[test]
    fn the_folder_of_the_built_package_is_found() {
        assert_eq!(package(&["go", "build", "-o", "server", "."], &["./server"]).as_deref(), Ok(""));
        assert_eq!(package(&["go", "build"], &["./server"]).as_deref(), Ok(""));
        assert_eq!(package(&["go", "build", "-o", "s", "./cmd/server"], &["./s"]).as_deref(), Ok("cmd/server/"));
        assert_eq!(package(&[], &["go", "run", "./cmd/server"]).as_deref(), Ok("cmd/server/"));
        assert!(package(&[], &["./server"]).unwrap_err().contains("`prepare`"));
        assert!(package(&["go", "build", "main.go"], &["./main"]).unwrap_err().contains("go build ."));
        assert!(package(&["go", "build", "./other"], &["./other"]).is_err());
    }

    #[test]
    fn flags_and_arguments_are_not_taken_for_packages() {
        let of = |command: &str| {
            let words: Vec<&str> = command.split(' ').collect();
            if words[1] == "run" { package(&[], &words) } else { package(&words, &["./server"]) }
        };
        assert_eq!(of("go build -o ./server .").as_deref(), Ok(""));
        assert_eq!(of("go build -o ./server").as_deref(), Ok(""));
        assert_eq!(of("go build -o=./server -trimpath -p 2 ./cmd/server").as_deref(), Ok("cmd/server/"));
        assert_eq!(of("go build -ldflags \"-s -w\" ./cmd/server && strip server").as_deref(), Ok("cmd/server/"));
        assert_eq!(of("go run -race . ./data main.go").as_deref(), Ok(""));
        for refused in
            ["go build -C ./cmd/server .", "go build -C=cmd/server", "go build --overlay=o.json .", "go build -cover ."]
        {
            assert!(of(refused).unwrap_err().contains("do without this flag"), "{refused}");
        }
        assert!(of("go build -o bin ./cmd/server .").unwrap_err().contains("several"));
        assert!(of("go build example.org/shop").unwrap_err().contains("./cmd/server"));
    }
}
