//! The real HAProxy, under load.

mod common;

use common::{
    Load, Server, bad, control, get,
    haproxy::{Setup, cookie, settings},
    is_unreachable, leave, now, observe_until, rises_and_falls, seen, slots, wait,
};
use tierup_ramp::{Actuator, Error, HaProxy, Observed};
use tierup_rollout::{
    Buckets, HaProxySettings, RampKey, Side, Sticky, Weights,
    evidence::{BadKind, Entry},
};

#[test]
fn weights_rise_and_fall_under_load_as_decided() {
    let mut setup = Setup::start();
    rises_and_falls(&mut setup.actuator, setup.port, |control, seen| seen.assert_as_decided(control));
}

#[test]
fn requests_that_are_not_shared_stay_with_control() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is told");
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    assert_eq!(get(setup.port, "POST", Some("anna")), Ok((200, "control".into())));
    // The same holds for another frontend of this backend.
    assert_eq!(get(setup.unlogged, "POST", Some("anna")), Ok((200, "control".into())));
    assert_eq!(get(setup.unlogged, "GET", Some("anna")), Ok((200, "candidate".into())));
    assert_eq!(get(setup.port, "GET", None), Ok((200, "control".into())));
    assert_eq!(get(setup.port, "GET", Some("")), Ok((200, "control".into())));
    setup.actuator.release().expect("it is told");
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
    // The weights are not renewed: here, for 58 seconds already.
    let mut old = control(1, "100%");
    old.heartbeat -= 58;
    setup.actuator.set(&old).expect("it is told");
    wait("the end", || get(setup.port, "GET", Some("anna")) == Ok((200, "control".into())));
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
}

#[test]
fn clients_have_the_same_bucket_as_in_tierups_proxy() {
    let header = Sticky::Header("X-User-Id".into());
    for (sticky, client) in [(Sticky::Address, &[127, 0, 0, 1][..]), (header, b"anna, b")] {
        let mut setup = Setup::with(sticky, None);
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..12 {
            let mut control = control(number, "30%");
            control.key = RampKey::new([number as u8; 16]);
            setup.actuator.set(&control).expect("it is told");
            let side = Buckets::new(&control.key).of(client).side(control.weights);
            let answer = common::ask(setup.port, "GET", "x-user-id: anna, b\r\n");
            assert_eq!(answer, Ok((200, side.name().into())));
            seen.insert(side);
        }
        assert_eq!(seen.len(), 3);
    }
}

#[test]
fn bad_answers_have_their_server_weights_and_client() {
    let mut setup = Setup::start();
    let mut control = control(1, "50%");
    control.weights.twin = control.weights.candidate;
    setup.actuator.set(&control).expect("it is told");
    seen(&mut setup.actuator);
    let buckets = Buckets::new(&control.key);
    setup.candidate.as_ref().expect("it runs").answer(500);
    setup.twin.answer(503);
    for client in ["a", "b", "c", "d", "e", "f"] {
        let side = buckets.of(client.as_bytes()).side(control.weights);
        let status = if side == Side::Candidate { 500 } else { 503 };
        assert_eq!(get(setup.port, "GET", Some(client)), Ok((status, side.name().into())));
    }
    let entries = observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(_)));
    let mut found: Vec<_> =
        bad(&entries).into_iter().map(|bad| (bad.client, bad.side, bad.kind, bad.weights)).collect();
    let mut expected: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .map(|client| {
            let bucket = buckets.of(client.as_bytes());
            (Some(bucket.0), bucket.side(control.weights), BadKind::Error, control.weights)
        })
        .to_vec();
    found.sort_by_key(|bad| bad.0);
    expected.sort_by_key(|bad| bad.0);
    assert_eq!(found, expected);
}

#[test]
fn a_dead_candidate_is_reported_and_fails_no_request() {
    let mut setup = Setup::start();
    let control = control(1, "100%");
    setup.actuator.set(&control).expect("it is told");
    seen(&mut setup.actuator);
    let port = setup.candidate.take().expect("it runs").port;
    for _ in 0..20 {
        assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
    }
    let entries = observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(_)));
    let found = bad(&entries);
    assert!(
        found.len() == 20 && found.iter().all(|bad| bad.side == Side::Candidate && bad.kind == BadKind::Broken),
        "{found:?}"
    );
    let gone = |entry: &Entry| is_unreachable(entry, Side::Candidate, true);
    if !entries.iter().any(gone) {
        observe_until(&mut setup.actuator, gone);
    }
    let _candidate = Server::on("candidate", port);
    observe_until(&mut setup.actuator, |entry| is_unreachable(entry, Side::Candidate, false));
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
}

#[test]
fn after_a_restart_control_answers_until_the_weights_are_set_again() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is told");
    seen(&mut setup.actuator);
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    setup.process = None;
    let error = setup.actuator.set(&control(1, "100%")).expect_err("nobody is there");
    assert!(matches!(error, Error::File { .. }), "{error}");
    assert!(
        setup.actuator.read(now()).is_err()
            && setup.actuator.observe().blind.is_some()
            && setup.actuator.check().is_err()
    );
    setup.run();
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
    setup.actuator.set(&control(1, "100%")).expect("it is told");
    // The new process's log is read from its first answer on.
    setup.candidate.as_ref().expect("it runs").answer(500);
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((500, "candidate".into())));
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.bad.is_empty()));
    assert_eq!(bad(&entries).len(), 1);
}

#[test]
fn missing_parts_of_the_configuration_are_named() {
    let setup = Setup::start();
    let check = |settings: HaProxySettings| {
        let error = HaProxy::new(settings).and_then(|mut actuator| actuator.check()).expect_err("it lacks something");
        error.to_string()
    };
    let right = settings(setup.folder.path(), cookie());
    let other = HaProxySettings { backend: "rest".into(), ..right.clone() };
    assert_eq!(check(other), "HAProxy: the backend `rest` has no server `candidate`");
    let other = HaProxySettings { map: setup.folder.path().join("other.map"), ..right.clone() };
    assert!(check(other).contains("Unknown map identifier"));
    let other = HaProxySettings { socket: setup.folder.path().join("no.sock"), ..right.clone() };
    assert!(check(other).contains("cannot talk to HAProxy at"));
    for name in ["", "a b", "a)b", "a\nb", "a#b"] {
        let other = HaProxySettings { sticky: Sticky::Cookie(name.into()), ..right.clone() };
        assert!(check(other).contains("cannot be named"), "{name}");
    }
}

#[test]
fn evidence_with_lost_lines_is_not_used() {
    let mut setup = Setup::start();
    let config = setup.folder.path().join("haproxy.cfg");
    let text = std::fs::read_to_string(&config).expect("it is there");
    std::fs::write(&config, text.replace("size 4194304", "size 16384")).expect("there is room");
    setup.process = None;
    setup.run();
    setup.actuator.set(&control(1, "50%")).expect("it is told");
    seen(&mut setup.actuator);
    // The log is not read meanwhile; the ring and the socket hold only a part of it.
    let load = Load::start(setup.port);
    load.next(6_000);
    drop(load);
    let (entries, (answers, logged)) = unlogged(&mut setup.actuator);
    assert!(answers >= 6_000 && 0 < logged && logged < answers, "{answers} {logged}");
    assert!(slots(&entries).is_empty(), "{entries:?}");
    // The next slot is complete.
    wait("a whole slot", || setup.actuator.observe().blind.is_none());
    assert_eq!(get(setup.port, "GET", Some("anna")).map(|answer| answer.0), Ok(200));
    let answered = |entries: &[Entry]| -> u64 {
        slots(entries).iter().flat_map(|slot| &slot.live).map(|live| live.answered).sum()
    };
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.live.is_empty()));
    assert_eq!(answered(&entries), 1);
}

/// Observes until HAProxy has not logged all answers. Returns the numbers, which stay until a slot is complete.
fn unlogged(actuator: &mut dyn Actuator) -> (Vec<Entry>, (u64, u64)) {
    let (mut entries, mut found) = (Vec::new(), None);
    wait("what is not logged", || {
        let Observed { entries: more, blind, .. } = actuator.observe();
        entries.extend(more);
        found = blind.map(|blind| match blind {
            Error::Unlogged { answers, logged, .. } => (answers, logged),
            other => panic!("{other}"),
        });
        found.is_some()
    });
    assert!(matches!(actuator.observe().blind, Some(Error::Unlogged { .. })));
    (entries, found.expect("it is there"))
}

#[test]
fn slots_with_unlogged_answers_are_not_used() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is told");
    seen(&mut setup.actuator);
    for _ in 0..30 {
        assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    }
    // The candidate's bad answers are not in the log.
    setup.candidate.as_ref().expect("it runs").answer(500);
    for _ in 0..5 {
        assert_eq!(get(setup.unlogged, "GET", Some("anna")), Ok((500, "candidate".into())));
    }
    let (entries, found) = unlogged(&mut setup.actuator);
    assert_eq!((slots(&entries).len(), found), (0, (35, 30)));
}

#[test]
fn an_operators_change_is_reported_and_slots_during_it_are_not_used() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is told");
    seen(&mut setup.actuator);
    let tell = |setup: &Setup, command: &str| {
        use std::io::{Read as _, Write as _};
        let mut stream =
            std::os::unix::net::UnixStream::connect(setup.folder.path().join("haproxy.sock")).expect("it listens");
        stream.write_all(format!("{command}\n").as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
    };
    for (change, back, why) in [
        ("set server app/candidate weight 50", "set server app/candidate weight 0", "`candidate` needs `weight 0`"),
        ("set server app/control weight 0%", "set server app/control weight 100%", "`control` has the weight 0"),
        ("set server app/control state drain", "set server app/control state ready", "`control` has the weight 0"),
        ("set server app/twin state maint", "set server app/twin state ready", "`twin` is in maintenance"),
    ] {
        tell(&setup, change);
        let _ = get(setup.port, "GET", Some("anna"));
        let Observed { entries, blind, .. } = setup.actuator.observe();
        let said = blind.map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(why), "{change}: {said}");
        assert!(slots(&entries).is_empty());
        tell(&setup, back);
        seen(&mut setup.actuator);
    }
}

#[test]
fn clients_that_leave_a_hanging_candidate_count_as_timed_out() {
    let mut setup = Setup::start();
    let control = control(1, "100%");
    setup.actuator.set(&control).expect("it is told");
    seen(&mut setup.actuator);
    setup.candidate.as_ref().expect("it runs").hang();
    leave(setup.port, "soon", std::time::Duration::from_millis(100));
    leave(setup.port, "late", std::time::Duration::from_millis(1_200));
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.bad.is_empty()));
    let found: Vec<_> = bad(&entries).into_iter().map(|bad| (bad.side, bad.kind, bad.client)).collect();
    let late = Buckets::new(&control.key).of(b"late").0;
    assert_eq!(found, [(Side::Candidate, BadKind::TimedOut, Some(late))]);
    let silent: u64 = slots(&entries).iter().flat_map(|slot| &slot.live).map(|live| live.silent).sum();
    assert_eq!(silent, 1);
}

#[test]
fn a_log_that_is_idle_for_long_is_still_followed() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is told");
    // HAProxy closes idle connections to its socket after two seconds here.
    let began = std::time::Instant::now();
    while began.elapsed() < std::time::Duration::from_secs(4) {
        seen(&mut setup.actuator);
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.live.is_empty()));
    assert_eq!(slots(&entries).iter().flat_map(|slot| &slot.live).map(|live| live.answered).sum::<u64>(), 1);
}

#[test]
fn control_answers_directly_while_the_proxy_before_it_is_down() {
    let mut setup = Setup::with(cookie(), Some(common::free_port()));
    setup.actuator.set(&control(1, "0%")).expect("it is told");
    wait("control itself", || get(setup.port, "GET", Some("anna")) == Ok((200, "control".into())));
    let entries = observe_until(&mut setup.actuator, |entry| is_unreachable(entry, Side::Control, true));
    assert!(bad(&entries).is_empty(), "{entries:?}");
    assert_eq!(get(setup.port, "POST", None), Ok((200, "control".into())));
}
