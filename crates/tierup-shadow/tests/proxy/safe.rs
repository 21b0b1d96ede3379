//! Requests other than GET that are declared safe: they are copied with their bodies, verified, and shared.

use std::sync::Arc;

use tierup_parity::Policy;
use tierup_rollout::{Part, Phase, evidence::Pair};
use tierup_shadow::{
    Limits, Routes, Sampled,
    parts::{Candidate, Collector, Copies, Mirror, Mirrored, NotCopied, Pacing, Proxy, Safe, Settings, Sharing},
};

use crate::{
    rollout::{ALL, State, control_file, mirror, slot},
    support::{Client, Recorder, address, answering, limits, proxy_of, settings},
};

const ROUTE: &str = "POST /duplicates";

/// A proxy in front of control and candidate. The candidate answers clients with a key.
struct Declaring {
    proxy: Proxy,
    collector: Collector,
    _mirror: Mirror,
    _state: State,
}

fn declaring(control: &Recorder, candidate: &Recorder) -> Declaring {
    let mirrored = Mirrored { verify: Part::ALL, ..Mirrored::default() };
    let state = State::new(&control_file(1, Phase::Ramping, ALL, mirrored));
    let (collector, _notes) = Collector::new(&[ROUTE.to_owned()]);
    let safe = Routes::new(&[ROUTE.to_owned()]).expect("a route");
    let sampled = Sampled::new(1.0, &[]).expect("it is sound").declaring(Safe(safe.clone()));
    let (sampled, limits) = (Arc::new(sampled), Limits { copy_bytes: 1000, ..limits() });
    let chosen = Arc::clone(&sampled);
    let (copies, copied) = Copies::new(16, Arc::new(move |head, by| chosen.pair(head, by)));
    let copies = copies.declaring(Safe(safe.clone()));
    let steering = Arc::new(state.steering(safe, Pacing::new(sampled, mirrored, &collector)));
    let asked = Candidate {
        address: address(candidate.address),
        twin: None,
        control: Some(address(control.address)),
        patience: std::time::Duration::from_secs(20),
        again_after: [std::time::Duration::ZERO; 3],
        answer_bytes: 2000,
        doubles: None,
        twin_doubles: None,
    };
    let mirror = mirror(asked, copied, Policy::default(), &collector);
    let sharing = Sharing { candidate: Some(address(candidate.address)), twin: None, steering };
    let settings = Settings { sharing: Some(sharing), limits, ..settings(control.address) };
    let proxy = proxy_of(&settings, Some(copies), &collector);
    Declaring { proxy, collector, _mirror: mirror, _state: state }
}

impl Declaring {
    fn post(&self, path: &str, user: &str, body: &str) -> String {
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-User: {user}");
        let answer = Client::new(&self.proxy).send(format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}")).rest();
        answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned()
    }

    /// How many answers were alike and how many differed, once this many were compared.
    fn compared(&self, pair: Pair, count: u64) -> (u64, u64) {
        let of = |slot: &tierup_rollout::evidence::Slot| {
            let copies = slot.copies.iter().find(|copies| copies.pair == pair && copies.route == ROUTE);
            copies.map_or((0, 0), |copies| (copies.same, copies.mismatched))
        };
        let slot = slot(&self.collector, |slot| {
            let (same, mismatched) = of(slot);
            same + mismatched >= count
        });
        of(&slot)
    }
}

#[test]
fn requests_declared_safe_are_copied_with_their_bodies_and_shared() {
    let control = answering(|asked| format!("{} bytes", asked.body.len()));
    // The candidate is wrong about long bodies. Its answers to clients are like those to copies.
    let candidate = answering(|asked| format!("{} bytes", asked.body.len().min(9)));
    let declaring = declaring(&control, &candidate);
    // Without a key, control answers, and the candidate gets a copy.
    assert_eq!(declaring.post("/duplicates?x=1", "", "four"), "4 bytes");
    assert_eq!(declaring.post("/duplicates", "", "ten bytes!"), "10 bytes");
    assert_eq!(declaring.compared(Pair::Candidate, 2), (1, 1));
    assert!(candidate.asked().iter().any(|asked| asked.body == b"ten bytes!"));
    // The candidate answers a client with a key, and control gets a copy.
    assert_eq!(declaring.post("/duplicates", "anna", "five!"), "5 bytes");
    assert_eq!(declaring.post("/duplicates", "anna", "ten bytes!"), "9 bytes");
    assert_eq!(declaring.compared(Pair::Verify, 2), (1, 1));
    assert!(control.asked().iter().any(|asked| asked.body == b"five!"));
}

#[test]
fn undeclared_and_too_large_requests_reach_one_server() {
    let [control, candidate] = ["control", "candidate"].map(|name| answering(move |_| name.to_owned()));
    let declaring = declaring(&control, &candidate);
    for path in ["/other", "/duplicates/7", "/Duplicates"] {
        assert_eq!(declaring.post(path, "anna", "x"), "control", "{path}");
    }
    assert!(candidate.asked().is_empty());
    assert_eq!(declaring.post("/duplicates", "", &"x".repeat(1001)), "control");
    let slot = slot(&declaring.collector, |slot| slot.copies.iter().any(|copies| !copies.dropped.is_empty()));
    let [copies] = &slot.copies[..] else { panic!("{slot:?}") };
    assert_eq!((&*copies.route, copies.dropped[NotCopied::TooLarge.reason()]), (ROUTE, 1));
    assert!(candidate.asked().is_empty());
    assert_eq!(control.asked().last().map(|asked| asked.body.len()), Some(1001), "it passes whole");
}
