//! nginx's access log in tierup's format, followed over rotations:
//! `tierup=SIDE:STATUS:CANDIDATE:TWIN:CLIENT:HEAD|ALL|ADDRESS`, with the seconds until the server's head and its end. A
//! configuration of an earlier version writes no address. Requests to tierup's own status have lines there, too:
//! `tierup-status=MARK`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_rollout::{Bucket, Part, Side, Weights, evidence::BadKind};

use crate::{
    Result,
    actuator::{
        answer::{Answer, LEAST_WAIT, side},
        followed::Followed,
        slots::Slots,
    },
};

#[derive(Debug)]
pub(super) struct Log {
    file: Followed,
    seen: LinesRead,
}

/// What was read so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinesRead {
    /// The number of lines about shared requests.
    pub(super) shared: u64,
    /// The number of lines about requests to the status.
    pub(super) status: u64,
    /// The last mark in a line about the status.
    pub(super) mark: Option<u64>,
}

impl Log {
    pub(super) fn new(path: PathBuf) -> Log {
        Log { file: Followed::new(path), seen: LinesRead::default() }
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn seen(&self) -> LinesRead {
        self.seen
    }

    /// Adds the answers that were logged since the last call. The first call adds none.
    pub(super) fn read(&mut self, slots: &mut Slots) -> Result<()> {
        let seen = &mut self.seen;
        self.file.read(|line| {
            if let Some(note) = line.strip_prefix("tierup=") {
                seen.shared += 1;
                answer(note).into_iter().for_each(|answer| slots.add(answer));
            } else if let Some(mark) = line.strip_prefix("tierup-status=") {
                seen.status += 1;
                seen.mark = u64::from_str_radix(mark, 16).ok().or(seen.mark);
            }
        })
    }
}

/// The answer; `None` if the weights did not choose the server, the client left early, or nginx answered itself.
fn answer(note: &str) -> Option<Answer> {
    let fields: Vec<&str> = note.splitn(6, ':').collect();
    let [server, status, candidate, twin, client, times] = fields[..] else { return None };
    let part = |text: &str| Part::of_ten_thousand(text.parse().ok()?).ok();
    let weights = Weights { candidate: part(candidate)?, twin: part(twin)?.rest() };
    let client = Bucket(u64::from_str_radix(client, 16).ok()?);
    let (head, rest) = times.split_once('|')?;
    let (all, address) = rest.split_once('|').unwrap_or((rest, ""));
    let address = address.parse().ok();
    let side = side(server)?;
    if head.contains(',') && head.split(',').any(|time| time.trim() == "-") {
        // One server of the group did not answer, so nginx asked the next. If control failed at once, it is not to
        // blame: only the proxy before it is down.
        let waited = sum(all.split(',').next().unwrap_or_default()).unwrap_or_default();
        let is_charged = side != Side::Control || waited >= LEAST_WAIT;
        return is_charged.then_some(Answer { side, bad: Some(BadKind::Broken), took: None, weights, client, address });
    }
    let (head, all) = (sum(head), sum(all));
    let bad = bad(status.parse().ok()?, head.is_some(), all)?;
    let took = head.filter(|_| !matches!(bad, Some(BadKind::TimedOut)));
    Some(Answer { side, bad, took, weights, client, address })
}

/// A time such as `0.012`; `None` for `-`. With several servers, it is the sum of several, such as `0.001, 0.012`.
fn sum(times: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    for time in times.split([',', ':']) {
        sum += Duration::try_from_secs_f64(time.trim().parse().ok()?).ok()?;
    }
    Some(sum)
}

/// Whether an answer is bad; `None` if no server gave it. `waited` is the total time for the server.
fn bad(status: u16, has_head: bool, waited: Option<Duration>) -> Option<Option<BadKind>> {
    match status {
        // The client left, perhaps before nginx had sent it a head.
        499 => waited.is_some_and(|waited| waited >= LEAST_WAIT).then_some(Some(BadKind::TimedOut)),
        500.. if has_head => Some(Some(BadKind::Error)),
        504 => Some(Some(BadKind::TimedOut)),
        502 => Some(Some(BadKind::Broken)),
        _ if has_head => Some(None),
        // nginx answered itself, because of a limit or a rule of the operator's.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(note: &str) -> Option<(Side, Option<BadKind>, Option<u128>, u64)> {
        let answer = answer(note)?;
        Some((answer.side, answer.bad, answer.took.map(|took| took.as_millis()), answer.client.0))
    }

    #[test]
    fn a_line_names_the_server_and_how_the_answer_ended() {
        let candidate = Side::Candidate;
        assert_eq!(check("candidate:200:500:9500:0000000f:0.012|0.020"), Some((candidate, None, Some(12), 15)));
        assert_eq!(
            check("candidate:502:500:9500:0000000f:0.012|0.012"),
            Some((candidate, Some(BadKind::Error), Some(12), 15))
        );
        assert_eq!(check("twin:502:500:9500:0000000f:-|0.001"), Some((Side::Twin, Some(BadKind::Broken), None, 15)));
        assert_eq!(
            check("candidate:504:500:9500:0000000f:-|4.000"),
            Some((candidate, Some(BadKind::TimedOut), None, 15))
        );
        assert_eq!(
            check("candidate:200:500:9500:0000000f:0.001, 0.002 : 0.003|0.1, 0.2 : 0.3").map(|found| found.2),
            Some(Some(6))
        );
        let asked_twice = |side: &str| check(&format!("{side}:200:500:9500:0000000f:-, 0.002|0.001, 0.003"));
        assert_eq!(asked_twice("candidate"), Some((candidate, Some(BadKind::Broken), None, 15)));
        assert_eq!(asked_twice("control"), None);
        let late = check("control:200:500:9500:0000000f:-, 0.002|60.001, 0.003");
        assert_eq!(late, Some((Side::Control, Some(BadKind::Broken), None, 15)));
        for nobodys in ["503:500:9500:0000000f:-|-", "403:500:9500:0000000f:-|-", "200:500:9500:-:0.001|0.001"] {
            assert_eq!(check(&format!("candidate:{nobodys}")), None, "{nobodys}");
        }
        for broken in ["", "candidate:200:500:9500", "candidate:200:500:9500:f:0.1", "x:200:500:9500:f:1|1"] {
            assert_eq!(check(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_line_has_the_clients_address() {
        let of = |times: &str| answer(&format!("candidate:200:500:9500:0000000f:{times}")).expect("its answer").address;
        assert_eq!(of("0.001|0.001|203.0.113.7"), Some([203, 0, 113, 7].into()));
        assert_eq!(of("-, 0.002|0.001, 0.003|2001:db8::7"), "2001:db8::7".parse().ok());
        assert_eq!(["0.001|0.001", "0.001|0.001|", "0.001|0.001|unix:"].map(of), [None; 3]);
    }

    #[test]
    fn a_client_that_leaves_after_a_long_wait_counts_as_timed_out() {
        let timed_out = Some((Side::Candidate, Some(BadKind::TimedOut), None, 15));
        let left = |times: &str| check(&format!("candidate:499:500:9500:0000000f:{times}"));
        assert_eq!(["-|-", "-|0.999", "0.001|0.999"].map(left), [None; 3]);
        // The client left before the head, or in the middle of a body of which nothing was passed on.
        assert_eq!(["-|1.000", "0.001|1.000", "-|0.500, 0.500"].map(left), [timed_out; 3]);
    }
}
