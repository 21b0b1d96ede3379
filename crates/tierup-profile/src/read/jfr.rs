//! Reads the output of `jfr print --events jdk.ExecutionSample` for a recording of the JVM. Each stack begins with its
//! leaf. In: the text. Out: the profile.
//!
//! ```text
//! jdk.ExecutionSample {
//!   startTime = 15:28:48.905
//!   stackTrace = [
//!     shop.Cart.sum(java.util.List) line: 12
//!     java.lang.Thread.run() line: 840
//!   ]
//! }
//! ```

use tierup_diagnostic::Diagnostic;

use super::{
    DEEPEST, Reading,
    collapsed::{self, Counted},
};
use crate::profile::Profile;

/// The first bytes of an unprinted recording.
const RECORDING: &[u8] = b"FLR\0";

/// Whether the bytes are a recording, or text that begins with an event of one.
pub(super) fn is_of_jvm(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    bytes.starts_with(RECORDING) || (first.starts_with(b"jdk.") && first.trim_ascii_end().ends_with(b"{"))
}

pub(super) fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    if bytes.starts_with(RECORDING) {
        return Err(not_printed(reading));
    }
    collapsed::read(collapse(&String::from_utf8_lossy(bytes)).as_bytes(), reading)
}

/// The error for an unprinted recording.
fn not_printed(reading: &Reading<'_>) -> Box<Diagnostic> {
    let name = reading.name;
    let problem = Diagnostic::new(format!("`{name}` is a recording of the JVM, which its own tool prints"));
    let print = format!("jfr print --events jdk.ExecutionSample --stack-depth 512 {name} > {name}.txt");
    Box::new(problem.hint(format!("{print}; then give {name}.txt")))
}

/// The samples as collapsed stacks.
fn collapse(text: &str) -> String {
    let mut counts = Counted::default();
    let mut lines = text.lines().map(str::trim);
    let mut is_sample = false;
    while let Some(line) = lines.next() {
        if let Some(event) = line.strip_suffix('{') {
            is_sample = event.trim() == "jdk.ExecutionSample";
        }
        if !is_sample || line != "stackTrace = [" {
            continue;
        }
        let mut frames: Vec<String> =
            lines.by_ref().take_while(|line| *line != "]").filter_map(named).take(DEEPEST).collect();
        frames.reverse();
        if !frames.is_empty() {
            counts.add(frames.join(";"));
        }
    }
    counts.into_text()
}

/// Turns `shop.Cart.sum(java.util.List) line: 12` into `shop/Cart.sum`, as other sensors of the JVM write it. `None`
/// for the `...` at the end of a stack that was cut.
fn named(frame: &str) -> Option<String> {
    let (path, _) = frame.split_once('(')?;
    let named = match path.rsplit_once('.') {
        Some((class, method)) => format!("{}.{method}", class.replace('.', "/")),
        None => path.to_owned(),
    };
    Some(named.replace(';', ","))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::Reading;

    #[test]
    fn samples_are_collapsed_and_other_events_left_out() {
        let sample = "jdk.ExecutionSample {\n  startTime = 15:28:48.905\n  sampledThread = \"a {\" (javaThreadId = 12)\n  \
                      stackTrace = [\n    shop.Cart.sum(java.util.List, int) line: 12\n    Main.lambda$main$0() line: 4\n    ...\n  ]\n}\n\n";
        let other = "jdk.NativeMethodSample {\n  stackTrace = [\n    java.net.Net.accept() line: 1\n  ]\n}\n";
        let text = format!("{sample}{other}{sample}jdk.ExecutionSample {{\n  stackTrace = N/A\n}}\n");
        expect!["Main.lambda$main$0;shop/Cart.sum 2\n"].assert_eq(&collapse(&text));
        let reading = Reading { seconds_per_sample: Some(0.01), ..Reading::default() };
        let profile = crate::read(text.as_bytes(), &reading).unwrap();
        assert_eq!((profile.stack_count(), profile.busy()), (2, 0.02));
        // Collapsed stacks whose first function has such a name are not taken for this format.
        assert_eq!(crate::Format::detect(b"jdk.internal.Thing.run;main 3\n"), crate::Format::Collapsed);
    }

    #[test]
    fn an_unprinted_recording_is_refused() {
        let error = crate::read(b"FLR\0\0\x02\0\x01", &Reading { name: "a.jfr", ..Reading::default() }).unwrap_err();
        expect![[r#"
            error: `a.jfr` is a recording of the JVM, which its own tool prints
            hint: jfr print --events jdk.ExecutionSample --stack-depth 512 a.jfr > a.jfr.txt; then give a.jfr.txt"#]]
        .assert_eq(&error.to_string());
    }
}
