//! The thread that ends slots: at multiples of five seconds of the wall clock, and if the regime changes. So the slots
//! of all proxies cover the same times, and the judge can put them together.
//!
//! In: counts and notes of a [`Collector`]. Out: numbered lines, for the [`Summary`] of this run and for its
//! [`EvidenceFile`]. Requests never wait for this thread.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tierup_rollout::{
    Side,
    evidence::{Entry, Event, Line, SLOT, Slot},
};

use crate::{
    collector::{Collector, Connections, Note, Regime},
    evidence_file::EvidenceFile,
    pacing::Pacing,
    summary::Summary,
};

/// How long writing the last lines may take.
const LAST: Duration = Duration::from_secs(5);
/// A slot that would be shorter lasts until the next multiple, as a timer may be early.
const SHORTEST: Duration = Duration::from_millis(500);
/// How often the thread checks whether it should end.
const LOOK: Duration = Duration::from_millis(100);

/// The processor time that a side's processes used since the last call, in seconds; `None` if it is unknown.
pub type Processor = dyn FnMut(Side) -> Option<f64> + Send;

/// The thread, and what it knows. Dropping it ends the last slot and writes it.
#[derive(Debug)]
pub struct Ledger {
    view: View,
    pacing: Arc<OnceLock<Pacing>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A view of a [`Ledger`], for another thread.
#[derive(Debug, Clone)]
pub struct View {
    collector: Collector,
    summary: Arc<Mutex<Summary>>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl View {
    /// The sums until now, including the slot that has not ended.
    pub fn summary(&self) -> Summary {
        let summary = locked(&self.summary);
        let mut all = summary.clone();
        // Under the lock, a slot that ends now is in both or in neither.
        let regime = self.collector.regime();
        let slot = with(self.collector.look(), &regime, Duration::ZERO);
        drop(summary);
        all.take(&line(Entry::Slot(slot)));
        all
    }

    /// The clients' connections now.
    pub fn connections(&self) -> &Connections {
        self.collector.connections()
    }

    /// Why evidence cannot be written, if it cannot.
    pub fn trouble(&self) -> Option<String> {
        locked(&self.trouble).clone()
    }
}

impl Ledger {
    /// # Errors
    /// If the system has no threads left.
    pub fn start(
        collector: &Collector,
        notes: Receiver<Note>,
        file: Option<EvidenceFile>,
        processor: Box<Processor>,
    ) -> io::Result<Ledger> {
        let view = View { collector: collector.clone(), summary: Arc::default(), trouble: Arc::default() };
        let stop = Arc::<AtomicBool>::default();
        let regime = collector.regime();
        let pacing = Arc::<OnceLock<Pacing>>::default();
        let (view_of, pacing_of) = (view.clone(), Arc::clone(&pacing));
        let mut keeper = Keeper {
            view: view_of,
            pacing: pacing_of,
            file,
            processor,
            regime,
            began: Instant::now(),
            lasts: rest_of_slot(since_1970()),
        };
        let stopped = Arc::clone(&stop);
        let run = move || keeper.run(&notes, &stopped);
        let thread = thread::Builder::new().name("evidence".into()).spawn(run)?;
        Ok(Ledger { view, pacing, stop, thread: Some(thread) })
    }

    /// Lets the pacing learn of each slot as it ends. Only the first call has an effect.
    pub fn pace(&self, pacing: Pacing) {
        let _ = self.pacing.set(pacing);
    }

    pub fn view(&self) -> View {
        self.view.clone()
    }

    /// [`View::summary`].
    pub fn summary(&self) -> Summary {
        self.view.summary()
    }

    /// [`View::connections`].
    pub fn connections(&self) -> &Connections {
        self.view.connections()
    }

    /// [`View::trouble`].
    pub fn trouble(&self) -> Option<String> {
        self.view.trouble()
    }

    /// Ends the last slot, and returns the sums.
    pub fn end(mut self) -> Summary {
        self.join();
        locked(&self.view.summary).clone()
    }

    fn join(&mut self) {
        self.stop.store(true, Relaxed);
        let Some(thread) = self.thread.take() else { return };
        let began = Instant::now();
        // A disk may hang, but the end must not.
        while !thread.is_finished() && began.elapsed() < LAST {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.join();
    }
}

struct Keeper {
    view: View,
    pacing: Arc<OnceLock<Pacing>>,
    file: Option<EvidenceFile>,
    processor: Box<Processor>,
    /// The regime of the slot.
    regime: Regime,
    /// When the slot began.
    began: Instant,
    /// How long the slot lasts, if the regime stays.
    lasts: Duration,
}

impl Keeper {
    fn run(&mut self, notes: &Receiver<Note>, stopped: &AtomicBool) {
        while !stopped.load(Relaxed) {
            let rest = self.lasts.saturating_sub(self.began.elapsed());
            match notes.recv_timeout(rest.min(LOOK)) {
                Ok(note) => self.note(note),
                Err(RecvTimeoutError::Timeout) => {}
                // The collector and all its counters are gone.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.began.elapsed() >= self.lasts {
                self.end_slot();
            }
        }
        while let Ok(note) = notes.try_recv() {
            self.note(note);
        }
        self.end_slot();
        self.write(Entry::Event(Event::Ended));
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Entry(entry) => self.write(entry),
            Note::Regime if self.view.collector.regime() != self.regime => self.end_slot(),
            // The slot began with this regime already.
            Note::Regime => {}
        }
    }

    fn end_slot(&mut self) {
        let lasted = self.began.elapsed();
        self.began = Instant::now();
        self.lasts = rest_of_slot(since_1970());
        let processor: Vec<_> = [Side::Control, Side::Candidate, Side::Twin]
            .into_iter()
            .filter_map(|side| Some((side, (self.processor)(side)?)))
            .collect();
        let mut summary = locked(&self.view.summary);
        let mut slot = with(self.view.collector.take(), &self.regime, lasted);
        slot.processor.extend(processor);
        let line = line(Entry::Slot(slot));
        summary.take(&line);
        drop(summary);
        if let (Some(pacing), Entry::Slot(slot)) = (self.pacing.get(), &line.entry) {
            pacing.take(slot);
        }
        // Read after the pacing has decided: otherwise the next slot would end as soon as it begins.
        self.regime = self.view.collector.regime();
        self.append(line);
    }

    fn write(&mut self, entry: Entry) {
        let line = line(entry);
        locked(&self.view.summary).take(&line);
        self.append(line);
    }

    fn append(&mut self, line: Line) {
        let Some(file) = &mut self.file else { return };
        let trouble = file.append(line).err().map(|error| error.to_string());
        *locked(&self.view.trouble) = trouble;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line, which gets its number from the file.
fn line(entry: Entry) -> Line {
    let at = u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX);
    Line { number: 0, at, entry }
}

fn with(slot: Slot, regime: &Regime, lasted: Duration) -> Slot {
    let Regime { ramp, generation, phase, weights, mirroring, sample, second } = regime.clone();
    let lasted = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
    Slot { ramp, generation, phase, weights, lasted, mirroring, sample, second, ..slot }
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// How long a slot lasts that begins at this time.
fn rest_of_slot(since_1970: Duration) -> Duration {
    let slot = Duration::from_secs(SLOT);
    let begun =
        Duration::from_secs(since_1970.as_secs() % SLOT) + Duration::from_nanos(since_1970.subsec_nanos().into());
    let rest = slot - begun;
    if rest < SHORTEST { rest + slot } else { rest }
}

#[cfg(test)]
mod tests {
    use tierup_rollout::Part;

    use super::*;
    use crate::{in_force::Mirrored, sample::Sampled};

    #[test]
    fn slots_end_at_multiples_of_five_seconds() {
        let millis = Duration::from_millis;
        for (begins, lasts) in [(0, 5_000), (1, 4_999), (4_500, 500), (4_501, 5_499), (4_999, 5_001), (5_000, 5_000)] {
            assert_eq!(rest_of_slot(millis(1_795_406_400_000 + begins)), millis(lasts), "{begins}");
        }
    }

    #[test]
    fn a_regime_change_at_the_end_of_a_slot_begins_only_one_slot() {
        let (collector, notes) = Collector::new(&[]);
        let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
        let folder = tempfile::tempdir().expect("there is room");
        let mut keeper = Keeper {
            view: View { collector: collector.clone(), summary: Arc::default(), trouble: Arc::default() },
            pacing: Arc::new(Pacing::new(sampled, Mirrored::default(), &collector).into()),
            file: Some(EvidenceFile::new(folder.path(), 1 << 30)),
            processor: Box::new(|_| None),
            regime: collector.regime(),
            began: Instant::now(),
            lasts: Duration::ZERO,
        };
        let slots = 100;
        for _ in 0..slots {
            keeper.began = Instant::now().checked_sub(Duration::from_secs(10)).expect("the machine runs longer");
            keeper.end_slot();
            notes.try_iter().for_each(|note| keeper.note(note));
        }
        let files = std::fs::read_dir(folder.path().join("evidence")).expect("it is there");
        let lines = files.map(|file| std::fs::read_to_string(file.expect("it is there").path()).expect("it is text"));
        let entries = lines
            .flat_map(|text| text.lines().map(|line| Line::parse(line).expect("a line").entry).collect::<Vec<_>>());
        let found: Vec<Slot> = entries
            .filter_map(|entry| match entry {
                Entry::Slot(slot) => Some(slot),
                _ => None,
            })
            .collect();
        assert_eq!(found.len(), slots, "each slot is one line");
        // The pacing switched mirroring off and on meanwhile, and each slot has its own regime.
        let is_off = |slot: &&Slot| !slot.mirroring && slot.sample == Part::NONE;
        assert!(found.iter().filter(is_off).count() > 5 && found.iter().all(|slot| slot.mirroring || is_off(&slot)));
    }
}
