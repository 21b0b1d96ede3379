//! `tierup ramp --inside`: judges by the counts of processes with `TIERUP_ROLLOUT`, and writes their control file.
//!
//! The ramp's state is in a folder beside the control file, with the suffix `.ramp`. When a judge stops, the file is no
//! longer renewed, so a minute later the control answers every call.

mod evidence;
mod metrics;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use clap::Args;
use serde::{Deserialize, Serialize};
use tierup_codegen::{Tier, Variant};
use tierup_project::{Loaded, shown};
use tierup_ramp::{Action, Decided, Journal, LOOK, ROUND, State, replace};
use tierup_rollout::{Decision, InsideControl, InsideCounts, InsideJudge, Part, Plan};
use tierup_runner::{Interrupts, Observer as _};

use evidence::{Parts, deaths, found, parts};

use super::{Start, judging::say, telling::Telling};
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    store::failed,
};

/// How long a control file is valid after it was written, in seconds; and the interval of its renewal.
const HOLDS: u64 = 60;
const RENEWED: u64 = 10;
/// How long processes may take to read a control file, and to write the counts from before it.
const SETTLES: Duration = Duration::from_secs(3);
/// The minimum time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(10);

/// How many times as long as the control's calls the candidate's may take, by default.
const SLOWER: f64 = 1.05;

#[derive(Args)]
pub(super) struct InsideFlags {
    /// Roll out inside the processes that run with TIERUP_ROLLOUT=FILE, call by call, by what they count; no proxy takes part
    #[arg(long = "inside", value_name = "FILE", conflicts_with_all = ["show_config", "row", "state"])]
    pub(super) file: Option<PathBuf>,
    /// With --inside: the variant that is rolled out
    #[arg(long, value_name = "TIER", default_value = "3:native", requires = "file", value_parser = variant)]
    candidate: Variant,
    /// With --inside: the part of the calls that is compared
    #[arg(long, value_name = "PART", default_value = "1%", requires = "file")]
    sample: Part,
    /// With --inside: the same arguments are always answered by the same side
    #[arg(long, requires = "file")]
    by_input: bool,
    /// With --inside: keep calls with different answers and all their values, so that [check]'s rules can judge them
    #[arg(long, requires = "file")]
    keep_values: bool,
    /// With --inside: how many times as long as the control's calls the candidate's may take; timed at 50%
    #[arg(long, value_name = "RATIO", default_value_t = SLOWER, requires = "file", value_parser = ratio)]
    slower: f64,
}

fn ratio(text: &str) -> std::result::Result<f64, String> {
    text.parse()
        .ok()
        .filter(|ratio: &f64| (1.0..=1000.0).contains(ratio))
        .ok_or_else(|| "it must be from 1 to 1000".to_owned())
}

fn variant(text: &str) -> std::result::Result<Variant, String> {
    let known = Variant::ALL.into_iter().filter(|variant| variant.tier() != Tier::Server);
    let names: Vec<String> = known.clone().map(Variant::name).collect();
    known
        .into_iter()
        .find(|variant| variant.name() == text)
        .ok_or_else(|| format!("it must be one of {}", names.join(", ")))
}

/// The state with which a restarted judge continues.
#[derive(Serialize, Deserialize)]
struct Saved {
    ramp: String,
    key: String,
    candidate: String,
    /// The counts by file and process, before the ramp and at the last look; and the sum of those now gone.
    before: Parts,
    last: Parts,
    gone: InsideCounts,
    /// Unusable files from before the ramp.
    unread: BTreeSet<String>,
    judge: InsideJudge,
}

struct Ramp<'a> {
    file: &'a Path,
    flags: &'a InsideFlags,
    loaded: &'a Loaded,
    state: State,
    journal: Journal,
    saved: Saved,
    /// The content of the control file.
    written: String,
    renewed: Instant,
    /// Files that were unusable at the last look.
    unread: BTreeSet<String>,
    telling: Telling,
    console: &'a Console,
}

pub(super) fn run(start: &Start, file: &Path, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let loaded = open(start.place.project.as_deref().unwrap_or(Path::new(".")))?;
    // The ramp would wait forever.
    if loaded.project.pure.is_empty() {
        return Err(Failure::usage("no function is declared pure, so no call would take part").hint(
            "`pure = true` in `[function]` says that answers depend on the arguments alone, and calls change nothing",
        ));
    }
    if start.inside.sample == Part::NONE {
        return Err(Failure::usage("--sample must be above 0%: the judge goes by the calls that are compared"));
    }
    // The control file would replace whatever is there.
    if fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return Err(Failure::usage(format!("`{}` is no file that could be replaced by a control file", shown(file))));
    }
    let mut folder = file.as_os_str().to_owned();
    folder.push(".ramp");
    let state = State::at(folder.into());
    state.make().map_err(failed)?;
    let _held = state.hold().map_err(failed)?;
    let journal = Journal::open(state.journal()).map_err(failed)?;
    let telling = Telling::start(start.metrics, Some(&loaded), console)?;
    let saved = match if start.new { None } else { read(&state)? } {
        Some(saved) => {
            if saved.candidate != start.inside.candidate.name() {
                return Err(Failure::usage(format!("the last ramp is of {}", saved.candidate))
                    .hint("`tierup ramp --inside FILE --new` begins another one"));
            }
            if let Some(why) = saved.judge.ended() {
                return Err(Failure::no(format!("the last ramp was rolled back: {why}"))
                    .hint("`tierup ramp --inside FILE --new` begins another one"));
            }
            if !fs::read_to_string(file).is_ok_and(|text| text.contains(&format!("\ngeneration={}\n", saved.ramp))) {
                return Err(Failure::no("the last ramp was stopped: the control file was changed or removed")
                    .hint("`tierup ramp --inside FILE --new` begins another one"));
            }
            console.note(&format!("the ramp {} goes on, by the plan with which it began", saved.ramp));
            saved
        }
        None => begin(start, file, &loaded, console)?,
    };
    let mut ramp = Ramp {
        file,
        flags: &start.inside,
        loaded: &loaded,
        state,
        journal,
        saved,
        written: String::new(),
        renewed: Instant::now(),
        unread: BTreeSet::new(),
        telling,
        console,
    };
    // Without usable evidence, the candidate gets no share, however often a supervisor restarts this judge.
    if let Some(why) = ramp.look(0.0)? {
        ramp.put_in_force(true)?;
        return Err(Failure::no(format!("the ramp was stopped: {why}")));
    }
    ramp.save()?;
    ramp.put_in_force(matches!(ramp.saved.judge.decide(), Decision::RollBack { .. }))?;
    let ended = ramp.judge(&interrupts);
    console.done();
    ramp.telling.end(&interrupts).iter().for_each(|missed| console.note(&format!("warning: {missed}")));
    ended
}

/// Begins a ramp, which ignores earlier counts.
fn begin(start: &Start, file: &Path, loaded: &Loaded, console: &Console) -> Result<Saved> {
    let (plan, _) = start.plan.plan(Some(loaded), false, false);
    let plan = Plan { slower: start.inside.slower, ..plan };
    let judge = InsideJudge::new(plan).map_err(|error| Failure::usage(error.to_string()))?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let random: [u8; 20] = rand::random();
    let (ramp, key, candidate) = (hex(&random[..4]), hex(&random[4..]), start.inside.candidate.name());
    let (before, last, unread) = (Parts::new(), Parts::new(), BTreeSet::new());
    let saved = Saved { ramp, key, candidate, before, last, gone: InsideCounts::default(), unread, judge };
    // Comparisons under an earlier control file must not count.
    write(file, &control(&saved, &start.inside, None))?;
    console.status("waiting until all processes have read the control file");
    thread::sleep(SETTLES);
    let inside = found(file, loaded)?;
    let before = parts(&inside);
    console.note(&format!("the ramp {} of {} begins", saved.ramp, saved.candidate));
    Ok(Saved { last: before.clone(), before, unread: inside.unread, ..saved })
}

fn control(saved: &Saved, flags: &InsideFlags, until: Option<u64>) -> String {
    InsideControl {
        candidate: saved.candidate.clone(),
        sample: flags.sample,
        share: saved.judge.at(),
        is_by_input: flags.by_input,
        keeps_values: flags.keep_values,
        slower: saved.judge.slower(),
        ramp: saved.ramp.clone(),
        key: saved.key.clone(),
        until,
    }
    .to_string()
}

fn write(file: &Path, text: &str) -> Result<()> {
    replace(file, text.as_bytes()).map_err(failed)
}

fn saved_file(state: &State) -> PathBuf {
    state.folder().join("inside.json")
}

fn read(state: &State) -> Result<Option<Saved>> {
    let path = saved_file(state);
    let cannot = |error| Failure::because(format!("cannot read `{}`", shown(&path)), error);
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => serde_json::from_slice(&bytes.map_err(cannot)?).map_err(|error| cannot(error.into())).map(Some),
    }
}

impl Ramp<'_> {
    fn judge(&mut self, interrupts: &Interrupts) -> Result<()> {
        let (mut looked, mut said) = (Instant::now(), (String::new(), Instant::now()));
        let mut is_ready = false;
        loop {
            while looked.elapsed() < ROUND {
                if interrupts.arrived() {
                    return self.stopped(is_ready);
                }
                thread::sleep(LOOK);
            }
            let Saved { ramp, candidate, judge, .. } = &self.saved;
            self.telling.show(|told| metrics::metrics(ramp, candidate, judge, told));
            let seconds = looked.elapsed().as_secs_f64();
            looked = Instant::now();
            if fs::read_to_string(self.file).ok().as_ref() != Some(&self.written) {
                self.decide(Action::Suspend, vec!["somebody else has changed or removed the control file".to_owned()]);
                return Err(Failure::no("the ramp was stopped: somebody else has changed or removed the control file"));
            }
            // Evidence that cannot be read supports no share of the calls.
            if let Some(why) = self.look(seconds).unwrap_or_else(|failure| Some(words(&failure))) {
                self.put_in_force(true)?;
                self.decide(Action::Suspend, vec![why.clone()]);
                return Err(Failure::no(format!("the ramp was stopped: {why}")));
            }
            let decision = self.saved.judge.decide();
            match &decision {
                Decision::RollBack { because } => {
                    // Takes effect before it is recorded: a restarted judge rolls back again.
                    if let Err(failure) = self.put_in_force(true) {
                        self.warn(&failure);
                        // If the disk is full, a file can still be removed.
                        let _ = fs::remove_file(self.file);
                    }
                    self.decide(Action::RollBack, vec![because.to_string()]);
                    return Err(Failure::no(format!("the candidate was rolled back: {because}"))
                        .hint("`tierup shadow report --inside FILE` shows the evidence; `--new` begins another ramp"));
                }
                Decision::Advance { to, .. } => {
                    let reasons = vec![self.saved.judge.step().to_string()];
                    self.saved.judge.applied(*to);
                    self.decide(Action::Advance, reasons);
                    self.put_in_force(false)?;
                }
                Decision::Ready { .. } if !is_ready => {
                    is_ready = true;
                    self.decide(Action::Ready, vec![self.saved.judge.step().to_string()]);
                    self.console.note(&format!(
                        "the candidate keeps {} while this judge runs: start the servers with TIERUP_TIER={} and without \
                         TIERUP_ROLLOUT, then stop the judge with Ctrl-C",
                        self.saved.judge.at(),
                        self.saved.candidate
                    ));
                }
                _ => {}
            }
            self.save()?;
            // Measured by this process's clock, as the system clock may be set back.
            if self.renewed.elapsed().as_secs() >= RENEWED {
                self.put_in_force(false)?;
            }
            self.telling.warn(self.console);
            let line =
                format!("the candidate answers {}; at this step, {}", self.saved.judge.at(), self.saved.judge.step());
            if line != said.0 && said.1.elapsed() >= PROGRESS {
                self.console.status(&line);
                said = (line, Instant::now());
            }
        }
    }

    /// Reads the counts. Returns the reason if they can no longer be judged.
    fn look(&mut self, seconds: f64) -> Result<Option<String>> {
        let inside = found(self.file, self.loaded)?;
        let now = parts(&inside);
        let since = |name: &String, counts: &InsideCounts| match self.saved.before.get(name) {
            Some(before) => counts.since(before),
            None => *counts,
        };
        let gone = self.saved.last.iter().filter(|(name, _)| !now.contains_key(*name));
        let gone = gone.fold(self.saved.gone, |sum, (name, counts)| sum.and(&since(name, counts)));
        let mut sum = now.iter().fold(gone, |sum, (name, counts)| sum.and(&since(name, counts)));
        sum.deaths = deaths(self.file, &format!("{} {}", self.saved.candidate, self.saved.ramp));
        let were_there = !self.saved.last.is_empty();
        let are_gone = were_there && now.is_empty();
        (self.saved.gone, self.saved.last) = (gone, now);
        // Kept calls may be from an earlier ramp, with values that nobody asked for now.
        let first = inside.examples.first().filter(|_| self.flags.keep_values).map(|example| example.call.as_str());
        // A suspended machine observed nothing in the meantime.
        self.saved.judge.take(sum, first, seconds.min(5.0));
        // A new file is empty at first, so a file counts only if it was also unusable at the last look.
        let new = inside
            .unread
            .iter()
            .filter(|name| !self.saved.unread.contains(*name) && self.unread.contains(*name))
            .count();
        self.unread = inside.unread;
        let is_shared = self.saved.judge.at() > Part::NONE;
        Ok(if is_shared && new > 0 {
            Some(format!("{new} files of evidence are of another interface, or cannot be read"))
        } else if is_shared && are_gone {
            Some("all evidence has gone".to_owned())
        } else {
            None
        })
    }

    fn stopped(&self, is_ready: bool) -> Result<()> {
        self.console.note(&format!(
            "nobody judges any more: in at most {HOLDS} s the control answers every call; remove `{}` for that to be at once",
            shown(self.file)
        ));
        if is_ready { Ok(()) } else { Err(Failure::Interrupted) }
    }

    /// Writes the control file. If `is_over`, it ends all comparing and sharing.
    fn put_in_force(&mut self, is_over: bool) -> Result<()> {
        let text = control(&self.saved, self.flags, (!is_over).then_some(now() + HOLDS));
        // Somebody may have removed the file during the look: the next round reports it.
        if !is_over && !self.written.is_empty() && fs::read_to_string(self.file).ok().as_ref() != Some(&self.written) {
            return Ok(());
        }
        (self.written, self.renewed) = (text, Instant::now());
        write(self.file, &self.written)
    }

    fn save(&self) -> Result<()> {
        let text = serde_json::to_string(&self.saved).map_err(|error| Failure::new(error.to_string()))?;
        write(&saved_file(&self.state), &text)
    }

    /// Reports a decision everywhere. The journal is for people: if it cannot be written, the ramp continues.
    fn decide(&mut self, decision: Action, reasons: Vec<String>) {
        let number = self.journal.last() + 1;
        let weight =
            if decision == Action::Advance || decision == Action::Ready { self.saved.judge.at() } else { Part::NONE };
        let decided =
            Decided { number, ramp: self.saved.ramp.clone(), at: now(), generation: number, decision, weight, reasons };
        // After a suspension, the file of whoever changed it decides who answers.
        if decision != Action::Suspend {
            say(&decided, self.console);
        }
        self.telling.tell(&decided);
        // Two files: a rollback must be saved even if the journal cannot be written.
        let saved = self.save();
        let kept = self.journal.append(&[decided]).map_err(failed);
        [saved, kept].into_iter().filter_map(Result::err).for_each(|failure| self.warn(&failure));
    }

    fn warn(&self, failure: &Failure) {
        self.console.note(&format!("warning: {}", words(failure)));
    }
}

/// A failure's message, as a part of another one.
fn words(failure: &Failure) -> String {
    let text = failure.to_string();
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
