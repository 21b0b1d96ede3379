//! Envoy's access log in tierup's format:
//! `tierup=CLUSTER:STATUS:FLAGS:ATTEMPTS:BEGAN:ROUTED:CLIENT:HEAD:ALL:ADDRESS`, with the times in milliseconds since
//! 1970 at which the request began and was given its server, the server's microseconds until its head, and all
//! milliseconds.

use std::{path::PathBuf, time::Duration};

use tierup_rollout::{Bucket, Side, evidence::BadKind};

use super::{config::SERVER, timeline::Timeline};
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
    /// The number of lines about shared requests read so far.
    lines: u64,
}

impl Log {
    pub(super) fn new(path: PathBuf) -> Log {
        Log { file: Followed::new(path), lines: 0 }
    }

    /// Adds the answers that were logged since the last call, and returns the number of all lines about shared
    /// requests. The first call adds none.
    pub(super) fn read(&mut self, slots: &mut Slots, timeline: &Timeline) -> Result<u64> {
        let lines = &mut self.lines;
        self.file.read(|line| {
            // Requests of other routes have lines, too, and are not in Envoy's count.
            if let Some(note) = line.strip_prefix("tierup=").filter(|note| note.starts_with(SERVER)) {
                *lines += 1;
                answer(note, timeline).into_iter().for_each(|answer| slots.add(answer));
            }
        })?;
        Ok(self.lines)
    }
}

/// The answer; `None` if the weights at its time are uncertain, the client left early, or Envoy answered itself.
fn answer(note: &str, timeline: &Timeline) -> Option<Answer> {
    let fields: Vec<&str> = note.splitn(10, ':').collect();
    let [cluster, status, flags, attempts, began, routed, client, head, all, address] = fields[..] else { return None };
    let side = side(cluster.strip_prefix(SERVER)?)?;
    let routed: u64 = routed.parse().ok()?;
    let weights = timeline.at(routed)?;
    let client = Bucket(u64::from_str_radix(client, 16).ok()?);
    let address = address.parse().ok();
    let took = head.parse().ok().map(Duration::from_micros);
    // A client may send its head slowly, which is not the server's fault.
    let ended = began.parse::<u64>().ok()?.checked_add(all.parse().ok()?)?;
    let all = Duration::from_millis(ended.saturating_sub(routed));
    if attempts.parse::<u32>().ok()? > 1 {
        // The server did not answer, so another one was asked. If control failed at once, it is not to blame: only the
        // proxy before it is down.
        let is_charged = side != Side::Control || all >= LEAST_WAIT;
        return is_charged.then_some(Answer { side, bad: Some(BadKind::Broken), took: None, weights, client, address });
    }
    let bad = bad(status.parse().ok()?, flags, took, all)?;
    let took = took.filter(|_| !matches!(bad, Some(BadKind::TimedOut)));
    Some(Answer { side, bad, took, weights, client, address })
}

/// Whether an answer is bad; `None` if no server gave it. `took` is the time until the server's head, `all` until the
/// end.
fn bad(status: u16, flags: &str, took: Option<Duration>, all: Duration) -> Option<Option<BadKind>> {
    let has = |names: &[&str]| flags.split(',').any(|flag| names.contains(&flag));
    // The client left, which it may have done out of impatience.
    if has(&["DC", "DR"]) {
        let waited = all.saturating_sub(took.unwrap_or_default());
        return match took {
            _ if waited >= LEAST_WAIT => Some(Some(BadKind::TimedOut)),
            Some(_) if status < 500 => Some(None),
            Some(_) => Some(Some(BadKind::Error)),
            None => None,
        };
    }
    // The time limits of a route, a try, a silent stream, and a connection that was not made in time.
    if has(&["UT", "SI", "UMSDR", "DT"]) {
        return Some(Some(BadKind::TimedOut));
    }
    // The server refused the connection, closed it early, or broke HTTP; or Envoy gives it no more requests.
    if has(&["UF", "UC", "UR", "LR", "UPE", "UO", "UH", "URX", "NC"]) {
        return Some(Some(BadKind::Broken));
    }
    took.map(|_| (status >= 500).then_some(BadKind::Error))
}

#[cfg(test)]
mod tests {
    use std::{fs, net::IpAddr};

    use tierup_rollout::Weights;

    use super::*;

    fn read(note: &str) -> Option<Answer> {
        let mut timeline = Timeline::default();
        timeline.told(Weights::CONTROL_ONLY, 1_000);
        timeline.confirmed(1_000, Duration::from_secs(60), 1_000);
        answer(note, &timeline)
    }

    fn check(note: &str) -> Option<(Side, Option<BadKind>, Option<u128>)> {
        let answer = read(note)?;
        Some((answer.side, answer.bad, answer.took.map(|took| took.as_micros())))
    }

    #[test]
    fn a_line_is_an_answer_of_its_server() {
        let of = |rest: &str| check(&format!("tierup-candidate:{rest}:127.0.0.1"));
        let candidate = |bad, took| Some((Side::Candidate, bad, took));
        assert_eq!(of("200:-:1:9000:9000:9fc49697:3997:4"), candidate(None, Some(3997)));
        assert_eq!(of("404:-:1:9000:9000:9fc49697:3997:4"), candidate(None, Some(3997)));
        assert_eq!(of("500:-:1:9000:9000:9fc49697:3997:4"), candidate(Some(BadKind::Error), Some(3997)));
        assert_eq!(of("504:UT:1:9000:9000:9fc49697:-:15000"), candidate(Some(BadKind::TimedOut), None));
        assert_eq!(of("503:UF,URX:1:9000:9000:9fc49697:-:0"), candidate(Some(BadKind::Broken), None));
        // The body broke off.
        assert_eq!(of("200:UC:1:9000:9000:9fc49697:3997:9"), candidate(Some(BadKind::Broken), Some(3997)));
        // A filter answered instead of a server.
        assert_eq!([of("403:UAEX:1:9000:9000:9fc49697:-:1"), of("503:-:1:9000:9000:9fc49697:-:1")], [None; 2]);
        // The weights at these times are unknown.
        assert_eq!([of("500:-:1:900:900:9fc49697:3997:4"), of("500:-:1:1500:1500:9fc49697:3997:4")], [None; 2]);
        let parsed = read("tierup-twin:200:-:1:9000:9000:0000000f:1:1:2001:db8::7").expect("its answer");
        assert_eq!(
            (parsed.client, parsed.address),
            (Bucket(15), Some(IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 7])))
        );
        for broken in [
            "",
            "app:200:-:1:9000:9000:9fc49697:1:1:::1",
            "tierup-control:200:-:1:9000:9000:-:1:1:::1",
            "tierup-control:200",
        ] {
            assert_eq!(check(broken), None, "{broken}");
        }
    }

    #[test]
    fn only_lines_of_the_shared_route_are_counted() {
        let file = tempfile::NamedTempFile::new().expect("there is room");
        let (mut log, mut slots) = (Log::new(file.path().to_owned()), Slots::default());
        let timeline = Timeline::default();
        assert_eq!(log.read(&mut slots, &timeline).expect("it is there"), 0);
        let rest = "200:-:1:9000:9000:9fc49697:3997:4:::1";
        let lines =
            format!("tierup=tierup-twin:{rest}\ntierup=other:{rest}\nother\ntierup=tierup-control:cut\ntierup=tierup");
        fs::write(file.path(), lines).expect("there is room");
        assert_eq!(log.read(&mut slots, &timeline).expect("it is there"), 2);
    }

    #[test]
    fn a_second_attempt_is_a_broken_answer_of_the_first() {
        let broken = |side| Some((side, Some(BadKind::Broken), None));
        assert_eq!(check("tierup-candidate:200:-:2:9000:9000:9fc49697:3997:5:::1"), broken(Side::Candidate));
        assert_eq!(check("tierup-control:200:-:2:9000:9000:9fc49697:3997:1005:::1"), broken(Side::Control));
        assert_eq!(check("tierup-control:200:-:2:9000:9000:9fc49697:3997:5:::1"), None, "the proxy before it is down");
    }

    #[test]
    fn a_client_that_leaves_after_a_long_wait_counts_as_timed_out() {
        let of = |rest: &str| check(&format!("tierup-candidate:{rest}:::1"));
        let timed_out = Some((Side::Candidate, Some(BadKind::TimedOut), None));
        assert_eq!([of("0:DC:1:9000:9000:9fc49697:-:999"), of("0:DC:1:9000:9000:9fc49697:-:1000")], [None, timed_out]);
        assert_eq!(of("200:DC:1:9000:9000:9fc49697:500000:1400"), Some((Side::Candidate, None, Some(500_000))));
        assert_eq!(of("200:DC:1:9000:9000:9fc49697:500000:1500"), timed_out);
        // It sent its own head for two seconds.
        assert_eq!(of("0:DC:1:9000:11000:9fc49697:-:2100"), None);
    }
}
