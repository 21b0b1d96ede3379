//! Parts of the traffic, and which server answers which part.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A server of a rollout, by its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The server as it was.
    Control,
    /// The server that may replace it.
    Candidate,
    /// A second process of control, started with the candidate and as cold, to judge noise and slowness against.
    Twin,
}

impl Side {
    /// The name in reports, metrics and configurations.
    pub fn name(self) -> &'static str {
        match self {
            Side::Control => "control",
            Side::Candidate => "candidate",
            Side::Twin => "twin",
        }
    }
}

/// A part of a whole, in 1/10,000: `5%`, `0.25%`. Whole numbers add up exactly, and are the same in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(into = "u16", try_from = "u16")]
pub struct Part(u16);

/// Why a text or a number is not a [`Part`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a part is a percentage from 0% to 100% with at most two decimals, such as 5% or 0.25%")]
pub struct PartError;

impl Part {
    pub const NONE: Part = Part(0);
    pub const HALF: Part = Part(5_000);
    pub const ALL: Part = Part(10_000);
    /// The largest weight of a step. Control keeps a random rest for comparison, until an operator ends the ramp.
    pub const MOST: Part = Part(9_900);

    /// Makes a part from a number of 1/10,000.
    ///
    /// # Errors
    /// If it is more than the whole.
    pub const fn of_ten_thousand(parts: u16) -> Result<Part, PartError> {
        if parts <= 10_000 { Ok(Part(parts)) } else { Err(PartError) }
    }

    pub const fn ten_thousandths(self) -> u16 {
        self.0
    }

    /// The part as a number from 0 to 1.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// What is left of the whole.
    pub const fn rest(self) -> Part {
        Part(10_000 - self.0)
    }
}

impl TryFrom<u16> for Part {
    type Error = PartError;

    fn try_from(parts: u16) -> Result<Part, PartError> {
        Part::of_ten_thousand(parts)
    }
}

impl From<Part> for u16 {
    fn from(part: Part) -> u16 {
        part.0
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Part, PartError> {
        let number = text.strip_suffix('%').ok_or(PartError)?;
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) || whole.len() > 3 || decimals.len() > 2 {
            return Err(PartError);
        }
        let parts = format!("{whole}{decimals:0<2}").parse().map_err(|_| PartError)?;
        Part::of_ten_thousand(parts)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.0 / 100, self.0 % 100);
        match decimals {
            0 => write!(f, "{whole}%"),
            _ if decimals % 10 == 0 => write!(f, "{whole}.{}%", decimals / 10),
            _ => write!(f, "{whole}.{decimals:02}%"),
        }
    }
}

/// The parts of the traffic that are not control's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Weights {
    pub candidate: Part,
    /// At most what the candidate leaves over.
    pub twin: Part,
}

impl Weights {
    /// Control answers every request.
    pub const CONTROL_ONLY: Weights = Weights { candidate: Part::NONE, twin: Part::NONE };

    /// This part for the candidate, and the same for its twin, but at most half of the rest: control must go on
    /// answering some requests, as copies are compared with its answers.
    pub fn with_twin(candidate: Part) -> Weights {
        Weights { candidate, twin: candidate.min(Part(candidate.rest().0 / 2)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_written_as_it_is_read() {
        for text in ["0%", "1%", "5%", "0.25%", "12.5%", "0.01%", "100%"] {
            assert_eq!(text.parse::<Part>().map(|part| part.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("1.50%".parse::<Part>(), "1.5%".parse());
        for wrong in ["", "%", "5", "101%", "100.01%", "-1%", "+1%", "1.234%", ".5%", "5.%", "1 %", "1e1%", "99999%"] {
            assert_eq!(wrong.parse::<Part>(), Err(PartError), "{wrong}");
        }
    }

    #[test]
    fn a_twin_has_the_candidates_part_or_half_of_the_rest() {
        let twin = |text: &str| Weights::with_twin(text.parse().expect("a part")).twin.to_string();
        assert_eq!([twin("1%"), twin("33%"), twin("50%"), twin("100%")], ["1%", "33%", "25%", "0%"]);
    }
}
