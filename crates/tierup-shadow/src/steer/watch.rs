//! The thread that reads the control file. In: its path. Out: what is [in force](super::in_force), for all threads of
//! the proxy; and an event when the file becomes unusable, or usable again.

use std::{
    fs::OpenOptions,
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use rustix::fs::OFlags;
use tierup_rollout::{Buckets, Control, Phase, Weights, evidence::Event};

use super::seen::{FileHistory, Look, NoFile};
use crate::{
    in_force::{InForce, Mirrored, Published},
    pacing::Pacing,
};

/// The time between two looks. The file is short and read every time, so no time stamp can hide a change.
const EVERY: Duration = Duration::from_millis(200);
/// The most bytes of a control file.
const LONGEST: u64 = 64 << 10;

/// The thread that reads the control file. Dropping it ends it, and control answers every request from then on.
#[derive(Debug)]
pub(super) struct Watch {
    published: Arc<Published>,
    pacing: Pacing,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Reads the file once, and then repeatedly on a thread.
    ///
    /// # Errors
    /// If the system has no threads left.
    pub(super) fn start(path: PathBuf, pacing: Pacing) -> io::Result<(Arc<Published>, Watch)> {
        let published = Arc::new(Published::new(pacing.without()));
        let mut looking = Looking { path, pacing: pacing.clone(), seen: FileHistory::default(), last: None };
        if let Some(first) = looking.look() {
            published.publish(first);
        }
        let stop = Arc::<AtomicBool>::default();
        let (stopped, to) = (Arc::clone(&stop), Arc::clone(&published));
        let run = move || {
            while !stopped.load(Relaxed) {
                thread::park_timeout(EVERY);
                if let Some(next) = looking.look() {
                    to.publish(next);
                }
            }
        };
        let thread = thread::Builder::new().name("control-file".into()).spawn(run)?;
        Ok((Arc::clone(&published), Watch { published, pacing, stop, thread: Some(thread) }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // If the thread panicked, there is nothing to add.
            let _ = thread.join();
        }
        self.published.publish(self.pacing.without());
        self.pacing.in_force(self.pacing.without());
    }
}

struct Looking {
    path: PathBuf,
    pacing: Pacing,
    seen: FileHistory,
    /// The result of the last look.
    last: Option<Look>,
}

impl Looking {
    /// What is in force from now on, if it has changed.
    fn look(&mut self) -> Option<InForce> {
        let found = read(&self.path);
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let look = self.seen.look(found, since_1970, Instant::now());
        let before = self.last.as_ref().and_then(|last| last.trouble.as_ref());
        if before != look.trouble.as_ref() {
            self.pacing.collector().event(Event::ControlFile { trouble: look.trouble.clone() });
        }
        let is_new = self.last.as_ref() != Some(&look);
        let next = is_new.then(|| in_force(&look, || self.pacing.without()));
        next.iter().for_each(|next| self.pacing.in_force(next.clone()));
        self.last = Some(look);
        next
    }
}

/// What a control file puts into force.
fn in_force(look: &Look, without: impl FnOnce() -> InForce) -> InForce {
    let trouble = look.trouble.clone();
    let Some(control) = &look.control else { return InForce { trouble, ..without() } };
    // In a phase in which control answers every request, the weights in the file do not count.
    let weights = match control.phase {
        Phase::Ramping | Phase::Paused | Phase::Done => control.weights,
        Phase::Shadow | Phase::RolledBack => Weights::CONTROL_ONLY,
    };
    InForce {
        ramp: Some(control.ramp.clone()),
        generation: control.generation,
        phase: Some(control.phase),
        weights,
        mirrored: Mirrored { sample: control.mirror, second: control.second, verify: control.verify },
        trouble,
        buckets: Some(Buckets::new(&control.key)),
        until: look.until,
    }
}

/// Reads the file without waiting: a pipe in its place must not block this thread.
fn read(path: &Path) -> Result<Control, NoFile> {
    let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let unreadable = |why: io::Error| match why.kind() {
        io::ErrorKind::NotFound => NoFile::Missing,
        _ => NoFile::Unreadable(format!("it cannot be read: {why}")),
    };
    let file = OpenOptions::new().read(true).custom_flags(no_wait).open(path).map_err(unreadable)?;
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Err(NoFile::Unreadable("it is not a file".to_owned()));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(unreadable)?;
    Control::parse(&text).map_err(|why| NoFile::Unreadable(why.to_string()))
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::mpsc::Receiver};

    use tierup_rollout::{Part, RampKey, evidence::Entry};

    use super::*;
    use crate::{
        collector::{Collector, Note},
        sample::Sampled,
    };

    fn now() -> u64 {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }

    fn control(generation: u64, phase: Phase) -> Control {
        Control {
            ramp: "3f2a9c01".into(),
            generation,
            heartbeat: now(),
            phase,
            weights: Weights::with_twin("5%".parse().expect("a part")),
            mirror: Part::ALL,
            second: Part::NONE,
            verify: Part::NONE,
            key: RampKey::new([1; 16]),
        }
    }

    /// A state folder with a thread that watches its control file.
    struct Watched {
        folder: tempfile::TempDir,
        published: Arc<Published>,
        watch: Option<Watch>,
        notes: Receiver<Note>,
    }

    impl Watched {
        fn new() -> Watched {
            let folder = tempfile::tempdir().expect("a folder");
            let (collector, notes) = Collector::new(&[]);
            let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
            let pacing = Pacing::new(sampled, Mirrored::default(), &collector);
            let (published, watch) = Watch::start(folder.path().join("control"), pacing).expect("it starts");
            Watched { folder, published, watch: Some(watch), notes }
        }

        /// Writes the file as the judge does.
        fn write(&self, text: &str) {
            let [new, path] = ["new", "control"].map(|name| self.folder.path().join(name));
            fs::write(&new, text).and_then(|()| fs::rename(new, path)).expect("it is written");
        }

        /// Waits until this generation is in force; 0 stands for no control file.
        fn wait_for(&self, generation: u64) -> Arc<InForce> {
            let began = Instant::now();
            loop {
                let in_force = self.published.get();
                if in_force.generation == generation {
                    return in_force;
                }
                assert!(began.elapsed() < Duration::from_secs(60), "{in_force:?}");
                thread::sleep(Duration::from_millis(10));
            }
        }
    }

    #[test]
    fn the_judges_file_is_in_force_until_it_cannot_be_read() {
        let mut watched = Watched::new();
        watched.write(&control(1, Phase::Ramping).to_string());
        let five = "5%".parse().expect("a part");
        assert_eq!(watched.wait_for(1).weights_at(Instant::now()).candidate, five);
        watched.write(&control(2, Phase::RolledBack).to_string());
        assert_eq!(watched.wait_for(2).weights_at(Instant::now()), Weights::CONTROL_ONLY, "its phase outranks weights");
        watched.write(&control(3, Phase::Paused).to_string());
        assert_eq!(watched.wait_for(3).weights_at(Instant::now()).twin, five);
        watched.write("format=1\ncandidate=10000\n");
        assert_eq!(watched.wait_for(0).weights_at(Instant::now()), Weights::CONTROL_ONLY);
        watched.write(&control(4, Phase::Done).to_string());
        watched.wait_for(4);
        drop(watched.watch.take());
        assert_eq!(watched.published.get().weights_at(Instant::now()), Weights::CONTROL_ONLY, "nobody watches");
        let trouble = |note| match note {
            Note::Entry(Entry::Event(Event::ControlFile { trouble })) => Some(trouble.is_some()),
            _ => None,
        };
        let said: Vec<_> = watched.notes.try_iter().filter_map(trouble).collect();
        assert_eq!(said, [true, false], "each change is said once");
    }

    #[test]
    fn a_pipe_or_folder_in_its_place_does_not_block_the_watch() {
        let watched = Watched::new();
        let path = watched.folder.path().join("control");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).expect("a pipe");
        assert!(matches!(read(&path), Err(NoFile::Unreadable(_))));
        assert!(matches!(read(watched.folder.path()), Err(NoFile::Unreadable(_))));
        watched.write(&control(1, Phase::Ramping).to_string());
        watched.wait_for(1);
    }
}
