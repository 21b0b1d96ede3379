//! Which server is asked beside the one that answers a client: chance chooses the candidate or the twin; control is
//! asked about the candidate's answers; and both are asked again if they differ.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
        mpsc::Receiver,
    },
    thread,
    time::{Duration, Instant},
};

use tierup_parity::Policy;
use tierup_rollout::{
    Part, Phase,
    evidence::{CONFIRMATIONS, Confirmed, Copies as CopyCounts, Entry, Event, Pair, Slot},
};
use tierup_shadow::{
    Routes, Sampled, Show,
    lanes::ControlLanes,
    parts::{Candidate, Collector, Copies, Mirror, Mirrored, Note, Pacing, Proxy, Settings, Sharing},
};

use crate::{
    rollout::{ALL, State, control_file, mirror, slot},
    support::{Client, Recorder, address, answering, proxy_of, settings},
};

/// A proxy in front of three servers, with its mirror.
struct Mirroring {
    proxy: Proxy,
    _mirror: Mirror,
    _state: State,
    collector: Collector,
    notes: Receiver<Note>,
}

/// A proxy in which the candidate answers all clients that send a key.
fn mirroring(servers: [&Recorder; 3], mirrored: Mirrored) -> Mirroring {
    mirroring_in(servers, mirrored, None)
}

/// A [`mirroring`] that records control's calls in these lanes.
fn mirroring_in(servers: [&Recorder; 3], mirrored: Mirrored, lanes: Option<ControlLanes>) -> Mirroring {
    let state = State::new(&control_file(1, Phase::Ramping, ALL, mirrored));
    let [control, candidate, twin] = servers.map(|server| address(server.address));
    let (collector, notes) = Collector::showing(&[], Show::all());
    let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
    let chosen = Arc::clone(&sampled);
    // There are enough places for one route's 200 copies, however slow the machine is.
    let (copies, copied) = Copies::new(400, Arc::new(move |head, by| chosen.pair(head, by)));
    let copies = lanes.into_iter().fold(copies, Copies::in_lanes);
    let steering = state.steering(Routes::default(), Pacing::new(sampled, mirrored, &collector));
    let asked = Candidate {
        address: candidate.clone(),
        twin: Some(twin.clone()),
        control: Some(control),
        patience: Duration::from_secs(20),
        again_after: [Duration::ZERO; 3],
        answer_bytes: 1000,
        doubles: None,
        twin_doubles: None,
    };
    let mirror = mirror(asked, copied, Policy::default(), &collector);
    let sharing = Sharing { candidate: Some(candidate), twin: Some(twin), steering: Arc::new(steering) };
    let settings = Settings { sharing: Some(sharing), ..settings(servers[0].address) };
    let proxy = proxy_of(&settings, Some(copies), &collector);
    Mirroring { proxy, _mirror: mirror, _state: state, collector, notes }
}

impl Mirroring {
    fn ask(&self, target: &str, user: &str) -> String {
        let request = format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-User: {user}\r\n\r\n");
        Client::new(&self.proxy).send(request).rest().split("\r\n\r\n").nth(1).unwrap_or_default().to_owned()
    }

    fn slot(&self, holds: impl Fn(&Slot) -> bool) -> Slot {
        slot(&self.collector, holds)
    }

    /// The next confirmed mismatch. It repeats the request, as only one check of it is open at a time.
    fn confirmed(&self, ask: impl Fn()) -> (String, String) {
        let Confirmed { request, words, .. } = self.next(ask);
        (request, words)
    }

    fn next(&self, ask: impl Fn()) -> Confirmed {
        let began = Instant::now();
        loop {
            let Ok(note) = self.notes.recv_timeout(Duration::from_secs(2)) else {
                assert!(began.elapsed() < Duration::from_secs(60), "none is confirmed");
                ask();
                continue;
            };
            if let Note::Entry(entry) = note
                && let Entry::Event(Event::Confirmed(confirmed)) = entry
            {
                return confirmed;
            }
        }
    }
}

fn compared(slot: &Slot) -> u64 {
    slot.copies.iter().map(|copies| copies.same + copies.mismatched).sum()
}

fn of(slot: &Slot, pair: Pair) -> Option<&CopyCounts> {
    slot.copies.iter().find(|copies| copies.pair == pair)
}

fn part(text: &str) -> Part {
    text.parse().expect("a part")
}

#[test]
fn chance_sends_a_copy_to_the_candidate_or_the_twin() {
    let servers = ["same", "same", "other"].map(|body| answering(move |_| body.to_owned()));
    let mirrored = Mirrored { second: part("30%"), ..Mirrored::default() };
    let mirroring = mirroring(servers.each_ref(), mirrored);
    for _ in 0..200 {
        assert_eq!(mirroring.ask("/", ""), "same");
    }
    let slot = mirroring.slot(|slot| compared(slot) == 200);
    let [candidate, second] = [Pair::Candidate, Pair::Second].map(|pair| of(&slot, pair).expect("both were asked"));
    // Ten standard deviations of a binomial, at most.
    assert!((10..=125).contains(&second.mismatched), "{second:?}");
    assert_eq!((candidate.mismatched, second.same), (0, 0));
    assert_eq!(candidate.same + second.mismatched, 200);
    assert!(servers[2].asked().len() as u64 >= second.mismatched, "some are asked again");
}

#[test]
fn each_key_behind_a_private_address_is_a_client() {
    let servers = ["same", "other", "same"].map(|body| answering(move |_| body.to_owned()));
    let mirroring = mirroring(servers.each_ref(), Mirrored { verify: Part::ALL, ..Mirrored::default() });
    // All clients send the same request, as if the server had a single page.
    let mut clients = std::collections::BTreeSet::new();
    while clients.len() < 3 {
        let ask = || ["anna", "bert", "cleo"].into_iter().for_each(|user| drop(mirroring.ask("/", user)));
        clients.insert(mirroring.next(ask).client);
    }
}

#[test]
fn lasting_differences_between_control_and_twin_are_confirmed_as_noise() {
    let servers = ["same", "same", "other"].map(|body| answering(move |_| body.to_owned()));
    let mirrored = Mirrored { second: Part::ALL, ..Mirrored::default() };
    let mirroring = mirroring(servers.each_ref(), mirrored);
    let confirmed = mirroring.next(|| assert_eq!(mirroring.ask("/", ""), "same"));
    assert_eq!((confirmed.pair, confirmed.status, &*confirmed.request), (Pair::Second, 200, "GET /"));
    assert_eq!(servers[1].asked().len(), 0, "the candidate has nothing to do with it");
}

#[test]
fn a_copy_that_breaks_off_is_a_mismatch_if_control_answered_completely() {
    let half = Recorder::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        false
    });
    let servers = [&answering(|_| "whole".to_owned()), &half, &answering(|_| "whole".to_owned())];
    let mirroring = mirroring(servers, Mirrored::default());
    assert_eq!(mirroring.ask("/", ""), "whole");
    let slot = mirroring.slot(|slot| compared(slot) == 1);
    assert_eq!(of(&slot, Pair::Candidate).map(|copies| copies.mismatched), Some(1), "{slot:?}");
}

#[test]
fn requests_that_the_candidate_answered_are_copied_to_control() {
    let servers = ["right", "wrong", "right"].map(|body| answering(move |_| body.to_owned()));
    let mirrored = Mirrored { sample: Part::NONE, verify: Part::ALL, ..Mirrored::default() };
    let mirroring = mirroring(servers.each_ref(), mirrored);
    assert_eq!(mirroring.ask("/a", "anna"), "wrong");
    assert_eq!(mirroring.ask("/b", ""), "right");
    let slot = mirroring.slot(|slot| compared(slot) == 1);
    assert_eq!(of(&slot, Pair::Verify).map(|copies| (&*copies.route, copies.mismatched)), Some(("GET /a", 1)));
    let (request, words) = mirroring.confirmed(|| {});
    assert_eq!(request, "GET /a");
    assert!(words.starts_with("line 1: \"wrong\" instead of \"right\""), "{words}");
}

#[test]
fn requests_that_the_candidate_answered_need_no_lane_at_control() {
    let servers = ["right", "wrong", "right"].map(|body| answering(move |_| body.to_owned()));
    let mirrored = Mirrored { verify: Part::ALL, second: Part::ALL, ..Mirrored::default() };
    // Control has no lane.
    let mirroring = mirroring_in(servers.each_ref(), mirrored, Some(ControlLanes::processes(Vec::new())));
    assert_eq!(mirroring.ask("/a", "anna"), "wrong");
    assert_eq!(mirroring.ask("/b", ""), "right");
    let slot = mirroring.slot(|slot| compared(slot) == 1);
    assert_eq!(of(&slot, Pair::Verify).map(|copies| (&*copies.route, copies.mismatched)), Some(("GET /a", 1)));
    let dropped = of(&slot, Pair::Second).and_then(|copies| copies.dropped.get("no lane was free"));
    assert_eq!(dropped, Some(&1), "{slot:?}");
    assert_eq!(servers[2].asked().len(), 0, "another process of control's calls the real service, too");
}

#[test]
fn a_mismatch_is_confirmed_if_control_is_steady_and_the_candidate_always_differs() {
    let number = Arc::new(AtomicU32::new(0));
    // The candidate is always at fault on `/wrong`, and on no other path.
    let control = answering(move |asked| match asked.head.split(' ').nth(1) {
        Some("/noise") => number.fetch_add(1, Relaxed).to_string(),
        _ => "right".to_owned(),
    });
    let odd = Arc::new(AtomicU32::new(0));
    let candidate = answering(move |asked| match asked.head.split(' ').nth(1) {
        Some("/wrong" | "/wrong?a") => "wrong".to_owned(),
        Some("/once") if odd.fetch_add(1, Relaxed) < 2 => "odd".to_owned(),
        Some("/noise") => "x".to_owned(),
        _ => "right".to_owned(),
    });
    let twin = answering(|_| String::new());
    let mirroring = mirroring([&control, &candidate, &twin], Mirrored::default());
    let count =
        |recorder: &Recorder, target: &str| recorder.asked().iter().filter(|asked| asked.head.contains(target)).count();
    // The requests come one after another, as each mismatch is checked again.
    for (number, (target, copies)) in [("/noise", 2), ("/once", 3)].into_iter().enumerate() {
        mirroring.ask(target, "");
        mirroring.slot(|slot| compared(slot) > number as u64);
        let began = Instant::now();
        let mut asked = Instant::now();
        while count(&candidate, target) < copies {
            assert!(began.elapsed() < Duration::from_secs(60), "{target}");
            thread::sleep(Duration::from_millis(10));
            // While one mismatch is checked, the same request is not checked again.
            if asked.elapsed() > Duration::from_secs(3) {
                asked = Instant::now();
                mirroring.ask(target, "");
            }
        }
    }
    let asks = AtomicU32::new(0);
    let ask = || {
        asks.fetch_add(1, Relaxed);
        mirroring.ask("/wrong?a", "");
    };
    ask();
    assert_eq!(mirroring.confirmed(ask).0, "GET /wrong?a", "neither noise nor what was odd at first");
    let again = |recorder: &Recorder| count(recorder, "/wrong") - asks.load(Relaxed) as usize;
    assert_eq!((again(&control), again(&candidate)), (CONFIRMATIONS as usize, CONFIRMATIONS as usize));
    assert_eq!((count(&candidate, "/noise"), count(&candidate, "/once")), (2, 3), "it ends with the first doubt");

    // Many answers differ, but not all are asked again.
    for _ in 0..100 {
        mirroring.ask("/wrong", "");
    }
    let dropped = |slot: &Slot| slot.copies.iter().flat_map(|copies| copies.dropped.values()).sum::<u64>();
    mirroring.slot(|slot| compared(slot) + dropped(slot) >= 102 + u64::from(asks.load(Relaxed)));
    thread::sleep(Duration::from_millis(200));
    let again = count(&control, "/wrong") - 100 - asks.load(Relaxed) as usize;
    // Twice as many are allowed, because a minute may end meanwhile.
    assert!(again <= 20 * CONFIRMATIONS as usize, "at most ten a minute: {again}");
}
