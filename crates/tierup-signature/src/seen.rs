//! The files that witnesses write, merged over all processes. In: the JSON of each process. Out: for each watched
//! function, [`Counted`] after the first round and [`Seen`] after the second.

use serde::Deserialize;
use tierup_codegen::{Declared, DeclaredType};

use crate::{
    kinds::{self, Kind},
    shape::Shape,
};

/// How often a function was called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Counted {
    pub calls: u64,
    /// The line on which the function begins; 0 if it was not found.
    pub line: u32,
    /// The lines of the called functions with this name, if the file has several.
    pub lines: Vec<u32>,
    /// Other functions of the file that were called.
    pub others: Vec<String>,
}

/// The shapes of a function's arguments and answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    pub parameters: Vec<SeenParameter>,
    /// `None` if the function never returned.
    pub answer: Option<Shape>,
    /// Whether callers have to wait for the answer, as for a promise.
    pub waits: bool,
    /// Whether the function's module exports it under its name.
    pub exported: bool,
    /// The module that exports the function, if the host's files can hold several modules.
    pub owner: Option<String>,
    /// Reasons why the function cannot move as it is.
    pub problems: Vec<String>,
    /// Whether the function calls itself, so that some of the calls from outside may be missing.
    pub calls_itself: bool,
    /// Declared types, which take precedence.
    pub(crate) declared: Option<Types>,
    pub(crate) entered: Vec<Entered>,
    pub(crate) left: Vec<Left>,
    pub(crate) all_calls: u64,
    /// The kinds of the values of each argument.
    pub(crate) kinds: Vec<Vec<Kind>>,
    pub(crate) answer_kinds: Vec<Kind>,
}

/// Declared types, from the source or from annotations that exist while the server runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Types {
    /// Names as in the source, with types.
    pub(crate) parameters: Vec<(String, DeclaredType)>,
    pub(crate) answer: DeclaredType,
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SeenParameter {
    /// The name in the host's language.
    pub name: String,
    pub shape: Shape,
}

/// A call: its time in milliseconds since 1970, and a hash of each argument that is a number or text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Entered {
    pub(crate) at: f64,
    pub(crate) words: Vec<Option<String>>,
}

/// An answer: its time, and its hash if it is text or bytes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Left {
    pub(crate) at: f64,
    pub(crate) sha256: Option<String>,
}

#[derive(Deserialize)]
struct Document<F> {
    functions: Vec<F>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenSeen {
    parameters: Vec<WrittenParameter>,
    answers: Vec<Shape>,
    /// The times of the answers of each shape, in milliseconds since 1970. Not every witness writes them.
    answer_times: Vec<Vec<f64>>,
    waits: bool,
    exported: bool,
    owner: Option<String>,
    problems: Vec<String>,
    calls_itself: bool,
    declared: Option<Types>,
    entered: Vec<Entered>,
    left: Vec<Left>,
    /// The number of calls, if the witness does not look at every call.
    all_calls: u64,
}

#[derive(Deserialize)]
struct WrittenParameter {
    name: String,
    shapes: Vec<Shape>,
    /// The times of the values of each shape.
    #[serde(default)]
    times: Vec<Vec<f64>>,
}

/// The first round of all processes, for each of `functions` watched functions.
///
/// # Errors
/// A process wrote something of another form.
pub fn counted(processes: &[Vec<u8>], functions: usize) -> Result<Vec<Counted>, String> {
    let mut all = vec![Counted::default(); functions];
    for process in processes {
        for (sum, one) in all.iter_mut().zip(read::<Counted>(process, functions)?) {
            sum.calls += one.calls;
            sum.line = sum.line.max(one.line);
            add(&mut sum.lines, one.lines);
            // In this process, only one function of the name was called. Other processes may have called another.
            add(&mut sum.lines, Some(one.line).filter(|line| one.calls > 0 && *line > 0).into_iter().collect());
            add(&mut sum.others, one.others);
        }
    }
    for sum in &mut all {
        match sum.lines.len() {
            0 | 1 => sum.lines.clear(),
            _ => sum.calls = 0,
        }
    }
    Ok(all)
}

/// The second round of all processes, for each of `functions` watched functions.
///
/// # Errors
/// A process wrote something of another form.
pub fn seen(processes: &[Vec<u8>], functions: usize) -> Result<Vec<Seen>, String> {
    let mut all = vec![Seen::default(); functions];
    for process in processes {
        for (sum, one) in all.iter_mut().zip(read::<WrittenSeen>(process, functions)?) {
            sum.add(one);
        }
    }
    Ok(all)
}

impl Seen {
    /// The number of calls: all if the witness counted them, otherwise those that it looked at.
    pub fn calls(&self) -> u64 {
        self.all_calls.max(self.entered.len() as u64)
    }

    /// Adds the types that the source declares.
    pub fn declare(&mut self, declared: &Declared) {
        let Declared { parameters, answer, notes, .. } = declared.clone();
        let nothing = || DeclaredType::Optional(Box::new(DeclaredType::Seen));
        self.declared = Some(Types { parameters, answer: answer.unwrap_or_else(nothing), notes });
    }

    fn add(&mut self, one: WrittenSeen) {
        for (place, parameter) in one.parameters.into_iter().enumerate() {
            self.kinds.resize(self.kinds.len().max(place + 1), Vec::new());
            add_kinds(&mut self.kinds[place], &parameter.shapes, parameter.times);
            let shape = Shape::merge(parameter.shapes);
            match self.parameters.get_mut(place) {
                Some(known) => known.shape = std::mem::replace(&mut known.shape, Shape::Unseen).merged(shape),
                None => self.parameters.push(SeenParameter { name: parameter.name, shape }),
            }
        }
        add_kinds(&mut self.answer_kinds, &one.answers, one.answer_times);
        if !one.answers.is_empty() {
            let before = self.answer.take().unwrap_or(Shape::Unseen);
            self.answer = Some(before.merged(Shape::merge(one.answers)));
        }
        self.waits |= one.waits;
        self.exported |= one.exported;
        self.owner = self.owner.take().or(one.owner);
        add(&mut self.problems, one.problems);
        self.calls_itself |= one.calls_itself;
        self.declared = self.declared.take().or(one.declared);
        self.entered.extend(one.entered);
        self.left.extend(one.left);
        self.all_calls += one.all_calls;
    }
}

fn read<F: for<'a> Deserialize<'a>>(text: &[u8], functions: usize) -> Result<Vec<F>, String> {
    let document: Document<F> = serde_json::from_slice(text).map_err(|error| format!("it is no JSON: {error}"))?;
    match document.functions.len() {
        length if length == functions => Ok(document.functions),
        length => Err(format!("it has {length} functions and not {functions}")),
    }
}

fn add_kinds(known: &mut Vec<Kind>, shapes: &[Shape], times: Vec<Vec<f64>>) {
    let times = times.into_iter().chain(std::iter::repeat(Vec::new()));
    shapes.iter().zip(times).for_each(|(shape, times)| kinds::add(known, shape.clone(), times));
}

fn add<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_one_name_are_told_apart_across_processes() {
        let processes = |calls: &[(u64, u32)]| {
            let written = calls
                .iter()
                .map(|(calls, line)| format!(r#"{{"functions":[{{"calls":{calls},"line":{line}}}]}}"#).into_bytes());
            let Counted { calls, lines, .. } = counted(&written.collect::<Vec<_>>(), 1).unwrap().remove(0);
            (calls, lines)
        };
        assert_eq!(processes(&[(3, 7), (0, 0), (4, 7)]), (7, vec![]));
        assert_eq!(processes(&[(3, 7), (4, 9)]), (0, vec![7, 9]));
    }

    #[test]
    fn unwatched_calls_count_too() {
        let calls = |text: &str| {
            let written = format!(r#"{{"functions":[{{"entered":[{{"at":1,"words":[]}}]{text}}}]}}"#);
            seen(&[written.clone().into_bytes(), written.into_bytes()], 1).unwrap()[0].calls()
        };
        assert_eq!((calls(""), calls(r#","all_calls":7"#)), (2, 14));
    }
}
