//! Calls your functions on request, without any host: what `tierup bench --in-process` compares crossings with.
//!
//! Made by tierup; changes here are lost at the next build. Requests come on file descriptor 3, answers go out on 4,
//! both length-prefixed; standard output belongs to your code.

mod repeated;
mod timed;

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

/// The only row there is.
const ROW: &[u8] = b"rust";

const REQUESTS: &str = "/dev/fd/3";
const ANSWERS: &str = "/dev/fd/4";

const OK: u8 = 0;
const PANIC: u8 = 2;
const REFUSED: u8 = 3;
const LOST: u8 = 4;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tierup-driver: {error}");
            ExitCode::from(3)
        }
    }
}

fn serve() -> io::Result<()> {
    let mut requests = File::open(REQUESTS)?;
    let mut answers = OpenOptions::new().write(true).open(ANSWERS)?;
    loop {
        let mut length = [0; 4];
        match requests.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let mut request = vec![0; u32::from_le_bytes(length) as usize];
        requests.read_exact(&mut request)?;
        let frame = answer(&request).unwrap_or_else(|| frame(LOST, 0, b"this is no request"));
        answers.write_all(&frame)?;
    }
}

/// The answer to one request; `None` if it is malformed.
fn answer(mut request: &[u8]) -> Option<Vec<u8>> {
    let row = counted(&mut request)?;
    let function = number(&mut request)?;
    let repeat = number(&mut request)?;
    let arguments = counted(&mut request)?;
    if row != ROW {
        return Some(frame(LOST, 0, b"this driver has the row `rust` only"));
    }
    // An untimed call for the answer's bytes: a caller in Rust has the value and does not encode it.
    let mut answer = Vec::new();
    tierup_calls::call(function, arguments, &mut answer);
    let (&tag, content) = answer.split_first()?;
    if tag != OK {
        // The message's length comes first.
        return Some(frame(tag, 0, content.get(4..)?));
    }
    Some(match timed::timed(function, arguments, repeat) {
        Ok(elapsed) => frame(OK, u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX), content),
        Err(repeated::Failure::Malformed(reason)) => frame(REFUSED, 0, reason.to_string().as_bytes()),
        Err(repeated::Failure::Panic(message)) => frame(PANIC, 0, message.as_bytes()),
    })
}

fn number(from: &mut &[u8]) -> Option<u32> {
    let (bytes, rest) = from.split_first_chunk::<4>()?;
    *from = rest;
    Some(u32::from_le_bytes(*bytes))
}

fn counted<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(from)? as usize;
    let (content, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(content)
}

fn frame(outcome: u8, nanoseconds: u64, content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(17 + content.len());
    frame.extend_from_slice(&(13 + content.len() as u32).to_le_bytes());
    frame.push(outcome);
    frame.extend_from_slice(&nanoseconds.to_le_bytes());
    frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
    frame.extend_from_slice(content);
    frame
}
