//! How two answers are compared, as data: the rules of a project's `[check]`.

use crate::Path;

/// All that decides whether two observations are alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy {
    pub bodies: Comparator,
    pub errors: ErrorBodies,
    pub parameters: Parameters,
    pub headers: HeaderRules,
    pub calls: CallOrder,
}

/// Whether the order counts in which a server calls others while it answers one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallOrder {
    /// The calls are compared in the order in which they were made.
    #[default]
    Ordered,
    /// Each call is compared with the most similar one.
    Any,
}

/// Headers that are compared in addition to the default ones, and headers that are not. Names are case-insensitive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderRules {
    /// Headers such as `ETag`: compared as they are written.
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

/// How two bodies, or two values that functions returned, are compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Comparator {
    /// The same bytes.
    #[default]
    Exact,
    /// Only whether there is an answer, and its status; its content does not count.
    Status,
    /// The same lines.
    Text(TextRules),
    /// The same JSON. If neither body is JSON, the two are compared as `Exact`.
    Json(JsonRules),
    /// The same output of this command for both bodies. It reads a body from its standard input and writes to its
    /// standard output. The caller runs it: see [`Answer::meaning`](crate::Answer::meaning).
    Normalized(Vec<String>),
}

/// How errors are compared: bodies with a status of 400 or more, and messages of a function's own error or panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorBodies {
    /// Only that it is an error, and its status, as its text is for people.
    #[default]
    Status,
    /// Every byte.
    Exact,
}

/// How the parameters of a media type are compared, e.g. `; charset=utf-8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parameters {
    #[default]
    Ignored,
    /// Parameters may be in any order, and quotes do not count. Neither does the case of names and of `charset`'s
    /// value.
    Compared,
}

/// How texts are compared. Space at the beginning of a line or within it always counts, and so does a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextRules {
    pub line_ends: LineEnds,
    pub trailing_space: TrailingSpace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineEnds {
    /// `\r\n` equals `\n`.
    #[default]
    Any,
    Compared,
}

/// Whether spaces and tabs at the end of a line, and blank lines at the end of the text, count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrailingSpace {
    #[default]
    Ignored,
    Compared,
}

/// How JSON is compared. The order of keys and the space between values never count. An escape equals the character
/// that it stands for. Texts are compared without Unicode normalization.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonRules {
    /// Values that are ignored, even where only one side has them.
    pub ignore: Vec<Path>,
    /// Arrays whose items may stand in any order.
    pub unordered: Vec<Path>,
    pub numbers: Numbers,
    /// Applies to two numbers if at least one is written with a point or an exponent. Whole numbers are more often
    /// counts and keys than measurements, so a tolerance for them needs a path.
    pub tolerance: Option<Tolerance>,
    /// Applies to all numbers at these paths, instead of `tolerance`; the last path that matches counts.
    pub tolerances: Vec<(Path, Tolerance)>,
    pub duplicate_keys: DuplicateKeys,
}

/// When two numbers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// They are written the same: `1.0` differs from `1`, and `1e3` from `1000`.
    #[default]
    Exact,
    /// They have exactly the same value: `1.0` equals `1`, and `-0` equals `0`. Different integers of 23 digits differ.
    Value,
}

/// Two numbers are the same if their difference is within either of these (as in Python's `math.isclose`, PEP 485).
/// They are read as `f64`. If both tolerances are 0, the numbers must be the same `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// The allowed difference, in the numbers' own unit.
    pub absolute: f64,
    /// The allowed difference, as a fraction of the larger absolute value: with 1e-9, nine digits agree.
    pub relative: f64,
}

/// The meaning of a duplicate key in an object. JSON leaves this open (RFC 8259, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateKeys {
    /// A difference, unless both bodies are the same bytes.
    #[default]
    Refuse,
    /// The last one counts, as in JavaScript, Python, Go and most others.
    Last,
}
