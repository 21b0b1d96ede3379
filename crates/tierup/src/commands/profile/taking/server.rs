//! The server to profile: a project's at one row, or that of a command.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tierup_codegen::{Command, FrameRule, Host, HostSettings, InstallBy, Row, Tier, Variant, Watch, Witness, shims};
use tierup_project::Loaded;
use tierup_rows::{Described, ProjectHost, build_server_with, stub};
use tierup_runner::{Observer as _, Progress as _, run};
use tierup_subject::Started;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
};

/// The time limit for a server to stop before it is killed.
const GRACE: Duration = Duration::from_secs(10);

pub(in crate::commands) struct Server {
    pub(in crate::commands) host: &'static dyn Host,
    pub(in crate::commands) settings: HostSettings,
    /// The project and the requested row.
    pub(in crate::commands) loaded: Option<(Arc<Loaded>, Row)>,
    /// The request from `--url`.
    pub(in crate::commands) target: Option<String>,
    pub(in crate::commands) title: String,
    shell: Shell,
}

/// The values of `--command`, `--prepare` and `--url`.
#[derive(Default, Clone)]
struct Shell {
    start: String,
    prepare: Option<String>,
    port: Option<u16>,
}

impl Server {
    pub(in crate::commands) fn of_project(project: &Path, host: Option<&str>, row: &Row) -> Result<Server> {
        let loaded = Arc::new(hosts::open(project)?);
        let ProjectHost { host, settings, .. } = hosts::only(&loaded, host)?;
        let settings = settings.clone();
        let language = if is_rust(row) { "Rust" } else { host.title() };
        let title = format!("{}, {language} at {row}", loaded.project.interface.package);
        Ok(Server { host, settings, loaded: Some((loaded, row.clone())), target: None, title, shell: Shell::default() })
    }

    /// The server that a command starts in this folder.
    pub(in crate::commands) fn of_command(
        folder: PathBuf,
        command: &str,
        prepare: Option<&str>,
        url: Option<&str>,
        host: Option<&str>,
    ) -> Result<Server> {
        let host = match host {
            Some(name) => super::super::host(name)?,
            None => named(command).map_or_else(|| detected(&folder), Ok)?,
        };
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let settings = HostSettings {
            folder,
            install: InstallBy::Nobody,
            prepare: prepare.map(words).unwrap_or_default(),
            start: words(command),
            ..HostSettings::default()
        };
        let (port, target) = url.map(port_and_target).transpose()?.unzip();
        let shell = Shell { start: command.to_owned(), prepare: prepare.map(str::to_owned), port };
        let target = target.flatten();
        Ok(Server { host, settings, loaded: None, target, title: command.to_owned(), shell })
    }

    /// Whether this is the server of tier 4, which belongs to no host.
    pub(super) fn is_rust(&self) -> bool {
        self.loaded.as_ref().is_some_and(|(_, row)| is_rust(row))
    }

    /// The rules that tell whose code the frames are.
    pub(super) fn frames(&self) -> Cow<'static, [FrameRule]> {
        match &self.loaded {
            // The leak is harmless: this runs once per process.
            Some((loaded, row)) if is_rust(row) => {
                Cow::Owned(shims::server::frames(&loaded.project, |name| name.leak()))
            }
            Some((loaded, _)) => Cow::Owned(with_committed(&loaded.project.interface.package, self.host.frames())),
            None => Cow::Borrowed(self.host.frames()),
        }
    }

    /// The server's language: the host's name, or `rust`.
    pub(super) fn language(&self) -> &'static str {
        if self.is_rust() { "rust" } else { self.host.name() }
    }

    /// Builds the row and installs the server's dependencies, but does not build the server itself.
    pub(in crate::commands) fn build(&self, console: &mut Console) -> Result<Row> {
        let Some((at, row)) = self.project() else { return Ok(Row::Baseline(None)) };
        at.require_dependency(std::slice::from_ref(row), console)?;
        at.build_row(row.clone(), console).map(|built| built.row)
    }

    /// The project at this host, and the requested row.
    fn project(&self) -> Option<(ProjectHost<'_>, &Row)> {
        let (loaded, row) = self.loaded.as_ref()?;
        Some((ProjectHost { loaded, host: self.host, settings: &self.settings }, row))
    }

    /// Builds the server by the user's own command, with these variables.
    pub(in crate::commands) fn build_own(&self, environment: &[(String, String)], console: &mut Console) -> Result<()> {
        if self.is_rust() {
            // At tier 4, the host's server does not run.
            return Ok(());
        }
        if let Some((loaded, _)) = &self.loaded {
            return build_server_with(loaded, &self.settings, environment, console);
        }
        let Some(prepare) = &self.shell.prepare else { return Ok(()) };
        console.started(prepare);
        let done = run(&shell(prepare), &self.settings.folder, environment, console);
        console.finished();
        Ok(done?)
    }

    /// Builds the server with these variables, and does `work` with it. Then always builds it again without them.
    pub(super) fn with_in_the_build<T>(
        &self,
        environment: &[(String, String)],
        console: &mut Console,
        work: impl FnOnce(&mut Console) -> Result<T>,
    ) -> Result<T> {
        let done = self.build_own(environment, console).and_then(|()| work(console));
        let mut without = self.build_own(&[], console);
        // Ctrl-C also ended this build, so repeat it: only a second Ctrl-C leaves it undone.
        let interrupted = matches!(without, Err(Failure::Interrupted));
        if interrupted {
            without = self.build_own(&[], console);
        }
        // Said here, as the failure of `work` may be reported instead.
        if without.is_err() {
            console.note("the server's build may still have the profiler in it: run its `prepare` command once more");
        }
        let done = done?;
        without?;
        if interrupted { Err(Failure::Interrupted) } else { Ok(done) }
    }

    /// The witness for calls of some functions.
    pub(in crate::commands) fn witness(&self, watch: &Watch<'_>) -> Result<Witness> {
        match self.host.witness(&self.settings, &Described(&self.settings), watch) {
            Some(witness) => witness.map_err(Failure::new),
            None => Err(Failure::usage(format!("tierup cannot see what functions are given in {}", self.host.title()))),
        }
    }

    pub(in crate::commands) fn subject(&self, row: &Row, program: Option<String>) -> Result<Started> {
        if let Some((at, _)) = self.project() {
            return at.row(row.clone()).profiled(program);
        }
        let Shell { start, port, .. } = self.shell.clone();
        let command = move |port: u16| {
            let environment = vec![("PORT".to_owned(), port.to_string())];
            Ok(Command { environment, ..shell(&start) })
        };
        let started = Started::new(command, self.settings.folder.clone(), GRACE);
        Ok(match port {
            Some(port) => started.on_port(port),
            None => started,
        })
    }
}

fn is_rust(row: &Row) -> bool {
    matches!(row, Row::Variant(Variant::Server) | Row::Tier(Tier::Server))
}

/// A host's rules, after one for the project's committed package.
fn with_committed(package: &str, rules: &[FrameRule]) -> Vec<FrameRule> {
    let folder = format!("/{}/", stub::folder(package));
    // The leak is harmless: this runs once per process.
    [&[FrameRule::generated(folder.leak())], rules].concat()
}

/// A command as the user typed it.
fn shell(text: &str) -> Command {
    if cfg!(windows) { Command::new("cmd", ["/C", text]) } else { Command::new("sh", ["-c", text]) }
}

/// The host of a command's program: `python3.11 server.py`, `exec /usr/bin/node server.js`, `bundle exec puma`.
pub(in crate::commands) fn named(command: &str) -> Option<&'static dyn Host> {
    let hosts = hosts::all();
    command.split_whitespace().find_map(|word| {
        let program = word.rsplit('/').next().unwrap_or(word);
        let program = program.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
        hosts.iter().copied().find(|host| host.name() == program || host.identity().launchers.contains(&program))
    })
}

/// The host of the server in a folder.
pub(super) fn detected(folder: &Path) -> Result<&'static dyn Host> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let found: Vec<_> = hosts::all().into_iter().filter(|host| host.detects(&names)).collect();
    match found[..] {
        [host] => Ok(host),
        _ => {
            let names: Vec<_> = hosts::all().iter().map(|host| host.name()).collect();
            Err(Failure::usage("the files in this folder do not tell the server's language")
                .hint(format!("name its host with --host: {}", names.join(", "))))
        }
    }
}

/// The port of an address on this machine, with its path and query if any.
fn port_and_target(url: &str) -> Result<(u16, Option<String>)> {
    let wrong = || {
        Failure::usage(format!("cannot use `{url}` as the address of a server on this machine"))
            .hint("give an address such as http://127.0.0.1:3000/path?query")
    };
    let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
    let (authority, target) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (host, port) = authority.rsplit_once(':').ok_or_else(wrong)?;
    if !["127.0.0.1", "localhost", "[::1]"].contains(&host) {
        return Err(wrong());
    }
    let target = target.split('#').next().unwrap_or_default();
    let target = match target {
        "" => None,
        query if query.starts_with('?') => Some(format!("/{query}")),
        path => Some(path.to_owned()),
    };
    Ok((port.parse().map_err(|_| wrong())?, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_host() {
        let host = |command| named(command).map(Host::name);
        assert_eq!(host("node server.js"), Some("node"));
        assert_eq!(host("MODE=fast exec /usr/bin/python3.11 -m shop"), Some("python"));
        assert_eq!(host("bundle exec puma -w 2"), Some("ruby"));
        assert_eq!(host("/usr/sbin/php-fpm8.2 -F"), Some("php"));
        assert_eq!(host("erl -noshell -s shop main"), Some("beam"));
        assert_eq!(host("./server --port 80"), None);
    }

    #[test]
    fn frames_of_the_committed_package_are_generated() {
        let rules = with_committed("hot", named("node server.js").unwrap().frames());
        let naming = tierup_profile::Naming { rules: &rules, own: &[], maps: None };
        let package = |file| naming.frame("call", file, 7).package;
        assert_eq!(package("/srv/shop/tierup/hot/lib/binding.js"), "generated by tierup");
        assert_eq!(package("/srv/shop/tierup/hotter.js"), "");
    }

    #[test]
    fn a_url_is_a_port_and_a_request() {
        let of = |url: &str| port_and_target(url).ok();
        assert_eq!(of("http://127.0.0.1:42069"), Some((42069, None)));
        assert_eq!(of("http://127.0.0.1:42069/"), Some((42069, Some("/".to_owned()))));
        assert_eq!(of("http://localhost:3000/a?b=c#d"), Some((3000, Some("/a?b=c".to_owned()))));
        assert_eq!(of("http://localhost:3000?b"), Some((3000, Some("/?b".to_owned()))));
        assert_eq!(of("https://localhost:3000"), None);
        assert_eq!(of("http://example.org:80/"), None);
        assert_eq!(of("http://localhost"), None);
    }
}
