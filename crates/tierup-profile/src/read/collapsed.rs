//! Collapsed stacks: each line has a stack, its frames from the root with `;` between them, and its number of samples.
//! py-spy (`-f raw`), async-profiler (`collapsed`), `perf script` with `stackcollapse-perf.pl` and many others write them.
//! In: the text. Out: the profile.
//!
//! A first frame such as py-spy's `process 12:"python app.py"` or `thread (0x7f…)` is the sample's process or thread,
//! not a function.

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use super::{DEEPEST, MOST_SAMPLES, Reading, bounded, place};
use crate::profile::{FrameId, Profile, Sample, Unit};

/// Counts stacks that arrive one by one, for formats that are converted to collapsed stacks.
#[derive(Default)]
pub(crate) struct Counted(HashMap<String, u64>);

impl Counted {
    /// Counts a stack, unless it is new and the profile already has as many as allowed.
    pub(crate) fn add(&mut self, stack: String) {
        if self.0.len() < MOST_SAMPLES || self.0.contains_key(&stack) {
            *self.0.entry(stack).or_default() += 1;
        }
    }

    /// One line for each stack, sorted.
    pub(crate) fn into_text(self) -> String {
        let mut stacks: Vec<_> = self.0.into_iter().collect();
        stacks.sort_unstable();
        stacks.into_iter().map(|(stack, count)| format!("{stack} {count}\n")).collect()
    }
}

/// Whether no line ends with a count.
pub(super) fn has_no_counts(text: &[u8]) -> bool {
    !String::from_utf8_lossy(text).lines().any(|line| counted(line).is_ok())
}

pub(super) fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    let text = String::from_utf8_lossy(bytes);
    let unit = if reading.seconds_per_sample.is_some() { Unit::Seconds } else { Unit::Samples };
    let mut profile = Profile::in_unit(unit);
    // Most lines repeat the same few frames.
    let mut known: HashMap<&str, FrameId> = HashMap::new();
    let mut wrong = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match counted(line) {
            Ok((stack, count)) => add(&mut profile, &mut known, reading, stack, count),
            Err(column) if wrong.is_none() => {
                let problem = Diagnostic::new("a line of collapsed stacks must end with a number of samples")
                    .at(place(reading, number + 1, line, column))
                    .label("no number")
                    .hint("tierup profile reads collapsed stacks (`main;run;write 12`), .cpuprofile and pprof");
                if !reading.torn {
                    return Err(Box::new(problem));
                }
                wrong = Some(problem);
            }
            Err(_) => {}
        }
        bounded(&profile, reading)?;
    }
    match wrong {
        // No line is a stack, so the sensor has written something else.
        Some(problem) if profile.samples().is_empty() => Err(Box::new(problem)),
        _ => Ok(profile),
    }
}

/// The stack of a line and its count, or the byte where the count should be.
fn counted(line: &str) -> Result<(&str, f64), usize> {
    let Some((stack, count)) = line.trim_end().rsplit_once(' ') else { return Err(line.len()) };
    let start = stack.len() + 1;
    let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let count: f64 = count.parse().ok().filter(|_| is_number).ok_or(start)?;
    if stack.trim().is_empty() { Err(0) } else { Ok((stack, count)) }
}

fn add<'a>(
    profile: &mut Profile,
    known: &mut HashMap<&'a str, FrameId>,
    reading: &Reading<'_>,
    stack: &'a str,
    count: f64,
) {
    let (mut process, mut thread, mut rest) = (0, 0, stack);
    // py-spy writes the processes from the outermost to the one that ran, and functions after them.
    while let Some((number, behind)) = rest.split_once(';').and_then(|(text, rest)| Some((process_of(text)?, rest))) {
        (process, rest) = (number, behind);
    }
    if let Some((number, behind)) = rest.split_once(';').and_then(|(text, rest)| Some((thread_of(text)?, rest))) {
        (thread, rest) = (number, behind);
    }
    // A stack that has nothing after its processes has no known function.
    if rest.split(';').next().and_then(process_of).is_some() {
        return add(profile, known, reading, "[unknown]", count);
    }
    let texts: Vec<&str> = rest.rsplit(';').take(DEEPEST).collect();
    let mut caller = None;
    for text in texts.into_iter().rev() {
        let frame = *known.entry(text).or_insert_with(|| profile.frame(reading.naming.frame_of_text(text)));
        caller = Some(profile.stack(caller, frame));
    }
    if let Some(stack) = caller {
        let weight = count * reading.seconds_per_sample.unwrap_or(1.0);
        profile.add(Sample { stack, weight, block: 0, process, thread });
    }
}

/// `process 12:"python app.py"`.
fn process_of(text: &str) -> Option<u32> {
    text.strip_prefix("process ")?.split(':').next()?.trim().parse().ok()
}

/// `thread (0x7F12)`, `thread 12 (worker)`.
fn thread_of(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("thread ")?.trim_start_matches('(');
    let word = rest.split([' ', ')', ':']).next()?;
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let reading = Reading { name: "stacks.txt", ..Reading::default() };
        let shown = match crate::read(text.as_bytes(), &reading) {
            Ok(profile) => {
                let lines = profile.samples().iter().map(|sample| {
                    let names = profile.root_first(sample.stack).into_iter().map(|id| profile.frame_of(id));
                    let names: Vec<String> =
                        names.map(|frame| format!("{} {}:{}", frame.function, frame.file, frame.line)).collect();
                    format!("{} p{} t{} = {}\n", names.join(" > "), sample.process, sample.thread, sample.weight)
                });
                lines.collect()
            }
            Err(problem) => problem.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_name_may_begin_like_json() {
        check(
            "{closure#0};main 3\n",
            expect![[r#"
            {closure#0} :0 > main :0 p0 t0 = 3
        "#]],
        );
    }

    /// py-spy may read a name while the process changes it.
    #[test]
    fn a_torn_name_is_kept() {
        let torn = Reading { name: "py-spy", torn: true, ..Reading::default() };
        let bytes = b"main;r\xff\0n (a.py:3) 2\nmain;wri\nte 3\n";
        let profile = crate::read(bytes, &torn).unwrap();
        let weights: Vec<_> = profile.samples().iter().map(|sample| sample.weight).collect();
        assert_eq!(weights, [2.0, 3.0]);
        let leaf = profile.root_first(profile.samples()[0].stack)[1];
        assert_eq!(profile.frame_of(leaf).function, "r\u{fffd}\0n");
        assert!(crate::read(bytes, &Reading { torn: false, ..torn }).is_err());
        let error = crate::read(b"no permission\n", &torn).unwrap_err().to_string();
        assert!(error.contains("must end with a number of samples"), "{error}");
    }

    #[test]
    fn lines_become_samples() {
        check(
            "# taken by hand\nmain;run (/srv/a.py:3);write 12\r\n\nmain 1\nprocess 7:\"python a b\";process 8:\"x\";thread (0x1F);run (/srv/a.py:2) 2\nprocess 7:\"x\" 3\n",
            expect![[r#"
                main :0 > run /srv/a.py:2 > write :0 p0 t0 = 12
                main :0 p0 t0 = 1
                run /srv/a.py:2 p8 t31 = 2
                [unknown] :0 p0 t0 = 3
            "#]],
        );
    }

    #[test]
    fn errors_name_the_place() {
        check(
            "main;run 3\nmain;run three\n",
            expect![[r#"
                error: a line of collapsed stacks must end with a number of samples
                 --> stacks.txt:2:10
                  |
                2 | main;run three
                  |          ^ no number
                hint: tierup profile reads collapsed stacks (`main;run;write 12`), .cpuprofile and pprof"#]],
        );
        check(
            "",
            expect![[r#"
            error: `stacks.txt` has no samples
            hint: the server was idle while it was profiled, or the sensor was stopped at once: profile it under load"#]],
        );
    }

    #[test]
    fn a_stack_may_be_deep() {
        let text = format!("{}leaf 1\n", "again;".repeat(200_000));
        let profile = crate::read(text.as_bytes(), &Reading::default()).unwrap();
        assert_eq!(profile.stack_count(), DEEPEST);
    }
}
