//! The control file: plain `key=value` lines, so that a reader in any language needs no parser.
//!
//! ```text
//! format=1
//! ramp=3f2a9c01
//! generation=42
//! heartbeat=1795406400
//! phase=ramping
//! candidate=500
//! twin=500
//! mirror=10000
//! second=1000
//! verify=1000
//! key=000102030405060708090a0b0c0d0e0f
//! checksum=5c1c8b7d0a3e94f2
//! ```
//!
//! Parts are in 1/10,000. The checksum is the first 16 hexadecimal digits of the SHA-256 of the lines above it. It
//! detects files that were cut or edited by hand, not attackers, who could compute it. Unknown keys are ignored, so
//! that an older proxy reads a newer file; a missing key or a wrong value makes the whole file unreadable.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    buckets::RampKey,
    weights::{Part, Weights},
};

/// A control file is stale if its heartbeat is more than this many seconds in the past or in the future: no judge runs.
pub const STALE_AFTER: u64 = 60;

/// How far a rollout has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Control answers every request, and the candidate gets copies.
    Shadow,
    /// The candidate answers a part of the requests.
    Ramping,
    /// The weights stay as they are until the operator resumes.
    Paused,
    /// The candidate answers every request.
    Done,
    /// Control answers every request again: the judge or the operator gave the candidate up.
    RolledBack,
}

/// What the judge tells the proxies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The ramp's name: eight hexadecimal digits.
    pub ramp: String,
    /// Rises with every change, except of the heartbeat.
    pub generation: u64,
    /// When the judge last wrote the file, in seconds since 1970.
    pub heartbeat: u64,
    pub phase: Phase,
    pub weights: Weights,
    /// The part of the safe requests that is mirrored.
    pub mirror: Part,
    /// The part of the copies that goes to the second control process.
    pub second: Part,
    /// The part of the candidate's safe answers that is mirrored back to control.
    pub verify: Part,
    pub key: RampKey,
}

/// Why a text is not a control file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the checksum does not fit the lines above it")]
    Checksum,
    #[error("the line `{0}` is not key=value")]
    Line(String),
    #[error("the format is not 1")]
    Format,
    #[error("`{0}` is missing, or its value is not what it should be")]
    Value(&'static str),
}

impl Control {
    /// The weights at `now`, in seconds since 1970. If the file is stale then, control answers every request.
    pub fn weights_at(&self, now: u64) -> Weights {
        if self.is_stale(now) { Weights::CONTROL_ONLY } else { self.weights }
    }

    pub fn is_stale(&self, now: u64) -> bool {
        now.abs_diff(self.heartbeat) > STALE_AFTER
    }

    /// # Errors
    /// If the text is not a complete control file.
    pub fn parse(text: &str) -> Result<Control, Unreadable> {
        let (lines, checksum) = text.rsplit_once("checksum=").ok_or(Unreadable::Value("checksum"))?;
        if checksum.strip_suffix('\n') != Some(checksum_of(lines).as_str()) {
            return Err(Unreadable::Checksum);
        }
        let lines = lines.lines().map(|line| line.split_once('=').ok_or_else(|| Unreadable::Line(line.to_owned())));
        let values = Values(lines.collect::<Result<_, _>>()?);
        if values.text("format")? != "1" {
            return Err(Unreadable::Format);
        }
        let weights = Weights { candidate: values.part("candidate")?, twin: values.part("twin")? };
        if weights.twin > weights.candidate.rest() {
            return Err(Unreadable::Value("twin"));
        }
        let is_name = |name: &&str| name.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(Control {
            ramp: Some(values.text("ramp")?).filter(is_name).ok_or(Unreadable::Value("ramp"))?.to_owned(),
            generation: values.number("generation")?,
            heartbeat: values.number("heartbeat")?,
            phase: phase(values.text("phase")?).ok_or(Unreadable::Value("phase"))?,
            weights,
            mirror: values.part("mirror")?,
            second: values.part("second")?,
            verify: values.part("verify")?,
            key: values.text("key")?.parse().map_err(|_| Unreadable::Value("key"))?,
        })
    }
}

/// The file's text.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = Part::ten_thousandths;
        let lines = format!(
            "format=1\nramp={}\ngeneration={}\nheartbeat={}\nphase={}\ncandidate={}\ntwin={}\nmirror={}\nsecond={}\n\
             verify={}\nkey={}\n",
            self.ramp,
            self.generation,
            self.heartbeat,
            self.phase,
            part(self.weights.candidate),
            part(self.weights.twin),
            part(self.mirror),
            part(self.second),
            part(self.verify),
            self.key,
        );
        writeln!(f, "{lines}checksum={}", checksum_of(&lines))
    }
}

const PHASES: [(Phase, &str); 5] = [
    (Phase::Shadow, "shadow"),
    (Phase::Ramping, "ramping"),
    (Phase::Paused, "paused"),
    (Phase::Done, "done"),
    (Phase::RolledBack, "rolled-back"),
];

fn phase(text: &str) -> Option<Phase> {
    PHASES.iter().find_map(|(phase, name)| (*name == text).then_some(*phase))
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PHASES.iter().find_map(|(phase, name)| (phase == self).then_some(*name));
        f.write_str(name.unwrap_or_default())
    }
}

pub(crate) fn checksum_of(lines: &str) -> String {
    Sha256::digest(lines).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

struct Values<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Values<'a> {
    fn text(&self, key: &'static str) -> Result<&'a str, Unreadable> {
        self.0.get(key).copied().ok_or(Unreadable::Value(key))
    }

    fn number(&self, key: &'static str) -> Result<u64, Unreadable> {
        self.text(key)?.parse().map_err(|_| Unreadable::Value(key))
    }

    fn part(&self, key: &'static str) -> Result<Part, Unreadable> {
        let parts = self.text(key)?.parse().map_err(|_| Unreadable::Value(key))?;
        Part::of_ten_thousand(parts).map_err(|_| Unreadable::Value(key))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn control() -> Control {
        Control {
            ramp: "3f2a9c01".into(),
            generation: 42,
            heartbeat: 1_795_406_400,
            phase: Phase::RolledBack,
            weights: Weights::with_twin("5%".parse().expect("a part")),
            mirror: Part::ALL,
            second: "10%".parse().expect("a part"),
            verify: Part::NONE,
            key: RampKey::new([9; 16]),
        }
    }

    #[test]
    fn a_file_is_read_as_it_is_written() {
        let text = control().to_string();
        expect![[r#"
            format=1
            ramp=3f2a9c01
            generation=42
            heartbeat=1795406400
            phase=rolled-back
            candidate=500
            twin=500
            mirror=10000
            second=1000
            verify=0
            key=09090909090909090909090909090909
            checksum=17cbd495c99ec18d
        "#]]
        .assert_eq(&text);
        assert_eq!(Control::parse(&text), Ok(control()));
    }

    #[test]
    fn a_file_is_unreadable_if_it_was_cut_or_changed_anywhere() {
        let text = control().to_string();
        for end in 0..text.len() {
            assert!(Control::parse(&text[..end]).is_err(), "cut at {end}");
            let mut changed = text.clone().into_bytes();
            changed[end] ^= 1;
            assert!(String::from_utf8(changed).is_ok_and(|text| Control::parse(&text).is_err()), "changed at {end}");
        }
    }

    #[test]
    fn wrong_values_are_refused_and_unknown_keys_are_ignored() {
        let with = |from: &str, to: &str| {
            let text = control().to_string().replace(from, to);
            let lines = text.rsplit_once("checksum=").expect("it has one").0.to_owned();
            Control::parse(&format!("{lines}checksum={}\n", checksum_of(&lines)))
        };
        assert_eq!(with("format=1\n", "format=1\nnew=1\n"), Ok(control()));
        assert_eq!(with("format=1", "format=2"), Err(Unreadable::Format));
        assert_eq!(with("candidate=500", "candidate=10001"), Err(Unreadable::Value("candidate")));
        assert_eq!(with("candidate=500", "candidate=9700"), Err(Unreadable::Value("twin")));
        assert_eq!(with("phase=rolled-back", "phase=over"), Err(Unreadable::Value("phase")));
        assert_eq!(with("ramp=3f2a9c01", "ramp=../../x"), Err(Unreadable::Value("ramp")));
        assert_eq!(with("generation=42\n", ""), Err(Unreadable::Value("generation")));
        assert_eq!(with("twin=500", "twin"), Err(Unreadable::Line("twin".into())));
    }

    #[test]
    fn control_answers_all_if_the_heartbeat_is_stale_or_in_the_future() {
        let control = control();
        for (now, expected) in [(0, control.weights), (60, control.weights), (61, Weights::CONTROL_ONLY)] {
            assert_eq!(control.weights_at(control.heartbeat + now), expected);
            assert_eq!(control.weights_at(control.heartbeat - now), expected);
        }
    }
}
