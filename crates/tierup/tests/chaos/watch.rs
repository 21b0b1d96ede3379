//! Watches the control file: the judge must have decided every weight in it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tierup_rollout::Part;

use crate::world;

const JOURNAL: &str = "decisions.jsonl";
/// The time between two looks.
const LOOK: Duration = Duration::from_millis(5);

pub(crate) struct Watch {
    found: Arc<Mutex<Found>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    journal: PathBuf,
}

#[derive(Default)]
struct Found {
    seen: u64,
    /// Weights without a decision in the journal yet: on a full disk, the decision is written later.
    open: Vec<(String, u64, Part)>,
}

impl Watch {
    pub(crate) fn start(state: &Path) -> Watch {
        let (found, stop) = (Arc::<Mutex<Found>>::default(), Arc::<AtomicBool>::default());
        let thread = thread::spawn({
            let (state, found, stop) = (state.to_owned(), Arc::clone(&found), Arc::clone(&stop));
            move || look(&state, &found, &stop)
        });
        Watch { found, stop, thread: Some(thread), journal: state.join(JOURNAL) }
    }

    /// Number of generations of the control file.
    pub(crate) fn seen(&self) -> u64 {
        self.found.lock().expect("nobody panics").seen
    }

    /// Weights that the judge never decided.
    pub(crate) fn undecided(&self) -> Vec<(String, u64, Part)> {
        let open = self.found.lock().expect("nobody panics").open.clone();
        open.into_iter().filter(|(ramp, generation, weight)| self.decided(ramp, *generation) != Some(*weight)).collect()
    }

    fn decided(&self, ramp: &str, generation: u64) -> Option<Part> {
        decided(&self.journal, ramp, generation)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn look(state: &Path, found: &Mutex<Found>, stop: &AtomicBool) {
    let (control, journal) = (state.join("control"), state.join(JOURNAL));
    let mut last = None;
    while !stop.load(Relaxed) {
        if let Some(told) = world::read(&control)
            && last != Some((told.ramp.clone(), told.generation))
        {
            last = Some((told.ramp.clone(), told.generation));
            let decided = decided(&journal, &told.ramp, told.generation);
            let mut found = found.lock().expect("nobody panics");
            found.seen += 1;
            if decided != Some(told.weights.candidate) {
                found.open.push((told.ramp, told.generation, told.weights.candidate));
            }
        }
        thread::sleep(LOOK);
    }
}

/// The weight in this generation's decision.
fn decided(journal: &Path, ramp: &str, generation: u64) -> Option<Part> {
    let text = fs::read_to_string(journal).ok()?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut of_this = lines.filter(|line| line["ramp"] == ramp && line["generation"] == generation);
    let weight = of_this.next_back()?["weight"].as_u64()?;
    Part::of_ten_thousand(u16::try_from(weight).ok()?).ok()
}
