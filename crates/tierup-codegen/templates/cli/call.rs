//! One call: the arguments' bytes on standard input until its end, the answer's bytes on standard output.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use crate::worker;

/// `--tierup-call FUNCTION ABI`. Exits with 0 for every answer, also an error, and with 3 where no answer is possible.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let function = arguments.next().and_then(|text| text.to_str()?.parse::<u32>().ok());
    let Some(function) = function else { return worker::refuse("--tierup-call takes a function's number") };
    if let Err(reason) = worker::check_abi(arguments.next()) {
        return worker::refuse(&reason);
    }
    match answer(function) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => worker::refuse(&error.to_string()),
    }
}

fn answer(function: u32) -> io::Result<()> {
    worker::end_with_host();
    // Before the user's code runs, so that its `println!` cannot get into the answer.
    let mut output = worker::take_stdout()?;
    let mut arguments = Vec::new();
    io::stdin().lock().read_to_end(&mut arguments)?;
    let mut answer = Vec::new();
    tierup_calls::call(function, &arguments, &mut answer);
    output.write_all(&answer)?;
    output.flush()
}
