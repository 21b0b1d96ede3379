//! Reads profiles that tools write: collapsed stacks, V8's `.cpuprofile`, pprof, samples of the JVM. In: a file's
//! bytes, and how its host names frames. Out: a [`Profile`], or where the file is wrong. The content determines the
//! format.

mod collapsed;
mod cpuprofile;
mod jfr;
mod pprof;
mod protobuf;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use tierup_diagnostic::{Diagnostic, Place};

pub(crate) use collapsed::Counted;

use crate::{naming::Naming, profile::Profile};

/// The most bytes of one file, after decompression. A small machine has room for them.
pub const MOST_BYTES: usize = 512 << 20;
/// The most frames of one stack. Deeper stacks lose the frames at the root.
pub(crate) const DEEPEST: usize = 4096;
/// The most distinct stacks, callers' included.
const MOST_STACKS: usize = 4_000_000;
/// The most samples: distinct ones by stack, process and thread, but all samples in a `.cpuprofile`.
pub(crate) const MOST_SAMPLES: usize = 10_000_000;

/// How to read a profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// The file's name, for errors.
    pub name: &'a str,
    pub naming: Naming<'a>,
    /// The time that one sample stands for, in a format that only counts samples.
    pub seconds_per_sample: Option<f64>,
    /// The file has collapsed stacks from a sensor that reads the memory of a running process, so a name may be torn
    /// and contain any bytes. Lines that are not stacks are left out.
    pub torn: bool,
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines such as `main;run;write 12`.
    Collapsed,
    /// JSON of V8's profiler: Node, Deno, Chrome.
    Cpuprofile,
    /// Protocol buffers, usually compressed: Go, and many exporters.
    Pprof,
    /// The output of the JVM's `jfr print` for a recording.
    Jfr,
}

impl Format {
    /// The format of a file with this content.
    pub fn detect(bytes: &[u8]) -> Format {
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        match &bytes[start..] {
            // Collapsed stacks may begin with `{`, too, in a name such as `{closure}`.
            [b'{', rest @ ..] if matches!(rest.trim_ascii_start().first(), None | Some(b'"' | b'}')) => {
                Format::Cpuprofile
            }
            rest if jfr::is_of_jvm(rest) => Format::Jfr,
            // gzip's magic number (RFC 1952, 2.3.1).
            [0x1f, 0x8b, ..] => Format::Pprof,
            rest if std::str::from_utf8(rest).is_ok_and(|text| !text.contains('\0')) => {
                // An uncompressed pprof profile begins with 0x0a, the tag of its first field.
                if bytes.first() == Some(&b'\n') && collapsed::has_no_counts(rest) {
                    Format::Pprof
                } else {
                    Format::Collapsed
                }
            }
            _ => Format::Pprof,
        }
    }
}

/// Reads a profile.
///
/// # Errors
/// The content is not valid in its format, or is too large.
pub fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    let profile = read_part(bytes, reading)?;
    if profile.samples().is_empty() {
        let hint =
            "the server was idle while it was profiled, or the sensor was stopped at once: profile it under load";
        return Err(Box::new(Diagnostic::new(format!("`{}` has no samples", reading.name)).hint(hint)));
    }
    Ok(profile)
}

/// Reads the profile of one process among several, which may have no samples, as the process may have been idle.
///
/// # Errors
/// As [`read`].
pub fn read_part(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    if bytes.len() > MOST_BYTES {
        return Err(too_large(reading));
    }
    let format = if reading.torn { Format::Collapsed } else { Format::detect(bytes) };
    match format {
        Format::Cpuprofile => cpuprofile::read(bytes, reading),
        Format::Collapsed => collapsed::read(bytes, reading),
        Format::Jfr => jfr::read(bytes, reading),
        Format::Pprof if bytes.starts_with(&[0x1f, 0x8b]) => pprof::read(&inflated(bytes, reading)?, reading),
        Format::Pprof => pprof::read(bytes, reading),
    }
}

fn inflated(bytes: &[u8], reading: &Reading<'_>) -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MOST_BYTES as u64 + 1).read_to_end(&mut content);
    read.map_err(|error| {
        Diagnostic::new(format!("`{}` is damaged: its compression ends early or is wrong: {error}", reading.name))
    })?;
    if content.len() > MOST_BYTES { Err(too_large(reading)) } else { Ok(content) }
}

fn too_large(reading: &Reading<'_>) -> Box<Diagnostic> {
    let most = MOST_BYTES >> 20;
    let problem = Diagnostic::new(format!("`{}` is larger than {most} MiB", reading.name));
    Box::new(problem.hint("profile for a shorter time; 20 seconds under load are enough for a ranking"))
}

/// Refuses a profile whose distinct stacks or samples would fill the memory.
fn bounded(profile: &Profile, reading: &Reading<'_>) -> Result<(), Box<Diagnostic>> {
    let what = match (profile.stack_count(), profile.samples().len()) {
        (MOST_STACKS.., _) => format!("{MOST_STACKS} distinct stacks"),
        (_, MOST_SAMPLES..) => format!("{MOST_SAMPLES} distinct samples"),
        _ => return Ok(()),
    };
    let problem = Diagnostic::new(format!("`{}` has at least {what}", reading.name));
    Err(Box::new(problem.hint("profile for a shorter time, or take names without arguments and addresses")))
}

/// A place in a line of text. Of a long line, only the part around it is kept.
fn place(reading: &Reading<'_>, line_number: usize, line: &str, column: usize) -> Place {
    /// Characters to show on either side.
    const AROUND: usize = 60;
    let at = (column..line.len()).find(|byte| line.is_char_boundary(*byte)).unwrap_or(line.len());
    let from = line[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(byte, _)| byte);
    let shown: String = line[from..].chars().take(2 * AROUND).collect();
    let start = at - from;
    let end = shown[start..].chars().next().map_or(start, |character| start + character.len_utf8());
    Place {
        file: reading.name.to_owned(),
        line: line_number,
        column: line[..at].chars().count() + 1,
        length: 1,
        source_line: shown,
        range: start..end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_cut_from_its_line_at_characters() {
        let of = |line: &str, column: usize| {
            let Place { column, source_line, range, .. } = place(&Reading::default(), 1, line, column);
            (column, source_line.chars().count(), source_line[range].to_owned())
        };
        let line = "ä".repeat(100) + "x" + &"ö".repeat(100);
        assert_eq!(of(&line, 200), (101, 120, "x".to_owned()));
        // A column within a character moves to the next one.
        assert_eq!(of(&line, 199), (101, 120, "x".to_owned()));
        assert_eq!(of(&line, 0), (1, 120, "ä".to_owned()));
        assert_eq!(of(&line, 9000), (202, 60, String::new()));
        assert_eq!(of("", 3), (1, 0, String::new()));
    }
}
