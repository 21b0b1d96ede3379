//! Which control file is in force: the newest that was seen, while a judge runs. In: the result of each look at the
//! file, and both clocks. Out: the control file to act on, or none, and any trouble.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use tierup_rollout::{Control, STALE_AFTER};

/// What was seen of the control file so far.
#[derive(Debug, Default)]
pub(super) struct FileHistory {
    last: Option<Last>,
    /// Earlier ramps. A file of theirs is an old one that was put back.
    past: BTreeSet<String>,
}

#[derive(Debug)]
struct Last {
    control: Control,
    /// When the file last changed, even if only its heartbeat.
    changed: Instant,
}

/// The result of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// `None` if control answers every request.
    pub(super) control: Option<Control>,
    /// When the file ceases to be in force if it does not change.
    pub(super) until: Option<Instant>,
    /// Why no control file is in force, or why the one in the folder was ignored.
    pub(super) trouble: Option<String>,
}

/// Why there is no control file to act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoFile {
    Missing,
    Unreadable(String),
}

const STALE: Duration = Duration::from_secs(STALE_AFTER);

impl FileHistory {
    /// Takes in the result of reading the file at `now`. `since_1970` is the machine's time in seconds.
    pub(super) fn look(&mut self, found: Result<Control, NoFile>, since_1970: u64, now: Instant) -> Look {
        let nothing = |trouble: String| Look { control: None, until: None, trouble: Some(trouble) };
        let found = match found {
            // There has been no ramp yet.
            Err(NoFile::Missing) if self.last.is_none() => return Look { control: None, until: None, trouble: None },
            Err(NoFile::Missing) => return nothing("it is missing".to_owned()),
            Err(NoFile::Unreadable(why)) => return nothing(why),
            Ok(found) => found,
        };
        let ignored = match self.age(&found) {
            Age::Contradicts => {
                return nothing(format!("it differs from an earlier one of the same generation, {}", found.generation));
            }
            Age::Older(why) => Some(why),
            Age::Unchanged => None,
            Age::Newer => {
                if let Some(last) = self.last.take().filter(|last| last.control.ramp != found.ramp) {
                    self.past.insert(last.control.ramp);
                }
                self.last = Some(Last { control: found, changed: now });
                None
            }
        };
        let Some(Last { control, changed }) = &self.last else {
            return nothing("it is of an earlier ramp".to_owned());
        };
        let until = *changed + STALE;
        if control.is_stale(since_1970) {
            return nothing(format!("its heartbeat is more than {STALE_AFTER} s away from this machine's time"));
        }
        // The clock may have been set back to the time of the last heartbeat.
        if now >= until {
            return nothing(format!("its heartbeat has not changed for {STALE_AFTER} s"));
        }
        Look { control: Some(control.clone()), until: Some(until), trouble: ignored }
    }

    fn age(&self, found: &Control) -> Age {
        if self.past.contains(&found.ramp) {
            return Age::Older(format!("it is ignored, as it is of the earlier ramp {}", found.ramp));
        }
        let Some(Last { control: last, .. }) = &self.last else { return Age::Newer };
        if found == last {
            return Age::Unchanged;
        }
        if found.ramp != last.ramp || found.generation > last.generation {
            return Age::Newer;
        }
        if found.generation < last.generation {
            let (old, new) = (found.generation, last.generation);
            return Age::Older(format!("it is ignored, as its generation is {old} and {new} was seen before"));
        }
        let same = Control { heartbeat: last.heartbeat, ..found.clone() } == *last;
        if same { Age::Newer } else { Age::Contradicts }
    }
}

/// The age of a file, compared with the last one.
enum Age {
    Older(String),
    Unchanged,
    /// The file is newer, or its heartbeat has changed.
    Newer,
    /// It has the last one's generation, but other contents.
    Contradicts,
}

#[cfg(test)]
mod tests {
    use tierup_rollout::{Part, Phase, RampKey, Weights};

    use super::*;

    const NOON: u64 = 1_795_406_400;

    fn file(generation: u64, heartbeat: u64) -> Control {
        Control {
            ramp: "3f2a9c01".into(),
            generation,
            heartbeat,
            phase: Phase::Ramping,
            weights: Weights::with_twin("5%".parse().expect("a part")),
            mirror: Part::ALL,
            second: Part::NONE,
            verify: Part::NONE,
            key: RampKey::new([1; 16]),
        }
    }

    fn of_ramp(ramp: &str, generation: u64) -> Control {
        Control { ramp: ramp.into(), ..file(generation, NOON) }
    }

    fn generation(look: &Look) -> Option<u64> {
        look.control.as_ref().map(|control| control.generation)
    }

    #[test]
    fn a_file_is_in_force_while_its_heartbeat_changes() {
        let (mut seen, start) = (FileHistory::default(), Instant::now());
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(seen.look(Err(NoFile::Missing), NOON, start).trouble, None, "there has been no ramp yet");
        let look = seen.look(Ok(file(1, NOON)), NOON, start);
        assert_eq!((generation(&look), look.until, look.trouble), (Some(1), Some(after(60)), None));
        assert_eq!(generation(&seen.look(Ok(file(1, NOON)), NOON + 59, after(59))), Some(1));
        assert_eq!(seen.look(Ok(file(1, NOON + 59)), NOON + 59, after(59)).until, Some(after(119)));
        let look = seen.look(Ok(file(1, NOON + 59)), NOON + 120, after(120));
        assert!(look.control.is_none() && look.trouble.is_some_and(|why| why.contains("heartbeat")));
        assert_eq!(generation(&seen.look(Ok(file(1, NOON + 121)), NOON + 121, after(121))), Some(1), "it goes on");
    }

    #[test]
    fn setting_the_clock_keeps_no_weights_in_force() {
        for wrong in [NOON - 3600, NOON + 3600] {
            let (mut seen, start) = (FileHistory::default(), Instant::now());
            seen.look(Ok(file(1, NOON)), NOON, start);
            assert!(seen.look(Ok(file(1, NOON)), wrong, start).control.is_none(), "the heartbeat is elsewhere");
        }
        // The clock is set back again and again to the time when the judge died.
        let (mut seen, start) = (FileHistory::default(), Instant::now());
        seen.look(Ok(file(1, NOON)), NOON, start);
        let look = seen.look(Ok(file(1, NOON)), NOON + 1, start + Duration::from_secs(60));
        assert_eq!(look.trouble.as_deref(), Some("its heartbeat has not changed for 60 s"));
        // The clock is set back while the judge lives. The file is in force again from its next heartbeat.
        let look = seen.look(Ok(file(1, NOON - 3600)), NOON - 3600, start + Duration::from_secs(61));
        assert_eq!(generation(&look), Some(1));
    }

    #[test]
    fn older_files_are_ignored_and_a_newer_ramp_starts_afresh() {
        let (mut seen, now) = (FileHistory::default(), Instant::now());
        assert_eq!(generation(&seen.look(Ok(of_ramp("aaaaaaaa", 7)), NOON, now)), Some(7));
        let look = seen.look(Ok(of_ramp("aaaaaaaa", 6)), NOON, now);
        assert_eq!(generation(&look), Some(7));
        assert!(look.trouble.is_some_and(|why| why.contains("its generation is 6")));
        let look = seen.look(Ok(of_ramp("bbbbbbbb", 1)), NOON, now);
        assert_eq!((generation(&look), look.trouble), (Some(1), None));
        let look = seen.look(Ok(of_ramp("aaaaaaaa", 8)), NOON, now);
        assert_eq!(
            (generation(&look), look.control.map(|control| control.ramp).as_deref()),
            (Some(1), Some("bbbbbbbb"))
        );
        assert!(look.trouble.is_some());
        let later = now + Duration::from_secs(60);
        assert!(
            seen.look(Ok(of_ramp("aaaaaaaa", 9)), NOON, later).control.is_none(),
            "the ignored do not keep it alive"
        );
    }

    #[test]
    fn control_answers_all_without_a_plausible_file() {
        let (mut seen, now) = (FileHistory::default(), Instant::now());
        seen.look(Ok(file(3, NOON)), NOON, now);
        let more = Control { weights: Weights::with_twin(Part::ALL), ..file(3, NOON) };
        assert!(seen.look(Ok(more), NOON, now).control.is_none(), "one generation has one content");
        assert_eq!(seen.look(Err(NoFile::Missing), NOON, now).trouble.as_deref(), Some("it is missing"));
        assert!(seen.look(Err(NoFile::Unreadable("torn".into())), NOON, now).control.is_none());
        assert_eq!(generation(&seen.look(Ok(file(3, NOON)), NOON, now)), Some(3), "what was right is right again");
        assert!(seen.look(Ok(file(2, NOON)), NOON, now).trouble.is_some(), "no trouble makes it forget");
    }
}
