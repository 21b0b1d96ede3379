//! `tierup ramp --inside`: judges what processes have counted that run with `TIERUP_ROLLOUT`, and writes the control file that they read.
//!
//! The ramp's state is in a folder beside the control file, with `.ramp` at the end of its name. A judge that stops renews the file no
//! more, and a minute later the control answers every call.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use clap::Args;
use serde::{Deserialize, Serialize};
use tierup_check::Inside;
use tierup_codegen::{Tier, Variant};
use tierup_project::{Loaded, shown};
use tierup_ramp::{Action, Decided, Journal, LOOK, ROUND, State, replace};
use tierup_rollout::{Decision, InsideControl, InsideCounts, InsideJudge, Part};
use tierup_runner::{Interrupts, Observer as _};

use super::{
    Start,
    judging::{failed, say},
    telling::Telling,
};
use crate::{
    commands::shadow::found_inside,
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// How long the control file holds after it was written, in seconds, and when it is renewed.
const HOLDS: u64 = 60;
const RENEWED: u64 = 10;
/// How long processes may take to read a control file, and to send what they counted under the one before.
const SETTLES: Duration = Duration::from_secs(3);
/// Between two lines of progress that say nothing new.
const PROGRESS: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(super) struct InsideFlags {
    /// Roll out inside the processes that run with TIERUP_ROLLOUT=FILE, call by call, by what they count; no proxy takes part
    #[arg(long = "inside", value_name = "FILE", conflicts_with_all = ["show_config", "row", "metrics", "state"])]
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
    /// With --inside: keep calls that are answered differently with all their values, so that the rules of [check] can judge them
    #[arg(long, requires = "file")]
    keep_values: bool,
}

fn variant(text: &str) -> std::result::Result<Variant, String> {
    let known = Variant::ALL.into_iter().filter(|variant| variant.tier() != Tier::Server);
    let names: Vec<String> = known.clone().map(Variant::name).collect();
    known
        .into_iter()
        .find(|variant| variant.name() == text)
        .ok_or_else(|| format!("it must be one of {}", names.join(", ")))
}

/// What a judge that is started again goes on with.
#[derive(Serialize, Deserialize)]
struct Saved {
    ramp: String,
    key: String,
    candidate: String,
    /// What was counted before the ramp began.
    before: InsideCounts,
    judge: InsideJudge,
}

struct Ramp<'a> {
    file: &'a Path,
    flags: &'a InsideFlags,
    loaded: &'a Loaded,
    state: State,
    journal: Journal,
    saved: Saved,
    /// What the control file says.
    written: String,
    until: u64,
    telling: Telling,
    console: &'a Console,
}

pub(super) fn run(start: &Start, file: &Path, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let loaded = open(start.place.project.as_deref().unwrap_or(Path::new(".")))?;
    let state = State::at(PathBuf::from(format!("{}.ramp", file.display())));
    state.make().map_err(failed)?;
    let _held = state.hold().map_err(failed)?;
    let journal = Journal::open(state.journal()).map_err(failed)?;
    let telling = Telling::start(None, Some(&loaded), console)?;
    let saved = match read(&state)? {
        Some(saved) if !start.new && saved.candidate == start.inside.candidate.name() => {
            if let Some(why) = saved.judge.ended() {
                return Err(Failure::no(format!("the last ramp was rolled back: {why}"))
                    .hint("`tierup ramp --inside FILE --new` begins another one"));
            }
            console.note(&format!("the ramp {} goes on, by the plan with which it began", saved.ramp));
            saved
        }
        _ => begin(start, file, &loaded, console)?,
    };
    let mut ramp = Ramp {
        file,
        flags: &start.inside,
        loaded: &loaded,
        state,
        journal,
        saved,
        written: String::new(),
        until: 0,
        telling,
        console,
    };
    ramp.put_in_force(false)?;
    let ended = ramp.judge(&interrupts);
    console.done();
    ramp.telling.end(&interrupts).iter().for_each(|missed| console.note(&format!("warning: {missed}")));
    ended
}

/// A ramp that counts nothing of what was seen before.
fn begin(start: &Start, file: &Path, loaded: &Loaded, console: &Console) -> Result<Saved> {
    let (plan, _) = start.plan.plan(Some(loaded), false, false);
    let judge = InsideJudge::new(plan).map_err(|error| Failure::usage(error.to_string()))?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let random: [u8; 20] = rand::random();
    let (ramp, key, candidate) = (hex(&random[..4]), hex(&random[4..]), start.inside.candidate.name());
    let saved = Saved { ramp, key, candidate, before: InsideCounts::default(), judge };
    // What is compared under a control file of before must not count.
    write(file, &control(&saved, &start.inside, None))?;
    console.status("waiting until all processes have read the control file");
    thread::sleep(SETTLES);
    let before = counts(&found(file, loaded)?);
    console.note(&format!("the ramp {} of {} begins", saved.ramp, saved.candidate));
    Ok(Saved { before, ..saved })
}

fn control(saved: &Saved, flags: &InsideFlags, until: Option<u64>) -> String {
    InsideControl {
        candidate: saved.candidate.clone(),
        sample: flags.sample,
        share: saved.judge.at(),
        is_by_input: flags.by_input,
        keeps_values: flags.keep_values,
        ramp: saved.ramp.clone(),
        key: saved.key.clone(),
        until,
    }
    .to_string()
}

fn write(file: &Path, text: &str) -> Result<()> {
    replace(file, text.as_bytes()).map_err(failed)
}

/// Before the first call there is no evidence.
fn found(file: &Path, loaded: &Loaded) -> Result<Inside> {
    let evidence = PathBuf::from(format!("{}.evidence", file.display()));
    if evidence.is_dir() { found_inside(file, loaded) } else { Ok(Inside::default()) }
}

fn counts(inside: &Inside) -> InsideCounts {
    let of = |counts: &BTreeMap<String, u64>, name| counts.get(name).copied().unwrap_or_default();
    let (calls, compared) = (|name| of(&inside.calls, name), |name| of(&inside.compared, name));
    InsideCounts {
        calls: calls("calls"),
        sampled: calls("sampled"),
        too_large: calls("too_large"),
        compared: compared("compared"),
        different: compared("different").saturating_sub(inside.alike_by_rules) + calls("refused"),
        shared: calls("shared"),
        panics: calls("panics"),
        timeouts: calls("timeouts"),
        lost: calls("lost"),
        deaths: inside.deaths as u64,
    }
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
            let seconds = looked.elapsed().as_secs_f64();
            looked = Instant::now();
            if fs::read_to_string(self.file).ok().as_ref() != Some(&self.written) {
                self.decide(Action::Suspend, vec!["somebody else has changed or removed the control file".to_owned()]);
                return Err(Failure::no("the ramp was stopped: somebody else has changed or removed the control file"));
            }
            let inside = found(self.file, self.loaded)?;
            let first = inside.examples.first().map(|example| example.call.as_str());
            // A machine that slept has seen nothing meanwhile.
            self.saved.judge.take(counts(&inside).since(&self.saved.before), first, seconds.min(5.0));
            let decision = self.saved.judge.decide();
            match &decision {
                Decision::RollBack { because } => {
                    // First in force, then known: a judge that is started again rolls back once more.
                    self.put_in_force(true)?;
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
            if now() + HOLDS >= self.until + RENEWED {
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

    fn stopped(&self, is_ready: bool) -> Result<()> {
        self.console.note(&format!(
            "nobody judges any more: in at most {HOLDS} s the control answers every call; remove `{}` for that to be at once",
            shown(self.file)
        ));
        if is_ready { Ok(()) } else { Err(Failure::Interrupted) }
    }

    /// Writes the control file; `is_over`: nothing is compared or shared any more.
    fn put_in_force(&mut self, is_over: bool) -> Result<()> {
        self.until = now() + HOLDS;
        self.written = control(&self.saved, self.flags, (!is_over).then_some(self.until));
        write(self.file, &self.written)
    }

    fn save(&self) -> Result<()> {
        let text = serde_json::to_string(&self.saved).map_err(|error| Failure::new(error.to_string()))?;
        write(&saved_file(&self.state), &text)
    }

    /// Tells everybody. The journal is for people: if it cannot be written, the ramp goes on.
    fn decide(&mut self, decision: Action, reasons: Vec<String>) {
        let number = self.journal.last() + 1;
        let weight =
            if decision == Action::Advance || decision == Action::Ready { self.saved.judge.at() } else { Part::NONE };
        let decided =
            Decided { number, ramp: self.saved.ramp.clone(), at: now(), generation: number, decision, weight, reasons };
        say(&decided, self.console);
        self.telling.tell(&decided);
        let kept = self.journal.append(&[decided]).map_err(failed).and_then(|()| self.save());
        kept.unwrap_or_else(|failure| self.console.note(&format!("warning: {failure}")));
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
