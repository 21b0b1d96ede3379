//! The file that nginx includes: it assigns clients to servers until an end, and provides the fields of log and status.

use std::fmt::Write as _;

use tierup_rollout::{Control, Part, RampKey, Weights};

use super::in_force::{InForce, LIFE, written};

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    in_force: InForce,
    key: Option<RampKey>,
}

impl Split {
    pub(super) fn new(control: &Control) -> Split {
        let until = control.heartbeat.saturating_add(LIFE);
        let in_force = InForce { ramp: control.ramp.clone(), weights: control.weights, until };
        Split { in_force, key: Some(control.key.clone()) }
    }

    /// The file with which nginx starts: control answers every request.
    pub(super) fn closed() -> Split {
        let in_force = InForce { ramp: "none".into(), weights: Weights::CONTROL_ONLY, until: 0 };
        Split { in_force, key: None }
    }

    pub(super) fn in_force(&self) -> &InForce {
        &self.in_force
    }

    pub(super) fn to_file(&self) -> String {
        let InForce { ramp, weights, until } = &self.in_force;
        let (places, in_force) = (places(*weights), &self.in_force);
        let key = self.key.as_ref().map(RampKey::to_string).unwrap_or_default();
        let judged = before(*until);
        let mut text = format!(
            "\
# tierup writes this file, here for ramp {ramp}. With it, `nginx -s reload` gives each client its server.
split_clients \"{key}$tierup_key\" $tierup_split {{
{}
}}
# Nobody renewed this file in time: control.
map $msec $tierup_judged {{
    default \"\";
{judged}}}
# A client that cannot be told apart: control.
map $tierup_key $tierup_known {{
    default 1;
    \"\" \"\";
}}
map $tierup_judged$tierup_known $tierup_steers {{
    default \"\";
    11 1;
}}
map $tierup_steers $tierup_side {{
    default control;
    1 $tierup_split;
}}
map $tierup_judged $tierup_weights {{
    default 0:10000;
    1 {};
}}
map \"\" $tierup_in_force {{
    default \"{in_force}\";
}}
# The client in the log: 32 bits of a hash, which does not tell who it is.
map $tierup_known $tierup_client {{
    default -;
    1 \"$tierup_c0$tierup_c1$tierup_c2$tierup_c3$tierup_c4$tierup_c5$tierup_c6$tierup_c7\";
}}
",
            places.join("\n"),
            written(*weights),
        );
        for digit in 0..8 {
            let sixteenths: String = (0..15).map(|value| format!(" 6.25% {value:x};")).collect();
            let _ = writeln!(text, "split_clients \"{digit}{key}$tierup_key\" $tierup_c{digit} {{{sixteenths} * f; }}");
        }
        text
    }
}

/// The candidate's clients come first and the twin's last, as in [`Bucket::side`](tierup_rollout::Bucket::side): as the
/// weights rise, neither takes a client from the other until both need the whole. nginx refuses parts of 0 %.
fn places(weights: Weights) -> Vec<String> {
    let Weights { candidate, twin } = weights;
    let of_control = candidate.ten_thousandths().max(twin.rest().ten_thousandths()) - candidate.ten_thousandths();
    let control = Part::of_ten_thousand(of_control).unwrap_or_default();
    let parts = [(candidate, "candidate"), (control, "control"), (twin, "twin")];
    let mut parts: Vec<_> = parts.into_iter().filter(|(part, _)| *part > Part::NONE).collect();
    // The last one gets the rest, so that every client has a server.
    let last = parts.pop().map_or("control", |(_, name)| name);
    let line = |(part, name): &(Part, &str)| format!("    {part} {name};");
    parts.iter().map(line).chain([format!("    * {last};")]).collect()
}

/// A map's lines that match `$msec` (`1795406400.123`) before a second since 1970: nginx compares only texts.
fn before(until: u64) -> String {
    if !(1_000_000_000..10_000_000_000).contains(&until) {
        return String::new();
    }
    let digits = until.to_string();
    let smaller = digits.char_indices().filter(|(_, digit)| *digit > '0').map(|(place, digit)| {
        // These times have the same digits before this place, a smaller one at it, and any after it.
        let less = char::from(digit as u8 - 1);
        format!("    \"~^{}[0-{less}]{}[.]\" 1;\n", &digits[..place], "[0-9]".repeat(9 - place))
    });
    smaller.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(candidate: &str) -> Weights {
        Weights::with_twin(candidate.parse().expect("a part"))
    }

    #[test]
    fn every_step_has_parts_that_nginx_takes() {
        let check = |weights: Weights, expected: &[&str]| {
            assert_eq!(places(weights).iter().map(|line| line.trim()).collect::<Vec<_>>(), expected);
        };
        check(weights("0%"), &["* control;"]);
        check(weights("0.25%"), &["0.25% candidate;", "99.5% control;", "* twin;"]);
        check(weights("50%"), &["50% candidate;", "25% control;", "* twin;"]);
        check(weights("100%"), &["* candidate;"]);
        check(Weights { twin: weights("50%").candidate, ..weights("50%") }, &["50% candidate;", "* twin;"]);
        check(Weights { twin: Part::NONE, ..weights("5%") }, &["5% candidate;", "* control;"]);
    }

    /// Whether a line matches a time. It knows only the patterns that [`before`] writes.
    fn fits(line: &str, time: &str) -> bool {
        let pattern = line.trim().trim_start_matches("\"~^").trim_end_matches("[.]\" 1;");
        let (mut pattern, mut time) = (pattern.chars(), time.chars());
        while let Some(expected) = pattern.next() {
            let digit = time.next();
            let is_right = if expected == '[' {
                let range: String = pattern.by_ref().take_while(|c| *c != ']').collect();
                let most = range.chars().last();
                digit >= Some('0') && digit <= most
            } else {
                digit == Some(expected)
            };
            if !is_right {
                return false;
            }
        }
        time.next().is_none()
    }

    #[test]
    fn times_before_the_end_match() {
        for until in [1_795_406_400_u64, 1_999_999_999, 1_800_000_000, 9_999_999_999, 1_000_000_000] {
            let lines = before(until);
            let is_before = |time: u64| lines.lines().any(|line| fits(line, &time.to_string()));
            for distance in [1, 2, 9, 10, 59, 100, 599, 100_000, 70_000_000] {
                let earlier = until - distance;
                assert_eq!(is_before(earlier), earlier >= 1_000_000_000, "{earlier} before {until}");
                assert!(!is_before(until + distance - 1), "{} before {until}", until + distance - 1);
            }
        }
        assert_eq!(before(0), "");
    }
}
