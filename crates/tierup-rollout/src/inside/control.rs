//! The control file of a rollout inside processes, named by `TIERUP_ROLLOUT`. A judge writes it, packages read it.

use std::fmt;

use crate::{control::checksum_of, weights::Part};

/// What the judge tells the processes.
#[derive(Debug, Clone, PartialEq)]
pub struct InsideControl {
    /// The candidate, as a variant in Rust such as `3:native`.
    pub candidate: String,
    /// The part of all calls to compare. It is less if the control answers fewer calls.
    pub sample: Part,
    /// The part of the calls that the candidate answers.
    pub share: Part,
    /// Whether equal arguments are always answered by the same side.
    pub is_by_input: bool,
    pub keeps_values: bool,
    /// How many times as long as the control's calls the candidate's may take.
    pub slower: f64,
    /// The ramp's name.
    pub ramp: String,
    /// The key of the hash that assigns arguments to sides.
    pub key: String,
    /// In seconds since 1970: from then on the control answers every call. With `None`, nothing is compared or shared.
    pub until: Option<u64>,
}

/// The file's text.
impl fmt::Display for InsideControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only calls that the control answers can be compared.
        let shadow = (self.sample.fraction() / self.share.rest().fraction()).min(1.0);
        let share = self.share.fraction();
        let mut lines = format!("candidate={}\ngeneration={}\n", self.candidate, self.ramp);
        if let Some(until) = self.until {
            lines += &format!("shadow={shadow:.6}\nshare={share}\nkey={}\nuntil={until}\n", self.key);
        }
        lines += &if self.is_by_input { "by=input\n".to_owned() } else { format!("slower={}\n", self.slower) };
        if self.keeps_values {
            lines += "keep=values\n";
        }
        writeln!(f, "{lines}checksum={}", checksum_of(&lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_part_of_the_controls_calls_is_compared_if_it_answers_fewer() {
        let mut control = InsideControl {
            candidate: "3:native".into(),
            sample: "1%".parse().expect("a part"),
            share: "50%".parse().expect("a part"),
            is_by_input: true,
            keeps_values: true,
            slower: 1.05,
            ramp: "3f2a9c01".into(),
            key: "0a1b".into(),
            until: Some(1_795_406_460),
        };
        let lines = "candidate=3:native\ngeneration=3f2a9c01\nshadow=0.020000\nshare=0.5\nkey=0a1b\nuntil=1795406460\n\
                     by=input\nkeep=values\n";
        assert_eq!(control.to_string(), format!("{lines}checksum={}\n", checksum_of(lines)));
        control.share = Part::MOST;
        assert!(control.to_string().contains("shadow=1.000000\nshare=0.99\n"), "{control}");
        (control.until, control.is_by_input) = (None, false);
        assert!(control.to_string().starts_with("candidate=3:native\ngeneration=3f2a9c01\nslower=1.05\n"), "{control}");
    }
}
