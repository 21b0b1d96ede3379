//! HAProxy's log, which the configuration writes into a ring: followed through the runtime API, so that no other port,
//! file or program takes part, and HAProxy never waits for its reader.
//!
//! Of each line, only the field `tierup=` is read:
//! `tierup=SERVER:STATUS:WAITED+CONNECTED+ANSWERED:ENDING:CANDIDATE:TWIN:CLIENT`.

use std::{
    io::{self, Read as _},
    os::unix::net::UnixStream,
    time::Duration,
};

use tierup_rollout::{Bucket, evidence::BadKind};

use super::{config, runtime::Runtime, split};
use crate::{
    Error, Result,
    answer::{Answer, side},
    slots::Slots,
};

/// The most that is read at once: a reader that is slower than the log must still come to an end.
const MOST: usize = 8 << 20;

/// Which lines are of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Beginning,
    Now,
}

#[derive(Debug)]
pub(super) struct Log {
    stream: UnixStream,
    process: u64,
    /// The begin of a line whose end has not arrived.
    rest: Vec<u8>,
}

impl Log {
    pub(super) fn attach(runtime: &Runtime, process: u64, from: From) -> Result<Log> {
        let new = if from == From::Now { " -n" } else { "" };
        let stream = runtime.follow(&format!("show events {} -w{new}", config::RING))?;
        stream.set_nonblocking(true).map_err(|error| runtime.failed(error))?;
        Ok(Log { stream, process, rest: Vec::new() })
    }

    pub(super) fn process(&self) -> u64 {
        self.process
    }

    /// Adds the answers that were logged meanwhile.
    pub(super) fn read(&mut self, slots: &mut Slots) -> Result<()> {
        let failed = |source| Error::Ended { program: super::HAPROXY, source };
        let (mut buffer, mut all) = (vec![0; 64 << 10], 0);
        while all < MOST {
            let count = match self.stream.read(&mut buffer) {
                Ok(0) => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            all += count;
            self.rest.extend_from_slice(&buffer[..count]);
            let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            for line in String::from_utf8_lossy(&self.rest[..whole]).lines() {
                if let Some(answer) = answer(line) {
                    slots.add(answer);
                }
            }
            self.rest.drain(..whole);
        }
        Ok(())
    }
}

/// The answer that a line is about; `None` if its request had no choice of servers, the client gave up, or HAProxy
/// answered by itself.
fn answer(line: &str) -> Option<Answer> {
    let note = line.split("tierup=").last()?.split_ascii_whitespace().next()?;
    let fields: Vec<&str> = note.split(':').collect();
    let [server, status, times, ending, candidate, twin, client] = fields[..] else { return None };
    let weights = split::weights(candidate, twin)?;
    let client = Bucket(u64::from_str_radix(client, 16).ok()?);
    let answered = side(server)?;
    let times: Vec<i64> = times.split('+').map(|time| time.parse().ok()).collect::<Option<_>>()?;
    let took = times.iter().all(|time| *time >= 0).then(|| times.iter().sum::<i64>());
    let took = took.and_then(|sum| u64::try_from(sum).ok()).map(Duration::from_millis);
    let side = client.side(weights);
    if side != answered {
        // HAProxy could not connect to the chosen server, so it asked another one.
        return Some(Answer { side, bad: Some(BadKind::Broken), took: None, weights, client });
    }
    let bad = bad(status.parse().ok()?, ending, took.is_some())?;
    Some(Answer {
        side,
        bad,
        took: took.filter(|_| !matches!(bad, Some(BadKind::TimedOut | BadKind::Broken))),
        weights,
        client,
    })
}

/// Whether an answer is bad; `None` if it is nobody's. `ending` is HAProxy's "session state at disconnection".
fn bad(status: i64, ending: &str, has_head: bool) -> Option<Option<BadKind>> {
    let mut letters = ending.chars();
    let (who, when) = (letters.next()?, letters.next()?);
    match (who, when) {
        // The client's side gave up or was slow.
        ('C' | 'c', _) if !has_head => None,
        ('s', _) => Some(Some(BadKind::TimedOut)),
        ('S', _) | ('P', 'H') => Some(Some(BadKind::Broken)),
        // HAProxy's own answers: a rule of the operator's, a full queue, a lack of memory.
        ('P' | 'L' | 'R' | 'I' | 'K' | 'D' | 'U', _) if !has_head => None,
        _ => Some((status >= 500).then_some(BadKind::Error)),
    }
}

#[cfg(test)]
mod tests {
    use tierup_rollout::Side;

    use super::*;

    /// At 50 and 50 %: the candidate's client, and the twin's.
    const LOW: &str = "0CCDAA7BCD167B0A";
    const HIGH: &str = "A37ADC55DF4DFC2E";

    fn check(note: &str) -> Option<(Side, Option<BadKind>, Option<u128>)> {
        let answer = answer(&format!("127.0.0.1:5 \"GET / tierup=x HTTP/1.1\" tierup={note}"))?;
        Some((answer.side, answer.bad, answer.took.map(|took| took.as_millis())))
    }

    #[test]
    fn a_line_says_whose_answer_it_is_and_how_it_ended() {
        let of = |server: &str, status: &str, times: &str, ending: &str, client: &str| {
            check(&format!("{server}:{status}:{times}:{ending}:5000:5000:{client}"))
        };
        let (candidate, twin) = (Side::Candidate, Side::Twin);
        assert_eq!(of("candidate", "200", "1+2+30", "--", LOW), Some((candidate, None, Some(33))));
        assert_eq!(of("twin", "500", "0+0+1", "--", HIGH), Some((twin, Some(BadKind::Error), Some(1))));
        assert_eq!(of("candidate", "504", "0+1+-1", "sH", LOW), Some((candidate, Some(BadKind::TimedOut), None)));
        assert_eq!(of("candidate", "502", "0+1+-1", "SH", LOW), Some((candidate, Some(BadKind::Broken), None)));
        assert_eq!(of("candidate", "502", "0+1+-1", "PH", LOW), Some((candidate, Some(BadKind::Broken), None)));
        assert_eq!(of("candidate", "200", "0+1+5", "SD", LOW), Some((candidate, Some(BadKind::Broken), None)));
        assert_eq!(of("candidate", "503", "0+-1+-1", "SC", LOW), Some((candidate, Some(BadKind::Broken), None)));
        // Control answered in its place.
        assert_eq!(of("control", "200", "9+0+1", "--", LOW), Some((candidate, Some(BadKind::Broken), None)));
        // The client went away, before and after the head.
        assert_eq!(of("candidate", "-1", "0+1+-1", "CH", LOW), None);
        assert_eq!(of("candidate", "200", "0+1+5", "CD", LOW), Some((candidate, None, Some(6))));
        // A rule of the operator's.
        assert_eq!(of("candidate", "403", "0+-1+-1", "PR", LOW), None);
    }

    #[test]
    fn lines_of_other_requests_are_nobodys() {
        for note in ["control:200:0+0+0:--:-:-:-", "", "a:b", "<NOSRV>:503:0+-1+-1:SC:5000:5000:0CCDAA7BCD167B0A"] {
            assert_eq!(check(note), None, "{note}");
        }
        assert_eq!(answer("no note at all"), None);
    }
}
