//! Reads uncompressed pprof (github.com/google/pprof, `proto/profile.proto`). In: the bytes of the message `Profile`.
//! Out: the profile, whose weights are the samples' seconds of CPU.
//!
//! The reader is written by hand rather than generated: it needs only nine fields of the messages, and no build step.

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use super::{
    DEEPEST, Reading, bounded,
    protobuf::{Broken, Span, Value},
};
use crate::profile::{FrameId, Profile, Sample, Unit};

/// The needed parts of the message `Profile`. Texts are indices into the table of texts.
#[derive(Default)]
struct File<'a> {
    /// Type and unit of each value of a sample.
    types: Vec<(u64, u64)>,
    mappings: HashMap<u64, u64>,
    locations: HashMap<u64, Location>,
    functions: HashMap<u64, Function>,
    texts: Vec<Span<'a>>,
    period_type: (u64, u64),
    period: u64,
    /// The number of entries in all tables.
    entries: usize,
}

/// The most entries of a file's tables together.
const MOST_ENTRIES: usize = 10_000_000;

/// An address in the program.
struct Location {
    mapping: u64,
    address: u64,
    /// The functions at this address, from the innermost inlined one outwards.
    functions: Vec<u64>,
}

struct Function {
    name: u64,
    file: u64,
    line: u64,
}

pub(super) fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    let broken = |Broken { at, why }| {
        Diagnostic::new(format!("`{}` is no profile of pprof: {why}, at byte {at}", reading.name))
            .hint("tierup profile reads collapsed stacks (`main;run;write 12`), .cpuprofile and pprof")
    };
    let file = File::parse(Span::whole(bytes)).map_err(broken)?;
    let (column, weight) = file.weight(reading)?;
    let mut profile = Profile::in_unit(if weight.is_some() { Unit::Seconds } else { Unit::Samples });
    let mut known: HashMap<u64, Vec<FrameId>> = HashMap::new();
    // A second pass, as the tables may follow the samples. It reads samples one by one, without memory for all of them.
    for field in Span::whole(bytes).fields() {
        let (2, sample) = field.map_err(broken)? else { continue };
        let (locations, values) = sample_of(sample.span(), column + 1).map_err(broken)?;
        let Some(value) = values.get(column) else {
            return Err(wrong(reading, "a sample has fewer values than the profile has types"));
        };
        let (mut depth, mut reached) = (0, 0);
        for id in &locations {
            let Some(location) = file.locations.get(id) else {
                return Err(wrong(reading, &format!("a sample names a location {id}, which it does not have")));
            };
            (depth, reached) = (depth + location.functions.len().max(1), reached + 1);
            if depth >= DEEPEST {
                break;
            }
        }
        let mut caller = None;
        // How many frames of the outermost location are too deep.
        let mut left_out = depth.saturating_sub(DEEPEST);
        for id in locations[..reached].iter().rev() {
            if !known.contains_key(id) {
                let frames = file.frames(&file.locations[id], reading)?;
                known.insert(*id, frames.into_iter().map(|frame| profile.frame(frame)).collect());
            }
            for frame in &known[id][left_out..] {
                caller = Some(profile.stack(caller, *frame));
            }
            left_out = 0;
        }
        if let Some(stack) = caller {
            // Values are signed, and a difference of two profiles has negative ones.
            let weight = (*value as i64) as f64 * weight.unwrap_or(1.0);
            profile.add(Sample { stack, weight, block: 0, process: 0, thread: 0 });
        }
        bounded(&profile, reading)?;
    }
    Ok(profile)
}

fn wrong(reading: &Reading<'_>, why: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("`{}` is no profile of pprof: {why}", reading.name)))
}

impl<'a> File<'a> {
    fn parse(whole: Span<'a>) -> Result<File<'a>, Broken> {
        let mut file = File::default();
        file.read(whole)?;
        Ok(file)
    }

    fn read(&mut self, whole: Span<'a>) -> Result<(), Broken> {
        for field in whole.fields() {
            let (number, value) = field?;
            if matches!(number, 1 | 3 | 4 | 5 | 6) {
                self.count(1, value)?;
            }
            match (number, value) {
                (1, value) => self.types.push(pair(value.span())?),
                (3, value) => {
                    let numbers = numbers::<6>(value.span())?;
                    self.mappings.insert(numbers[1], numbers[5]);
                }
                (4, value) => self.location(value)?,
                (5, value) => {
                    let [_, id, name, _, path, line] = numbers::<6>(value.span())?;
                    self.functions.insert(id, Function { name, file: path, line });
                }
                (6, value) => self.texts.push(value.span()),
                (11, value) => self.period_type = pair(value.span())?,
                (12, value) => self.period = value.number(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts entries of the tables, and refuses too many before they fill the memory.
    fn count(&mut self, more: usize, value: Value<'_>) -> Result<(), Broken> {
        self.entries += more;
        if self.entries <= MOST_ENTRIES {
            return Ok(());
        }
        Err(Broken { at: value.span().start(), why: "it has more than 10 million texts, functions and locations" })
    }

    fn location(&mut self, value: Value<'a>) -> Result<(), Broken> {
        let message = value.span();
        let (mut id, mut location) = (0, Location { mapping: 0, address: 0, functions: Vec::new() });
        for field in message.fields() {
            match field? {
                (1, value) => id = value.number(),
                (2, value) => location.mapping = value.number(),
                (3, value) => location.address = value.number(),
                // The innermost come first.
                (4, value) if location.functions.len() < DEEPEST => {
                    location.functions.push(numbers::<2>(value.span())?[1]);
                }
                _ => {}
            }
        }
        self.count(location.functions.len(), value)?;
        self.locations.insert(id, location);
        Ok(())
    }

    fn text(&self, number: u64) -> String {
        let text = usize::try_from(number).ok().and_then(|number| self.texts.get(number));
        text.map(|text| String::from_utf8_lossy(text.bytes()).into_owned()).unwrap_or_default()
    }

    /// Which of a sample's values to use, and how many seconds one unit of it stands for, if known.
    fn weight(&self, reading: &Reading<'_>) -> Result<(usize, Option<f64>), Box<Diagnostic>> {
        let types: Vec<(String, String)> =
            self.types.iter().map(|(name, unit)| (self.text(*name), self.text(*unit))).collect();
        let seconds = |unit: &str| match unit {
            "nanoseconds" | "ns" => Some(1e-9),
            "microseconds" | "us" => Some(1e-6),
            "milliseconds" | "ms" => Some(1e-3),
            "seconds" | "s" => Some(1.0),
            _ => None,
        };
        let of_name = |wanted: &[&str]| types.iter().position(|(name, _)| wanted.contains(&&**name));
        let timed = of_name(&["cpu"])
            .or_else(|| of_name(&["wall"]))
            .and_then(|column| Some((column, seconds(&types[column].1)?)));
        if let Some((column, seconds)) = timed {
            return Ok((column, Some(seconds)));
        }
        if let Some(column) = of_name(&["samples", "sample"]) {
            let period = seconds(&self.text(self.period_type.1)).map(|seconds| seconds * self.period as f64);
            return Ok((column, period.filter(|period| *period > 0.0).or(reading.seconds_per_sample)));
        }
        let names: Vec<&str> = types.iter().map(|(name, _)| &**name).collect();
        let found = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let problem = Diagnostic::new(format!("`{}` is no CPU profile: its samples count {found}", reading.name));
        Err(Box::new(problem.hint("in Go, take /debug/pprof/profile?seconds=20, or runtime/pprof's StartCPUProfile")))
    }

    /// The frames at a location, from the outermost.
    fn frames(
        &self,
        location: &Location,
        reading: &Reading<'_>,
    ) -> Result<Vec<crate::profile::Frame>, Box<Diagnostic>> {
        if location.functions.is_empty() {
            let object = self.mappings.get(&location.mapping).map(|name| self.text(*name)).unwrap_or_default();
            return Ok(vec![reading.naming.frame(&format!("{:#x}", location.address), &object, 0)]);
        }
        let frames = location.functions.iter().rev().map(|id| {
            let Some(function) = self.functions.get(id) else {
                return Err(wrong(reading, &format!("a location names a function {id}, which it does not have")));
            };
            let line = u32::try_from(function.line).unwrap_or(0);
            Ok(reading.naming.frame(&self.text(function.name), &self.text(function.file), line))
        });
        frames.collect()
    }
}

/// The numbers of a message's fields below `COUNT`; 0 where one is missing.
fn numbers<const COUNT: usize>(message: Span<'_>) -> Result<[u64; COUNT], Broken> {
    let mut numbers = [0; COUNT];
    for field in message.fields() {
        let (number, value) = field?;
        if let Some(place) = usize::try_from(number).ok().and_then(|number| numbers.get_mut(number)) {
            *place = value.number();
        }
    }
    Ok(numbers)
}

/// A `ValueType`: what is counted, and in which unit.
fn pair(message: Span<'_>) -> Result<(u64, u64), Broken> {
    let [_, name, unit] = numbers::<3>(message)?;
    Ok((name, unit))
}

/// The innermost locations of a sample, and its first values.
fn sample_of(message: Span<'_>, most_values: usize) -> Result<(Vec<u64>, Vec<u64>), Broken> {
    let (mut locations, mut values) = (Vec::new(), Vec::new());
    for field in message.fields() {
        let (number, value): (u64, Value<'_>) = field?;
        match number {
            1 => value.add_to(&mut locations, DEEPEST)?,
            2 => value.add_to(&mut values, most_values)?,
            _ => {}
        }
    }
    Ok((locations, values))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn message(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2, content.len() as u8];
        bytes.extend(content);
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        crate::read(bytes, &Reading { name: "cpu.pprof", ..Reading::default() }).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_problem() {
        let kind = message(1, &[0x08, 1, 0x10, 2]);
        let texts = |name: &str| [&b""[..], name.as_bytes(), b"nanoseconds"].concat_messages();
        let sample = message(2, &[0x08, 9, 0x10, 5]);
        let found = [
            error(&[0x0a, 0x7f, 0]),
            error(&[kind.clone(), texts("alloc_space")].concat()),
            error(&[kind.clone(), texts("cpu"), sample].concat()),
            error(&[0x1f, 0x8b, 8, 0, 0]),
        ];
        expect![[r#"
            error: `cpu.pprof` is no profile of pprof: a field is longer than the rest of the file, at byte 2
            hint: tierup profile reads collapsed stacks (`main;run;write 12`), .cpuprofile and pprof
            error: `cpu.pprof` is no CPU profile: its samples count alloc_space
            hint: in Go, take /debug/pprof/profile?seconds=20, or runtime/pprof's StartCPUProfile
            error: `cpu.pprof` is no profile of pprof: a sample names a location 9, which it does not have
            error: `cpu.pprof` is damaged: its compression ends early or is wrong: unexpected end of file"#]]
        .assert_eq(&found.join("\n"));
    }

    #[test]
    fn inlined_frames_count_towards_the_depth_and_the_innermost_stay() {
        // The location has a function inlined into another one, and the stack contains it three thousand times.
        let texts = ["", "cpu", "nanoseconds", "inner", "outer"].map(|text| message(6, text.as_bytes())).concat();
        let function = |id: u8, name: u8| message(5, &[0x08, id, 0x10, name]);
        let lines = [message(4, &[0x08, 1]), message(4, &[0x08, 2])].concat();
        let location = message(4, &[&[0x08, 1][..], &lines].concat());
        let mut sample = [0x08, 1].repeat(3000);
        sample.extend([0x10, 5]);
        let length = [sample.len() as u8 | 0x80, (sample.len() >> 7) as u8];
        let sample = [&[0x12][..], &length, &sample].concat();
        // The tables come after the samples.
        let file = [message(1, &[0x08, 1, 0x10, 2]), sample, location, function(1, 3), function(2, 4), texts].concat();
        let profile = crate::read(&file, &Reading::default()).unwrap();
        assert_eq!((profile.stack_count(), profile.samples().len()), (DEEPEST, 1));
        let names = profile.leaf_first(profile.samples()[0].stack).map(|id| profile.frame_of(id).function.as_str());
        assert_eq!(names.take(3).collect::<Vec<_>>(), ["inner", "outer", "inner"]);
    }

    #[test]
    fn tables_that_would_fill_the_memory_are_refused() {
        let mut file = File { entries: MOST_ENTRIES - 1, ..File::default() };
        let texts = message(6, b"text").repeat(2);
        let found = file.read(Span::whole(&texts)).unwrap_err();
        assert_eq!(found, Broken { at: 8, why: "it has more than 10 million texts, functions and locations" });
        assert_eq!(file.texts.len(), 1);
    }

    trait Messages {
        fn concat_messages(&self) -> Vec<u8>;
    }

    impl Messages for [&[u8]; 3] {
        fn concat_messages(&self) -> Vec<u8> {
            self.iter().flat_map(|text| message(6, text)).collect()
        }
    }
}
