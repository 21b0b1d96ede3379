//! All programs of a rollout, and the checks at the end.

use std::{
    cell::Cell,
    env, fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    rc::Rc,
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tierup_rollout::{Control, Part, Phase};
use tierup_runner::port;

use crate::{
    load::{Load, Lost},
    processes::Program,
    watch::Watch,
};

pub(crate) const SERVERS: [&str; 3] = ["control", "candidate", "twin"];
/// The time limit for any recovery.
const RECOVERY: Duration = Duration::from_secs(400);
/// How long clients may still lose requests after a program listens again.
const ECHO: Duration = Duration::from_millis(200);

pub(crate) struct World {
    pub(crate) control: Program,
    pub(crate) candidate: Program,
    pub(crate) twin: Program,
    pub(crate) proxy: Program,
    pub(crate) judge: Program,
    load: Load,
    watch: Watch,
    /// The periods in which requests may be lost.
    outages: Vec<(Instant, Instant)>,
    /// Number of ramps: another one begins after each rollback.
    pub(crate) ramps: u64,
    is_new: Rc<Cell<bool>>,
    _disk: Option<Disk>,
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().expect("there is room");
        let log = |name: &str| folder.path().join(format!("{name}.log"));
        let [control, candidate, twin, proxy] = free_addresses();
        let server = |name: &'static str, address: SocketAddr| {
            let program = env::current_exe().expect("this program");
            Program::start(name, log(name), Some(address), move || {
                let mut command = Command::new(&program);
                command.args(["--serve", name, &address.to_string()]);
                command
            })
        };
        let (control_server, candidate_server, twin_server) =
            (server("control", control), server("candidate", candidate), server("twin", twin));
        let state = folder.path().join("state");
        let disk = Disk::mount(&state);
        let is_new = Rc::new(Cell::new(true));
        let proxy_program = Program::start("proxy", log("proxy"), Some(proxy), {
            let (state, listen) = (state.clone(), proxy.to_string());
            let [control, candidate, twin] = [control, candidate, twin].map(|address| format!("http://{address}"));
            move || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
                command.args(["shadow", "--control", &control, "--candidate", &candidate, "--twin", &twin]);
                command.args(["--listen", &listen, "--sticky", "header:x-user", "--drain", "5"]);
                command.arg("--state").arg(&state);
                command
            }
        });
        let judge = Program::start("judge", log("judge"), None, {
            let (state, is_new) = (state.clone(), Rc::clone(&is_new));
            move || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
                command
                    .args(["ramp", "--steps", "20%,99%", "--hold", "3s", "--tolerated", "3%"])
                    .arg("--state")
                    .arg(&state);
                // Only the first start begins a ramp; a restarted judge continues it.
                if is_new.take() {
                    command.arg("--new");
                }
                command
            }
        });
        let (load, watch) = (Load::start(proxy), Watch::start(&state));
        World {
            control: control_server,
            candidate: candidate_server,
            twin: twin_server,
            proxy: proxy_program,
            judge,
            load,
            watch,
            outages: Vec::new(),
            ramps: 1,
            is_new,
            _disk: disk,
            folder,
        }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Allows lost requests from `began` until shortly after now.
    pub(crate) fn outage(&mut self, began: Instant) {
        self.outages.push((began, Instant::now() + ECHO));
    }

    /// The current control file.
    pub(crate) fn told(&self) -> Option<Control> {
        read(&self.state().join("control"))
    }

    /// If the judge rolled the candidate back and ended, begins another ramp.
    pub(crate) fn next_ramp(&mut self) {
        if let Some(code) = self.judge.ended() {
            assert!(code == Some(1), "the judge ended with {code:?}: {}", self.judge.log());
            self.ramps += 1;
            self.is_new.set(true);
            self.judge.restart();
        }
    }

    /// Waits until the candidate has a weight.
    pub(crate) fn wait_for_weight(&mut self) {
        self.wait("the candidate has a weight", |told| told.weights.candidate > Part::NONE);
    }

    pub(crate) fn wait(&mut self, what: &str, holds: impl Fn(&Control) -> bool) {
        let began = Instant::now();
        while !self.told().is_some_and(|told| holds(&told)) {
            self.next_ramp();
            assert!(began.elapsed() < RECOVERY, "{what}: not in {RECOVERY:?}; the judge: {}", self.judge.log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// All programs run again: the ramp must reach its end by itself, and every check must hold.
    pub(crate) fn finish(mut self) {
        let state = self.state();
        self.wait("the candidate answers all", |told| {
            // Refused until the judge has enough evidence.
            let finish =
                Command::new(env!("CARGO_BIN_EXE_tierup")).args(["ramp", "finish", "--state"]).arg(&state).output();
            assert!(finish.is_ok());
            told.phase == Phase::Done
        });
        let by = |seen: &Load| {
            let by = seen.seen.by.lock().expect("no client panics");
            by.iter().map(|(name, (count, _))| (name.clone(), *count)).collect::<Vec<_>>()
        };
        // The proxy reads the control file every 200 ms, and earlier requests may still be under way.
        thread::sleep(Duration::from_secs(2));
        let before = by(&self.load);
        thread::sleep(Duration::from_secs(3));
        let (after, answered) = (by(&self.load), self.load.seen.answered.load(Relaxed));
        let grown: Vec<&str> =
            after.iter().filter(|entry| !before.contains(entry)).map(|(name, _)| name.as_str()).collect();
        assert_eq!(grown, ["candidate"], "at 100 % the candidate answers all");
        let lost = self.load.seen.lost.lock().expect("no client panics").clone();
        let unexplained = lost.iter().filter(|lost| !self.explains(lost)).map(|lost| lost.why.as_str());
        let unexplained: Vec<&str> = unexplained.collect();
        assert!(unexplained.is_empty(), "{} requests were lost for no reason: {unexplained:?}", unexplained.len());
        let undecided = self.watch.undecided();
        assert!(undecided.is_empty(), "weights that nobody decided: {undecided:?}");
        println!(
            "{answered} answers ({after:?}); {} requests lost, all under way at a proxy or a control that was killed; {} \
             ramps; {} control files seen",
            lost.len(),
            self.ramps,
            self.watch.seen(),
        );
    }

    fn explains(&self, lost: &Lost) -> bool {
        self.outages.iter().any(|(began, ended)| lost.began <= *ended && lost.ended >= *began)
    }
}

/// A small disk in memory, which can be filled without side effects.
struct Disk(PathBuf);

impl Disk {
    /// `None` if this user may not mount.
    fn mount(at: &Path) -> Option<Disk> {
        fs::create_dir(at).expect("there is room");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=32m,mode=0700", "tierup-chaos"]).arg(at).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then(|| Disk(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Programs that are about to end may still use it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Whether a folder is on another disk than its parent.
pub(crate) fn is_disk_of_its_own(folder: &Path) -> bool {
    let of = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    of(folder) != folder.parent().and_then(of)
}

/// The control file, if it can be read.
pub(crate) fn read(path: &Path) -> Option<Control> {
    Control::parse(&fs::read_to_string(path).ok()?).ok()
}

fn free_addresses<const N: usize>() -> [SocketAddr; N] {
    std::array::from_fn(|_| (Ipv4Addr::LOCALHOST, port::free().expect("a free port")).into())
}
