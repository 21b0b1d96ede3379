//! Each line of evidence counts once, whatever is sent twice, lost or broken.

use std::{thread, time::Duration};

use tierup_ramp::Database;
use tierup_rollout::evidence::{Entry, Event, Line};

use crate::{
    common::{postgres::Postgres, wait},
    proxy::{Judged, Proxy, begun},
};

#[test]
fn twenty_proxies_send_at_once_and_a_crash_of_postgres_loses_nothing_and_doubles_nothing() {
    const SLOTS: u64 = 60;
    let mut postgres = Postgres::start();
    let url = postgres.url("c");
    let mut proxies: Vec<Proxy> = (0..20).map(|_| Proxy::start(&url)).collect();
    let (database, folder) = (Database::connect(&url).expect("it lets us in"), tempfile::tempdir().expect("room"));
    let mut ramp = begun(&database, &mut proxies[0], folder.path());
    let name = ramp.status().ramp;
    thread::scope(|scope| {
        for proxy in &mut proxies {
            let name = &name;
            scope.spawn(move || {
                for _ in 0..SLOTS {
                    proxy.slot(name);
                    thread::sleep(Duration::from_millis(50));
                }
            });
        }
        let mut rounds = 0;
        while rounds < 15 {
            if rounds == 5 {
                postgres.crash();
                assert!(ramp.round(&[]).trouble.is_some_and(|trouble| trouble.starts_with("Postgres: ")));
                thread::sleep(Duration::from_millis(500));
                postgres.run();
            }
            ramp.round(&[]);
            thread::sleep(Duration::from_millis(100));
            rounds += 1;
        }
    });
    let answered = |postgres: &Postgres| {
        postgres.ask(
            "SELECT sum((cost -> 2 ->> 'answered')::int) FROM tierup.rollout, json_array_elements(costs::json) cost",
        )
    };
    let all = (10 * 20 * SLOTS).to_string();
    wait("all answers", || {
        ramp.round(&[]);
        answered(&postgres) == all
    });
    assert_eq!(ramp.status().proxies, 20);
    assert!(!ramp.status().to_string().contains("missing"), "{}", ramp.status());
    assert_eq!(proxies.iter().filter_map(|proxy| proxy.courier.as_ref()?.trouble()).collect::<Vec<_>>(), [""; 0]);
    // As if no proxy had heard that its lines arrived: they send everything again.
    proxies.iter_mut().for_each(|proxy| proxy.courier = None);
    postgres.ask("UPDATE tierup.stream SET sent = 0");
    proxies.iter_mut().for_each(|proxy| proxy.connect(&url));
    wait("all lines", || postgres.ask("SELECT count(*) FROM tierup.stream WHERE sent > 60") == "20");
    proxies.iter_mut().for_each(|proxy| proxy.write(Entry::Event(Event::Ended)));
    wait("the ends", || {
        ramp.round(&[]);
        ramp.status().proxies == 0
    });
    assert_eq!(answered(&postgres), all);
}

/// Lines that say another number than their rows, or nothing, count as lost. The judge goes on, and so does evidence.
#[test]
fn lines_that_cannot_be_read_are_passed() {
    let mut judged = Judged::start("g");
    let Judged { ramp, proxy, postgres, .. } = &mut judged;
    let name = ramp.status().ramp;
    let positions = || postgres.ask("SELECT string_agg(taken::text, ' ') FROM tierup.stream WHERE file = 'x-1.jsonl'");
    let say = |number: u64, line: &str| {
        postgres.ask(&format!(
            "INSERT INTO tierup.stream VALUES ('g', 'x-1.jsonl', {number}) ON CONFLICT (rollout, file) DO UPDATE SET \
             sent = {number}; INSERT INTO tierup.evidence VALUES ('g', 'x-1.jsonl', {number}, '{line}')"
        ));
    };
    let ended = |number| Line { number, at: 0, entry: Entry::Event(Event::Ended) }.to_text().expect("JSON");
    for (number, line) in
        [(7, "no line".to_owned()), (8, ended(3)), (9, ended(u64::MAX)), (10, ended(10)), (11, "{}".to_owned())]
    {
        say(number, line.trim_end());
        assert_eq!(ramp.round(&[]).trouble, None);
        assert_eq!(positions(), number.to_string());
    }
    // One is no line, one lacks everything.
    assert!(ramp.status().to_string().contains("2 lines could not be read"), "{}", ramp.status());
    // As on a standby that lacks the last seconds: this judge knows the lines that are sent again.
    postgres.ask("UPDATE tierup.stream SET taken = 7 WHERE file = 'x-1.jsonl'");
    assert_eq!(ramp.round(&[]).trouble, None);
    proxy.slot(&name);
    wait("the slot", || {
        ramp.round(&[]);
        postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":10")
    });
    assert!(ramp.status().to_string().contains("2 lines could not be read"), "{}", ramp.status());
}

/// The write is carried out, and the judge hears that it was not.
#[test]
fn evidence_of_a_write_whose_answer_was_lost_counts_once() {
    let mut judged = Judged::start("h");
    let Judged { ramp, proxy, postgres, .. } = &mut judged;
    assert_eq!(ramp.round(&[]).trouble, None);
    let before = postgres.ask("SELECT sent FROM tierup.stream");
    proxy.slot(&ramp.status().ramp);
    wait("the slot", || postgres.ask("SELECT sent FROM tierup.stream") != before);
    // What the lost write has left behind.
    postgres.ask("UPDATE tierup.stream SET taken = sent");
    assert_eq!(ramp.round(&[]).trouble, None);
    assert!(postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":10"));
}

/// More than one statement has, and more than wait for a judge.
#[test]
fn a_long_file_is_sent_in_parts() {
    let postgres = Postgres::start();
    let url = postgres.url("j");
    let mut proxy = Proxy::start(&url);
    for _ in 0..3_000 {
        proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
    }
    let courier = proxy.courier.as_ref().expect("it runs");
    wait("the limit", || courier.trouble().is_some_and(|trouble| trouble.contains("too many lines wait")));
    let waiting = || postgres.ask("SELECT count(*) FROM tierup.evidence").parse::<u64>().expect("a number");
    assert!((1_000..=1_500).contains(&waiting()), "{}", waiting());
    // A judge takes them in, and the rest follows.
    wait("the rest", || {
        postgres.ask("UPDATE tierup.stream SET taken = sent");
        waiting() == 3_001
    });
    wait("no trouble", || courier.trouble().is_none());
}
