//! Follows HAProxy's log. The configuration writes it into a ring, which is read through the runtime API. So it needs
//! no other port, file or program, and HAProxy never waits for its reader.
//!
//! Only the field `tierup=` of each line is read:

use std::{
    io::{self, Read as _},
    os::unix::net::UnixStream,
    time::Duration,
};

use tierup_rollout::{Bucket, Side, evidence::BadKind};

use super::{
    config,
    runtime::{Followed, Runtime},
    split,
};
use crate::{
    Error, Result,
    actuator::{
        answer::{Answer, LEAST_WAIT, side},
        slots::Slots,
    },
};

/// The most bytes that one call reads, so that it ends even if the log grows faster than it reads.
const MOST: usize = 8 << 20;

/// HAProxy's name for a missing server.
const NO_SERVER: &str = "<NOSRV>";

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
    backend: String,
    /// The beginning of a line that has not arrived completely.
    rest: Vec<u8>,
    lines: u64,
}

impl Log {
    /// Follows the log of the running process. With either `from`, it has the answers from now on.
    pub(super) fn attach(runtime: &Runtime, backend: &str, from: From) -> Result<Log> {
        let new = if from == From::Now { " -n" } else { "" };
        let Followed { stream, process, begun } = runtime.follow(&format!("show events {} -w{new}", config::RING))?;
        stream.set_nonblocking(true).map_err(|error| runtime.failed(error))?;
        Ok(Log { stream, process, backend: backend.to_owned(), rest: begun, lines: 0 })
    }

    pub(super) fn process(&self) -> u64 {
        self.process
    }

    /// How many lines about the backend's requests were read.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Adds the answers that were logged since the last call.
    pub(super) fn read(&mut self, slots: &mut Slots) -> Result<()> {
        let failed = |source| Error::Ended { program: super::HAPROXY, source };
        let (mut buffer, mut all) = (vec![0; 64 << 10], 0);
        while all < MOST {
            self.take_lines(slots);
            let count = match self.stream.read(&mut buffer) {
                Ok(0) => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            all += count;
            self.rest.extend_from_slice(&buffer[..count]);
        }
        self.take_lines(slots);
        Ok(())
    }

    fn take_lines(&mut self, slots: &mut Slots) {
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in String::from_utf8_lossy(&self.rest[..whole]).lines() {
            if let Some(note) = note(line, &self.backend) {
                self.lines += 1;
                answer(note).into_iter().for_each(|answer| slots.add(answer));
            }
        }
        self.rest.drain(..whole);
    }
}

/// The field of a line about this backend's request, without the backend's name.
fn note<'a>(line: &'a str, backend: &str) -> Option<&'a str> {
    let field = line.split("tierup=").last()?.split_ascii_whitespace().next()?;
    field.strip_prefix(backend)?.strip_prefix('/')
}

/// The answer; `None` if the weights did not choose the server, the client left early, or HAProxy answered itself.
fn answer(note: &str) -> Option<Answer> {
    let mut fields = note.splitn(8, ':');
    let mut next = || fields.next();
    let [server, status, times, ending] = [next()?, next()?, next()?, next()?];
    let [candidate, twin, client] = [next()?, next()?, next()?];
    let address = next().and_then(|address| address.parse().ok());
    let weights = split::weights(candidate, twin)?;
    let client = Bucket(u64::from_str_radix(client, 16).ok()?);
    let times = Times::parse(times)?;
    let side = client.side(weights);
    let took = times.until_head();
    if self::side(server) != Some(side) {
        // HAProxy could not connect to the chosen server, so it asked another one, or had none. If control was the
        // chosen one, control is not to blame: only the proxy before it is down.
        let is_charged = side != Side::Control && server != NO_SERVER;
        return is_charged.then_some(Answer { side, bad: Some(BadKind::Broken), took: None, weights, client, address });
    }
    let bad = bad(status.parse().ok()?, ending, &times)?;
    Some(Answer {
        side,
        bad,
        took: took.filter(|_| !matches!(bad, Some(BadKind::TimedOut | BadKind::Broken))),
        weights,
        client,
        address,
    })
}

/// HAProxy's `%TR/%Tw/%Tc/%Tr/%Ta`: the times of each phase in order, and of all with the answer's body. -1 means that
/// the phase was not reached.
struct Times {
    request: i64,
    server: [i64; 3],
    all: i64,
}

impl Times {
    fn parse(text: &str) -> Option<Times> {
        let times: Vec<i64> = text.split('/').map(|time| time.parse().ok()).collect::<Option<_>>()?;
        let [request, queue, connect, head, all] = times[..] else { return None };
        Some(Times { request, server: [queue, connect, head], all })
    }

    /// The time from the request's head to the answer's, if there is one.
    fn until_head(&self) -> Option<Duration> {
        let has_head = self.server.iter().all(|time| *time >= 0);
        has_head.then(|| milliseconds(self.server.iter().sum()))
    }

    /// How long HAProxy last waited for the server: for the head, or for the end of the body.
    fn last_wait(&self) -> Duration {
        let since_request = milliseconds(self.all - self.request.max(0));
        since_request.saturating_sub(self.until_head().unwrap_or_default())
    }
}

fn milliseconds(time: i64) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// Whether an answer is bad; `None` if no server gave it. `ending` is HAProxy's "session state at disconnection".
fn bad(status: i64, ending: &str, times: &Times) -> Option<Option<BadKind>> {
    let has_head = times.until_head().is_some();
    let mut letters = ending.chars();
    let (who, when) = (letters.next()?, letters.next()?);
    match (who, when) {
        // The client waited for the server, and left after at least [`LEAST_WAIT`].
        ('C', 'Q' | 'C' | 'H' | 'D') if times.last_wait() >= LEAST_WAIT => Some(Some(BadKind::TimedOut)),
        // The client left soon, or was slow to send its request.
        ('C' | 'c', _) if !has_head => None,
        ('s', _) => Some(Some(BadKind::TimedOut)),
        ('S', _) | ('P', 'H') => Some(Some(BadKind::Broken)),
        // HAProxy answered itself, because of an operator's rule, a full queue, or a lack of memory.
        ('P' | 'L' | 'R' | 'I' | 'K' | 'D' | 'U', _) if !has_head => None,
        _ => Some((status >= 500).then_some(BadKind::Error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buckets of two clients: at 50 and 50 % they have the candidate and the twin, at 1 % both have control.
    const LOW: &str = "0CCDAA7BCD167B0A";
    const HIGH: &str = "A37ADC55DF4DFC2E";

    /// `None` for a line of another backend, `Some(None)` for an answer of no server.
    type Found = Option<Option<(Side, Option<BadKind>, Option<u128>)>>;

    fn check(field: &str) -> Found {
        let line = format!("127.0.0.1:5 \"GET / tierup=app/x HTTP/1.1\" tierup={field}");
        let answer = answer(note(&line, "app")?);
        Some(answer.map(|answer| (answer.side, answer.bad, answer.took.map(|took| took.as_millis()))))
    }

    #[test]
    fn a_line_names_the_server_and_how_the_answer_ended() {
        let of = |server: &str, status: &str, times: &str, ending: &str, client: &str| {
            check(&format!("app/{server}:{status}:{times}:{ending}:5000:5000:{client}")).expect("the backend's")
        };
        let (candidate, twin) = (Side::Candidate, Side::Twin);
        let (timed_out, broken) = (Some(BadKind::TimedOut), Some(BadKind::Broken));
        assert_eq!(of("candidate", "200", "5/1/2/30/40", "--", LOW), Some((candidate, None, Some(33))));
        assert_eq!(of("twin", "500", "0/0/0/1/1", "--", HIGH), Some((twin, Some(BadKind::Error), Some(1))));
        assert_eq!(of("candidate", "504", "0/0/1/-1/9", "sH", LOW), Some((candidate, timed_out, None)));
        assert_eq!(of("candidate", "502", "0/0/1/-1/9", "SH", LOW), Some((candidate, broken, None)));
        assert_eq!(of("candidate", "502", "0/0/1/-1/9", "PH", LOW), Some((candidate, broken, None)));
        assert_eq!(of("candidate", "200", "0/0/1/5/9", "SD", LOW), Some((candidate, broken, None)));
        assert_eq!(of("candidate", "503", "0/0/-1/-1/9", "SC", LOW), Some((candidate, broken, None)));
        // Control answered instead of the candidate.
        assert_eq!(of("control", "200", "0/9/0/1/10", "--", LOW), Some((candidate, broken, None)));
        assert_eq!(of("direct", "200", "0/9/0/1/10", "--", LOW), Some((candidate, broken, None)));
        // The proxy before control is down.
        let of_control = format!("app/direct:200:0/9/0/1/10:--:100:10000:{LOW}");
        assert_eq!(check(&of_control), Some(None));
        // An operator's rule answered.
        assert_eq!(of("candidate", "403", "0/0/-1/-1/0", "PR", LOW), None);
    }

    #[test]
    fn a_line_has_the_clients_address() {
        let of = |end: &str| {
            answer(&format!("candidate:200:0/0/0/1/1:--:5000:5000:{LOW}{end}")).expect("its answer").address
        };
        assert_eq!(of(":203.0.113.7"), Some([203, 0, 113, 7].into()));
        assert_eq!(of(":2001:db8::7"), "2001:db8::7".parse().ok());
        assert_eq!(["", ":", ":unix", ":-"].map(of), [None; 4]);
    }

    #[test]
    fn a_client_that_leaves_after_a_long_wait_counts_as_timed_out() {
        let of = |times: &str, ending: &str| {
            check(&format!("app/candidate:400:{times}:{ending}:5000:5000:{LOW}")).expect("the backend's")
        };
        let timed_out = Some((Side::Candidate, Some(BadKind::TimedOut), None));
        for (soon, late, ending) in [
            ("0/0/1/-1/999", "0/0/1/-1/1000", "CH"),
            ("0/0/-1/-1/999", "0/0/-1/-1/1000", "CC"),
            ("0/-1/-1/-1/999", "0/-1/-1/-1/1000", "CQ"),
            // The time that the client takes for its request is not the server's.
            ("5000/0/1/-1/5999", "5000/0/1/-1/6000", "CH"),
        ] {
            assert_eq!((of(soon, ending), of(late, ending)), (None, timed_out), "{ending}");
        }
        // The client left in the middle of the body.
        assert_eq!(of("0/0/1/5/1005", "CD"), Some((Side::Candidate, None, Some(6))));
        assert_eq!(of("0/0/1/2000/2900", "CD"), Some((Side::Candidate, None, Some(2001))));
        assert_eq!(of("0/0/1/5/1006", "CD"), timed_out);
        // The server had sent everything, or the client had not asked.
        assert_eq!(of("0/0/1/5/9000", "CL"), Some((Side::Candidate, None, Some(6))));
        assert_eq!(of("-1/-1/-1/-1/9000", "CR"), None);
    }

    #[test]
    fn lines_of_other_requests_are_ignored() {
        for other in ["", "a:b", "app", "rest/control:200:0/0/0/0/0:--:-:-:-", "app2/control:200:0/0/0/0/0:--:-:-:-"] {
            assert_eq!(check(other), None, "{other}");
        }
        for nobodys in [
            "app/control:200:0/0/0/0/0:--:0:10000:-",
            "app/<NOSRV>:503:0/0/-1/-1/0:SC:5000:5000:0CCDAA7BCD167B0A",
            "app/candidate:200:0/0/0/0:--:5000:5000:0CCDAA7BCD167B0A",
            "app/",
        ] {
            assert_eq!(check(nobodys), Some(None), "{nobodys}");
        }
        assert_eq!(note("no note at all", "app"), None);
    }
}
