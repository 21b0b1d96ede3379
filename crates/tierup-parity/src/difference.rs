//! Differences between two answers, and where they are.

use std::fmt;

use serde::Serialize;

use crate::location::{Location, Step};

/// One place at which a candidate's answer differs from the control's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub place: Place,
    /// The control's value there, on one line and cut to [`LONGEST`] characters; `None` if it has no value there.
    pub control: Option<String>,
    /// The candidate's value there; `None` if it has no value there.
    pub candidate: Option<String>,
    /// Further information, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where two answers differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "at", rename_all = "snake_case")]
pub enum Place {
    /// The status of the answer.
    Status,
    /// Its media type.
    ContentType,
    /// A header of the answer, by its name.
    Header(String),
    /// How a call ended: with a value, an error, a panic.
    Outcome,
    /// The message of an error or a panic.
    Message,
    /// The body as a whole.
    Body,
    /// A value of a JSON body.
    Json(Location),
    /// A line of a text, from 1.
    Line(usize),
    /// A byte of a body, from 0.
    Byte(usize),
    /// A call that the server made to another server, from 1: the whole call, or a part of it.
    Downstream { call: usize, part: Option<Box<Place>> },
}

/// The differences between two bodies, as far as they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Differences {
    /// In the order of the control's lines, items and sorted keys; at most [`MOST`].
    pub list: Vec<Difference>,
    /// How many more differences there are.
    pub left_out: usize,
    /// The size of all places in `list`, in bytes.
    #[serde(skip)]
    pub of_places: usize,
}

/// How many differences of two bodies are kept. A report shows a few; noise needs every path that differs.
pub const MOST: usize = 1000;
/// The largest total size of the places of differences, in bytes: a key may be as long as a body, and every place below
/// repeats the key. The first difference is kept in any case.
pub(crate) const MOST_OF_PLACES: usize = 1 << 20;
/// How many characters of a value a difference shows.
pub const LONGEST: usize = 120;

impl Difference {
    pub(crate) fn new(place: Place, control: Option<&str>, candidate: Option<&str>) -> Difference {
        let shown = |text: Option<&str>| text.map(shorten);
        Difference { place, control: shown(control), candidate: shown(candidate), note: None }
    }

    pub(crate) fn with_note(self, note: impl Into<String>) -> Difference {
        Difference { note: Some(note.into()), ..self }
    }
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a difference if there is room, otherwise counts it.
    pub(crate) fn push(&mut self, difference: Difference) {
        let of_places = self.of_places + difference.place.size();
        if self.list.len() < MOST && (of_places <= MOST_OF_PLACES || self.list.is_empty()) {
            self.of_places = of_places;
            self.list.push(difference);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a note about all differences to the first one.
    pub(crate) fn with_note(mut self, note: &str) -> Differences {
        if let Some(first) = self.list.first_mut() {
            let before = first.note.as_deref().map_or(String::new(), |note| format!("{note}; "));
            first.note = Some(format!("{before}{note}"));
        }
        self
    }

    pub(crate) fn append(&mut self, more: Differences) {
        more.list.into_iter().for_each(|difference| self.push(difference));
        self.left_out += more.left_out;
    }
}

impl From<Difference> for Differences {
    fn from(difference: Difference) -> Differences {
        let mut differences = Differences::default();
        differences.push(difference);
        differences
    }
}

impl Place {
    /// The size in bytes of what is allocated for a place.
    fn size(&self) -> usize {
        match self {
            Place::Json(Location(steps)) => {
                let keys = steps.iter().map(|step| if let Step::Key(key) = step { key.as_bytes().len() } else { 0 });
                steps.len() * size_of::<Step>() + keys.sum::<usize>()
            }
            Place::Downstream { part: Some(part), .. } => part.size(),
            _ => 0,
        }
    }
}

/// One line: ``$.items[3].id: 4 instead of 3``.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = "nothing";
        let candidate = self.candidate.as_deref().unwrap_or(nothing);
        let control = self.control.as_deref().unwrap_or(nothing);
        write!(f, "{}: {candidate} instead of {control}", self.place)?;
        self.note.iter().try_for_each(|note| write!(f, " ({note})"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Status => f.write_str("status"),
            Place::ContentType => f.write_str("content type"),
            Place::Header(name) => write!(f, "header {name}"),
            Place::Outcome => f.write_str("outcome"),
            Place::Message => f.write_str("message"),
            Place::Body => f.write_str("body"),
            Place::Json(location) => location.fmt(f),
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Downstream { call, part: None } => write!(f, "downstream call {call}"),
            Place::Downstream { call, part: Some(part) } => write!(f, "downstream call {call}, {part}"),
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
