use std::{thread, time::Duration};

use tierup_rollout::{
    Bucket, Side, Weights,
    evidence::{BadKind, MOST_BAD},
};

use super::*;

fn answer(route: Route, side: Side, outcome: Outcome) -> Answered {
    let took = Duration::from_millis(1);
    Answered { route, side, weights: Weights::default(), client: Some(Bucket(7)), network: None, outcome, took }
}

#[test]
fn nothing_is_lost_while_it_is_read() {
    let (collector, _notes) = Collector::new(&[]);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let collector = collector.clone();
            thread::spawn(move || {
                let counter = collector.counter();
                for _ in 0..20_000 {
                    let route = counter.route(&Method::GET, "/a");
                    counter.answered(&answer(route, Side::Control, Outcome::Answered));
                    counter.copy(route, Pair::Candidate, Compared::Same, Took::default());
                }
            })
        })
        .collect();
    let (mut answered, mut same, mut timed) = (0, 0, 0);
    let mut add = |slot: Slot| {
        answered += slot.live.iter().map(|live| live.answered).sum::<u64>();
        same += slot.copies.iter().map(|copies| copies.same).sum::<u64>();
        timed += slot.latencies.values().map(tierup_rollout::Latencies::count).sum::<u64>();
    };
    while threads.iter().any(|thread| !thread.is_finished()) {
        add(collector.take());
    }
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    add(collector.take());
    assert_eq!((answered, same, timed), (80_000, 80_000, 80_000));
    assert!(locked(&collector.0.threads).is_empty(), "threads that ended leave nothing behind");
}

#[test]
fn counts_made_during_a_read_are_seen_by_the_next_read() {
    let (collector, _notes) = Collector::new(&[]);
    let counter = collector.counter();
    let route = counter.route(&Method::GET, "/a");
    for half in &*counter.own {
        let reading = locked(half);
        counter.copy(route, Pair::Candidate, Compared::Same, Took::default());
        drop(reading);
        assert_eq!(collector.look().copies[0].same, 1);
        assert_eq!(collector.take().copies[0].same, 1);
    }
}

#[test]
fn each_request_of_the_sample_is_counted_once() {
    let (collector, _notes) = Collector::showing(&[], Show::all());
    let counter = collector.counter();
    let route = counter.route(&Method::GET, "/a/17");
    let took = Took { answer: Duration::from_micros(3), copy: Duration::from_micros(5), by_chance: true };
    counter.copy(route, Pair::Candidate, Compared::Same, took);
    counter.copy(route, Pair::Candidate, Compared::Mismatch { kind: "$.a".into(), is_evidence: true }, took);
    counter.copy(route, Pair::Candidate, Compared::Dropped("busy"), Took::default());
    counter.copy(route, Pair::Second, Compared::NotComparable("silent".into()), Took::default());
    let slot = collector.take();
    let [candidate, second] = &slot.copies[..] else { panic!("{slot:?}") };
    assert_eq!((&*candidate.route, candidate.same, candidate.mismatched), ("GET /a/*", 1, 1));
    assert_eq!((candidate.kinds["$.a"], candidate.dropped["busy"]), (1, 1));
    assert_eq!((candidate.took, candidate.copy_took), (6, 10));
    assert_eq!((second.pair, second.not_comparable["silent"]), (Pair::Second, 1));
    assert_eq!(slot.copy_latencies.keys().collect::<Vec<_>>(), [&Side::Candidate]);
    assert_eq!(collector.take(), Slot::default(), "what was taken is gone");
}

#[test]
fn listed_bad_answers_are_chosen_from_both_sides() {
    let (collector, _notes) = Collector::new(&[]);
    let counters = [collector.counter(), collector.counter()];
    // The candidate's come first: the order must not matter.
    for (counter, side) in counters.iter().zip([Side::Candidate, Side::Control]) {
        let route = counter.route(&Method::GET, "/");
        for _ in 0..3 * MOST_BAD {
            counter.answered(&answer(route, side, Outcome::Bad(BadKind::Error)));
        }
    }
    let slot = collector.take();
    assert_eq!((slot.bad.len(), slot.bad_not_listed), (MOST_BAD, 5 * MOST_BAD as u64));
    let candidates = slot.bad.iter().filter(|bad| bad.side == Side::Candidate).count();
    // Ten standard deviations of a hypergeometric distribution, at most.
    assert!((340..660).contains(&candidates), "{candidates}");
    assert_eq!(slot.live.iter().map(|live| live.errors).sum::<u64>(), 6 * MOST_BAD as u64);
}

#[test]
fn only_a_changed_regime_is_noted() {
    let (collector, notes) = Collector::new(&[]);
    collector.set_regime(Regime::default());
    assert!(notes.try_recv().is_err());
    collector.set_regime(Regime { generation: 2, ..Regime::default() });
    assert!(matches!(notes.try_recv(), Ok(Note::Regime)));
    for _ in 0..=MOST_NOTES {
        collector.event(Event::Ended);
    }
    assert_eq!(collector.notes_lost(), 1, "who tells never waits");
}
