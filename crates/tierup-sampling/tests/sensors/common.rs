//! Takes a profile of one of this package's test servers, in a copy of its folder, and checks for leftovers.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use tempfile::TempDir;
use tierup_bench::loading::Terms;
use tierup_codegen::{Command, Host, HostSettings, InstallBy, Sensor, ServerFolder};
use tierup_requests::{Context, Moment, Set, Templates};
use tierup_runner::{Interrupts, Quiet, run};
use tierup_sampling::{Budget, Error, Plan, Private, Taken, take};
use tierup_subject::Started;

/// A server of these tests.
pub(crate) struct Server {
    pub(crate) host: &'static dyn Host,
    /// The server's folder below `tests/servers`.
    pub(crate) folder: &'static str,
    /// A command that is run in the folder before the build.
    pub(crate) install: &'static [&'static str],
    pub(crate) prepare: &'static [&'static str],
    /// The shell command that starts the server.
    pub(crate) start: &'static str,
}

/// Things that a run might leave behind.
pub(crate) struct Left {
    /// The server's folder, with everything that its build made.
    pub(crate) folder: TempDir,
    pub(crate) private: PathBuf,
    mark: String,
}

const MARK: &str = "TIERUP_TEST_RUN";

impl Server {
    pub(crate) fn profile(&self, paths: &[&str]) -> (Result<Taken, Error>, Left) {
        self.profile_with(paths, None)
    }

    /// Uses the host's other sensor with this name.
    pub(crate) fn profile_with(&self, paths: &[&str], other: Option<&str>) -> (Result<Taken, Error>, Left) {
        let (taken, _, left) = self.profile_for(Duration::from_millis(3500), paths, other);
        (taken, left)
    }

    /// Profiles for a given time, and also returns the sensor.
    pub(crate) fn profile_for(
        &self,
        length: Duration,
        paths: &[&str],
        other: Option<&str>,
    ) -> (Result<Taken, Error>, Sensor, Left) {
        let folder = tempfile::tempdir().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(self.folder), folder.path());
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let settings = HostSettings {
            folder: folder.path().to_owned(),
            install: InstallBy::Nobody,
            prepare: words(self.prepare),
            start: words(&["sh", "-c", self.start]),
            ..HostSettings::default()
        };
        for command in self.install {
            run(&Command::new("sh", ["-c", command]), folder.path(), &[], &mut Quiet).unwrap();
        }
        let private = Private::new().unwrap();
        let sensor = match other {
            None => self.host.sensor(&settings, &Disk(folder.path()), private.path()).unwrap(),
            Some(name) => {
                let further = self.host.further_sensors(private.path());
                further.into_iter().find(|(known, _)| *known == name).unwrap().1
            }
        };
        private.prepare(&sensor.files, &sensor.preparation, &mut Quiet).unwrap();
        let own = |name| std::env::var(name).ok();
        let of_sensor = sensor.environment.iter();
        let mut environment: Vec<_> = of_sensor
            .map(|variable| (variable.name.to_owned(), variable.beside(own(variable.name).as_deref())))
            .collect();
        if let [program, rest @ ..] = self.prepare {
            let environment: &[_] = if sensor.in_the_build { &environment } else { &[] };
            run(&Command::new(program, rest.iter().copied()), folder.path(), environment, &mut Quiet).unwrap();
        }
        let value = private.path().display().to_string();
        environment.push((MARK.to_owned(), value.clone()));
        let start = self.start;
        let command = move |port: u16| {
            let environment = vec![("PORT".to_owned(), port.to_string())];
            Ok(Command { environment, ..Command::new("sh", ["-c", start]) })
        };
        let seconds = Duration::from_secs;
        let plan = Plan {
            subject: &Started::new(command, folder.path().to_owned(), seconds(10)),
            sensor: &sensor,
            private: &private,
            environment: &environment,
            requests: &requests(paths),
            terms: Terms { connections: 8, workers: 1, timeout: seconds(20), patience: seconds(60) },
            budget: Budget::split(length),
        };
        let taken = take(&plan, &Interrupts::watch(), &mut ());
        let left = Left { folder, private: private.path().to_owned(), mark: format!("{MARK}={value}") };
        private.remove().unwrap();
        (taken, sensor, left)
    }
}

impl Left {
    /// Asserts that no private file is left, and no process that was started for this run.
    pub(crate) fn is_nothing(&self) {
        assert!(!self.private.exists());
        assert!(self.folder.path().is_dir());
        // A killed process stays in the list until its parent has waited for it.
        for _ in 0..100 {
            if self.processes().is_empty() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("these run still: {:?}", self.processes());
    }

    fn processes(&self) -> Vec<String> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        // The folder also identifies servers that overwrite their environment with a title.
        let is_ours = |folder: &PathBuf| {
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
                || fs::read_link(folder.join("cwd")).is_ok_and(|at| at.starts_with(self.folder.path()))
        };
        let ours = entries.map(|entry| entry.path()).filter(is_ours);
        ours.map(|folder| fs::read_to_string(folder.join("cmdline")).unwrap_or_default()).collect()
    }
}

/// A folder, in the form in which hosts inspect it.
pub(crate) struct Disk<'a>(pub(crate) &'a Path);

impl ServerFolder for Disk<'_> {
    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn requests(paths: &[&str]) -> Set {
    let text: String = paths.iter().map(|path| format!("###\nGET {path}\n\n")).collect();
    let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
    Templates::parse("requests.http", &text).unwrap().expand(10, 1, &context).unwrap()
}
