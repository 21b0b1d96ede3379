//! How two answers are compared, as data: what `[check]` of a project comes to.

use crate::Path;

/// All that decides whether two observations are alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy {
    pub bodies: Comparator,
    pub errors: ErrorBodies,
    pub parameters: Parameters,
    pub headers: HeaderRules,
}

/// Which headers count beside those that always do, and which of these do not. The names' case does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderRules {
    /// `ETag` and its like: compared as they are written.
    pub also: Vec<String>,
    pub ignore: Vec<String>,
}

impl HeaderRules {
    pub(crate) fn adds(&self, name: &str) -> bool {
        self.also.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    pub(crate) fn ignores(&self, name: &str) -> bool {
        self.ignore.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// What makes two bodies, or two values that functions returned, alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Comparator {
    /// The same bytes.
    #[default]
    Exact,
    /// Whether there is an answer, and with which status; not what it says.
    Status,
    /// The same lines.
    Text(TextRules),
    /// The same JSON. Two bodies neither of which is JSON are compared as `Exact`.
    Json(JsonRules),
    /// The same is made of both by this command, which gets a body on its standard input and answers on its standard
    /// output. Running it is the caller's: see [`Answer::meaning`](crate::Answer::meaning).
    Normalized(Vec<String>),
}

/// What of an error is compared: a body with a status of 400 or more, the message of a function's own error or panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorBodies {
    /// That it is one, and with which status. Its words are for people.
    #[default]
    Status,
    /// Every byte.
    Exact,
}

/// What follows the media type: `; charset=utf-8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parameters {
    #[default]
    Ignored,
    /// In any order; names, and the value of `charset`, in any case; values with quotes or without.
    Compared,
}

/// How texts are compared. Space at the beginning of a line and within it counts always, and so does a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextRules {
    pub line_ends: LineEnds,
    pub trailing_space: TrailingSpace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineEnds {
    /// `\r\n` is `\n`.
    #[default]
    Any,
    Compared,
}

/// Spaces and tabs at the end of a line, and blank lines at the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrailingSpace {
    #[default]
    Ignored,
    Compared,
}

/// How JSON is compared. The order of keys and the space between values never count, and an escape is the character that
/// it stands for; texts are compared as they are, not as Unicode would normalize them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonRules {
    /// Values that are not looked at, nor whether they are there.
    pub ignore: Vec<Path>,
    /// Arrays whose items may stand in any order.
    pub unordered: Vec<Path>,
    pub numbers: Numbers,
    /// For every two numbers at least one of which is written with a point or an exponent. Whole numbers are counts and
    /// keys more often than measures: for them a tolerance takes a path.
    pub tolerance: Option<Tolerance>,
    /// For all numbers at these paths, instead of `tolerance`; the last that fits counts.
    pub tolerances: Vec<(Path, Tolerance)>,
    pub duplicate_keys: DuplicateKeys,
}

/// When two numbers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Written the same: `1.0` is not `1`, and `1e3` not `1000`.
    #[default]
    Exact,
    /// The same value, to the last digit: `1.0` is `1`, and `-0` is `0`. No two integers of 23 digits become one.
    Value,
}

/// Two numbers are the same where they are apart by no more than one of these (as Python's `math.isclose` has it,
/// PEP 485). They are read as `f64`. A tolerance of 0 and 0 is the same `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// In the numbers' own unit.
    pub absolute: f64,
    /// Of the larger of the two: 1e-9 is nine digits.
    pub relative: f64,
}

/// What a key is that an object has twice. JSON leaves it open (RFC 8259, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateKeys {
    /// A difference, unless both bodies are the same bytes.
    #[default]
    Refuse,
    /// The last one counts, as in JavaScript, Python, Go and most others.
    Last,
}
