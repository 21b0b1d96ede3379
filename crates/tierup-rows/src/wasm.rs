//! The reason why a crate or the Wasm tools cannot be built, as one line from the build's output.

use tierup_runner::Error;

use crate::WASM_TARGET;

/// The first error, and the crate that it is in.
pub(crate) fn reason(error: &Error) -> String {
    match error {
        Error::Failed { output, .. } => reason_in(output),
        Error::NoWasmTool { program, cause } => format!(
            "{}, which need Rust 1.95 and crates from the network, cannot be built: {}",
            program.title,
            reason(cause)
        ),
        // Packages keep the reason, so it does not name the file, which is on this machine.
        Error::Convert { reason, .. } => {
            format!("the module cannot be converted: {}", reason.lines().next().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

fn reason_in(output: &[String]) -> String {
    let quoted = |line: &str| line.split('`').nth(1).map(str::to_owned);
    let find = |start: &str| output.iter().find(|line| line.starts_with(start));
    if let Some(line) = find("error: failed to run custom build command for") {
        let why = output.iter().map(|line| line.trim()).find(|line| line.starts_with("error occurred:"));
        let why = why.map(|why| format!(": {}", why.trim_start_matches("error occurred:").trim())).unwrap_or_default();
        return format!("the build script of `{}` fails for {WASM_TARGET}{why}", quoted(line).unwrap_or_default());
    }
    let whose = find("error: could not compile").and_then(|line| quoted(line));
    let message = output.iter().find(|line| line.starts_with("error"));
    let message = message.map(|line| line.split_once(": ").map_or(line.as_str(), |(_, message)| message));
    match (whose, message) {
        (Some(whose), Some(message)) => format!("`{whose}` does not compile to {WASM_TARGET}: {message}"),
        (None, Some(message)) => message.to_owned(),
        _ => output.last().cloned().unwrap_or_else(|| format!("the build for {WASM_TARGET} failed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, reason: &str) {
        assert_eq!(reason_in(&output.lines().map(str::to_owned).collect::<Vec<_>>()), reason);
    }

    #[test]
    fn what_cannot_be_converted_has_a_reason_without_a_path() {
        let error =
            Error::Convert { from: "/home/me/core.wasm".into(), reason: "function 12 is too large\nmore".into() };
        assert_eq!(reason(&error), "the module cannot be converted: function 12 is too large");
    }

    #[test]
    fn the_crate_and_its_first_error_are_named() {
        check(
            "   Compiling getrandom v0.3.4\nerror: The wasm32-unknown-unknown targets are not supported by default\n   --> backends.rs\n\nerror[E0425]: cannot find function\nerror: could not compile `getrandom` (lib) due to 2 previous errors\nwarning: build failed",
            "`getrandom` does not compile to wasm32-unknown-unknown: The wasm32-unknown-unknown targets are not supported by default",
        );
        check(
            "error: failed to run custom build command for `ring v0.17.8`\n\nCaused by:\n  process didn't exit\n  --- stderr\n\n  error occurred: Failed to find tool. Is `clang` installed?\n",
            "the build script of `ring v0.17.8` fails for wasm32-unknown-unknown: Failed to find tool. Is `clang` installed?",
        );
        check("error: linker `rust-lld` not found", "linker `rust-lld` not found");
    }
}
