//! The sensor of Go servers: `runtime/pprof`, driven by a file that the build adds to the server's package.
//!
//! `go build -overlay` sees a file that is not in the server's folder. So the server is built by its own command, with
//! `GOFLAGS` in its environment, and once more without it after the run.

use std::path::Path;

use tierup_codegen::{
    Files, HostSettings, ProfileFormat, SOCKET, SampledTime, Sampling, Sensor, ServerFolder, Variable,
};

const SENSOR: &str = "sensor.go";
const OVERLAY: &str = "overlay.json";
/// The file's name in the server's package, where no file has it.
const ADDED: &str = "tierup_profile_sensor.go";

pub(crate) fn sensor(settings: &HostSettings, folder: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
    let package = main_package(settings, folder)?;
    let text = |path: &Path| path.display().to_string();
    let sensor = include_str!("../templates/profile/sensor.go")
        .replace("{{socket}}", &quoted(&text(&private.join(SOCKET))))
        .replace("{{folder}}", &quoted(&text(private)));
    // Go takes relative paths from the folder that its command runs in.
    let overlay = format!(
        "{{\"Replace\": {{{}: {}}}}}\n",
        quoted(&format!("{package}{ADDED}")),
        quoted(&text(&private.join(SENSOR)))
    );
    let value = format!("-overlay={}", text(&private.join(OVERLAY)));
    if value.contains(char::is_whitespace) {
        return Err("the folder for temporary files has a space in its path, which GOFLAGS cannot hold".to_owned());
    }
    Ok(Sensor {
        title: "runtime/pprof",
        files: Files::new().with(SENSOR, sensor).with(OVERLAY, overlay),
        preparation: Vec::new(),
        environment: vec![Variable { name: "GOFLAGS", value, joined_by: Some(" ") }],
        in_the_build: true,
        sampling: Sampling::Agent,
        format: ProfileFormat::Pprof,
        time: SampledTime::Cpu,
        hint:
            "`prepare` in tierup.toml must build the program that `start` runs, with `go build` in the server's folder"
                .to_owned(),
    })
}

/// The folder of the server's main package, relative to the server's, with `/` at its end or empty.
fn main_package(settings: &HostSettings, folder: &dyn ServerFolder) -> Result<String, String> {
    let commands = [(&settings.prepare, &["build", "install"][..]), (&settings.start, &["run"][..])];
    let Some(words) = commands.iter().find_map(|(command, verbs)| arguments(command, verbs)) else {
        return Err("a Go server is sampled by code that its build adds, and neither `prepare` is `go build` nor \
                    `start` is `go run`"
            .to_owned());
    };
    let named = words.iter().find(|word| word.starts_with("./") || word.starts_with("../") || *word == ".");
    if let Some(file) = words.iter().find(|word| word.ends_with(".go")) {
        return Err(format!(
            "a build of single files (`{file}`) takes no other file: build the package, e.g. `go build .`"
        ));
    }
    let package = named.map_or("", |word| word.trim_start_matches("./").trim_matches('/'));
    let package = match package {
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

/// The words behind `go build`, in a command that is that.
fn arguments<'a>(command: &'a [String], verbs: &[&str]) -> Option<&'a [String]> {
    let [program, verb, rest @ ..] = command else { return None };
    let name = program.rsplit(['/', '\\']).next()?;
    (name.trim_end_matches(".exe") == "go" && verbs.contains(&verb.as_str())).then_some(rest)
}

/// A string of Go and of JSON.
fn quoted(text: &str) -> String {
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
        main_package(&settings, &Folder(&[("", "main.go"), ("cmd/server", "main.go")]))
    }

    #[test]
    fn the_package_is_what_is_built() {
        assert_eq!(package(&["go", "build", "-o", "server", "."], &["./server"]).as_deref(), Ok(""));
        assert_eq!(package(&["go", "build"], &["./server"]).as_deref(), Ok(""));
        assert_eq!(package(&["go", "build", "-o", "s", "./cmd/server"], &["./s"]).as_deref(), Ok("cmd/server/"));
        assert_eq!(package(&[], &["go", "run", "./cmd/server"]).as_deref(), Ok("cmd/server/"));
        assert!(package(&[], &["./server"]).unwrap_err().contains("`prepare`"));
        assert!(package(&["go", "build", "main.go"], &["./main"]).unwrap_err().contains("go build ."));
        assert!(package(&["go", "build", "./other"], &["./other"]).is_err());
    }
}
