//! Lines of evidence, as a proxy or a full disk left them, and the judge that decides by them.

#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use tierup_rollout::{
    Judge, Latencies, Part, Plan, Side,
    evidence::{Entry, Line, Slot},
    files::Position,
};

fuzz_target!(|bytes: &[u8]| {
    let mut position = Position::default();
    let lines = position.take(bytes);
    let mut by_parts = Position::default();
    let mut again = by_parts.take(&bytes[..bytes.len() / 2]);
    again.extend(by_parts.take(&bytes[by_parts.offset as usize..]));
    assert_eq!((&lines, position), (&again, by_parts), "what is read in parts is the same");

    let mut judge = Judge::new("3f2a9c01", Plan::default()).expect("a plan");
    judge.applied(Part::of_ten_thousand(500).expect("a part"), 0, 0);
    for line in &lines {
        let text = line.to_text().expect("JSON");
        assert_eq!(Line::parse(&text).map(exact).ok(), Some(exact(line.clone())), "{text}");
        match &line.entry {
            Entry::Slot(slot) => take(slot, &mut judge),
            Entry::Event(event) => judge.event("a", event),
            Entry::Difference(_) => {}
        }
        drop((judge.decide(line.at), judge.charges()));
    }
    let stored = serde_json::to_string(&judge).expect("JSON");
    assert!(serde_json::from_str::<Judge>(&stored).is_ok(), "{stored}");
});

fn take(slot: &Slot, judge: &mut Judge) {
    let mut all = Latencies::default();
    slot.latencies.values().chain(slot.copy_latencies.values()).for_each(|latencies| all.merge(latencies));
    black_box((all.sum(), all.count(), all.quantile(0.99)));
    black_box([Side::Control, Side::Candidate, Side::Twin].map(|side| slot.answers_of(side)));
    judge.take(std::slice::from_ref(slot));
}

/// Without fractions: `serde_json` reads their last digit only roughly, which is enough for processor time.
fn exact(mut line: Line) -> Line {
    if let Entry::Slot(slot) = &mut line.entry {
        slot.processor.clear();
    }
    line
}
