//! The real nginx, under load.

mod common;

use std::{fs, io::Write as _, path::Path, process::Command, time::Duration};

use common::{
    Server, bad, control, get, leave,
    nginx::{Setup, settings},
    now, observe_until, rises_and_falls, seen, slots, wait,
};
use tierup_ramp::{Actuator as _, Error, Nginx};
use tierup_rollout::{
    Buckets, NginxSettings, Side, Sticky, Weights,
    evidence::{BadKind, Entry},
};

#[test]
fn weights_rise_and_fall_under_load_as_decided() {
    let mut setup = Setup::start();
    rises_and_falls(&mut setup.actuator, setup.port, |_, _| {});
}

#[test]
fn requests_that_are_not_shared_stay_with_control() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is reloaded");
    // Client names such as 0, or with the end of a pattern, are valid.
    for client in ["anna", "0", "a:", ":"] {
        assert_eq!(get(setup.port, "GET", Some(client)), Ok((200, "candidate".into())), "{client}");
    }
    assert_eq!(get(setup.port, "POST", Some("anna")), Ok((200, "control".into())));
    assert_eq!(get(setup.port, "GET", None), Ok((200, "control".into())));
    let entries = observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(_)));
    let live: Vec<_> =
        slots(&entries).into_iter().flat_map(|slot| &slot.live).map(|live| (live.side, live.answered)).collect();
    assert_eq!(live, [(Side::Candidate, 4)]);
    setup.actuator.release().expect("it is reloaded");
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
    // The last heartbeat is 597 s old, and none follows: the control file is valid for a few more seconds.
    let mut old = control(2, "100%");
    old.heartbeat -= 597;
    setup.actuator.set(&old).expect("it is reloaded");
    wait("the end", || get(setup.port, "GET", Some("anna")) == Ok((200, "control".into())));
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
}

#[test]
fn bad_answers_have_their_server_weights_and_client() {
    let mut setup = Setup::start();
    let control = control(1, "100%");
    setup.actuator.set(&control).expect("it is reloaded");
    setup.candidate.as_ref().expect("it runs").answer(500);
    for client in ["a", "b", "a"] {
        assert_eq!(get(setup.port, "GET", Some(client)), Ok((500, "candidate".into())));
    }
    // The candidate is down.
    setup.candidate = None;
    assert_eq!(get(setup.port, "GET", Some("a")).map(|answer| answer.0), Ok(502));
    let entries = observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(_)));
    let found = bad(&entries);
    assert!(found.iter().all(|bad| bad.side == Side::Candidate && bad.weights == control.weights), "{found:?}");
    let kinds: Vec<_> = found.iter().map(|bad| bad.kind).collect();
    assert_eq!(kinds, [BadKind::Error, BadKind::Error, BadKind::Error, BadKind::Broken]);
    let clients: Vec<_> = found.iter().map(|bad| bad.client).collect();
    assert!(clients[0] == clients[2] && clients[0] == clients[3] && clients[0] != clients[1], "{clients:?}");
    // The log does not reveal the client.
    let log = fs::read_to_string(setup.folder.path().join("tierup.log")).expect("it is there");
    let shared: Vec<_> = log.lines().filter(|line| !line.starts_with("tierup-status=")).collect();
    assert!(shared.len() == 4 && shared.iter().all(|line| line.starts_with("tierup=candidate:50")), "{log}");
    assert_ne!(clients[0], Some(Buckets::new(&control.key).of(b"a").0));
}

#[test]
fn a_broken_configuration_is_an_error_and_changes_nothing() {
    let mut setup = Setup::start();
    let first = control(1, "5%");
    setup.actuator.set(&first).expect("it is reloaded");
    let config = setup.folder.path().join("nginx.conf");
    let right = fs::read_to_string(&config).expect("it is there");
    let split = fs::read_to_string(setup.folder.path().join("split.conf")).expect("it is there");
    fs::write(&config, right.replace("events {}", "events {")).expect("there is room");
    let error = setup.actuator.set(&control(2, "50%")).expect_err("nginx refuses it").to_string();
    assert!(error.contains("-t` failed"), "{error}");
    assert_eq!(fs::read_to_string(setup.folder.path().join("split.conf")).expect("it is there"), split);
    assert_eq!(setup.actuator.read(now()).expect("it tells"), first.weights);
    assert!(setup.actuator.check().is_err());
    fs::write(&config, &right).expect("there is room");
    // nginx's test accepts the text, but its master cannot apply it, and reports that only in its error log.
    let taken = Server::start("other");
    let other = right.replace(
        "        location / {\n            proxy_read",
        &format!("        listen 127.0.0.1:{};\n        location / {{\n            proxy_read", taken.port),
    );
    assert_ne!(other, right);
    fs::write(&config, &other).expect("there is room");
    let error = setup.actuator.set(&control(2, "50%")).expect_err("it is not in force");
    assert!(matches!(&error, Error::NotInForce { .. } | Error::Program(_)), "{error}");
    assert_eq!(setup.actuator.read(now()).expect("it tells"), first.weights);
    // Once the configuration is repaired, the next heartbeat puts it into force.
    fs::write(&config, &right).expect("there is room");
    setup.actuator.set(&control(2, "50%")).expect("it is reloaded");
    assert_eq!(setup.actuator.read(now()).expect("it tells"), control(2, "50%").weights);
}

#[test]
fn weights_fall_even_if_the_earlier_file_is_missing() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "50%")).expect("it is reloaded");
    fs::remove_file(setup.folder.path().join("split.conf")).expect("it is there");
    setup.actuator.release().expect("it is reloaded");
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
}

#[test]
fn the_log_is_followed_over_rotations() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is reloaded");
    let (log, moved) = (setup.folder.path().join("tierup.log"), setup.folder.path().join("tierup.log.1"));
    let ask = |setup: &Setup| assert_eq!(get(setup.port, "GET", Some("a")), Ok((200, "candidate".into())));
    let mut all = Vec::new();
    ask(&setup);
    fs::rename(&log, &moved).expect("it is there");
    // Workers still write to the moved file.
    ask(&setup);
    all.extend(seen(&mut setup.actuator));
    let pid = fs::read_to_string(setup.folder.path().join("nginx.pid")).expect("it runs");
    assert!(Command::new("kill").arg("-USR1").arg(pid.trim()).status().is_ok_and(|status| status.success()));
    wait("the new log", || log.exists());
    // A worker that has not opened the new file yet writes to the old one.
    wait("answers in the new log", || {
        ask(&setup);
        fs::read_to_string(&log).is_ok_and(|text| text.contains("tierup="))
    });
    let lines = |path: &Path| {
        let text = fs::read_to_string(path).expect("it is there");
        text.lines().filter(|line| line.starts_with("tierup=")).count() as u64
    };
    let answered = |entries: &[Entry]| -> u64 {
        slots(entries).iter().flat_map(|slot| &slot.live).map(|live| live.answered).sum()
    };
    let expected = lines(&moved) + lines(&log);
    wait("all of both", || {
        all.extend(seen(&mut setup.actuator));
        answered(&all) == expected
    });
    // The file is truncated, and has a line that is not tierup's.
    fs::write(&log, "something else\ntierup=cut").expect("there is room");
    all.extend(seen(&mut setup.actuator));
    let mut appended = fs::OpenOptions::new().append(true).open(&log).expect("it is there");
    appended.write_all(b"\n").expect("there is room");
    ask(&setup);
    wait("the line after them", || {
        all.extend(seen(&mut setup.actuator));
        answered(&all) == expected + 1
    });
}

#[test]
fn an_nginx_that_does_not_run_is_an_error() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is reloaded");
    setup.stop();
    assert!(setup.actuator.observe().blind.is_some() || setup.actuator.check().is_err());
    assert!(setup.actuator.set(&control(2, "50%")).is_err() && setup.actuator.read(now()).is_err());
    // A new nginx starts with the weights that were in force.
    setup.run();
    assert_eq!(setup.actuator.read(now()).expect("it tells"), control(1, "5%").weights);
}

#[test]
fn invalid_names_and_paths_are_refused() {
    let right = settings(Path::new("/tmp/x"), 1);
    let refused = |settings: NginxSettings| Nginx::new(settings).expect_err("it is refused").to_string();
    for name in ["", "a-b", "a;b", "a b", "a}"] {
        assert!(
            refused(NginxSettings { sticky: Sticky::Cookie(name.into()), ..right.clone() }).contains("cannot be named"),
            "{name}"
        );
    }
    assert!(Nginx::new(NginxSettings { sticky: Sticky::Header("x-user-id".into()), ..right.clone() }).is_ok());
    for path in ["relative", "/a b", "/a;b", "/a\nb"] {
        assert!(refused(NginxSettings { log: path.into(), ..right.clone() }).contains("cannot stand"), "{path}");
    }
}

#[test]
fn an_nginx_that_was_killed_starts_again() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is reloaded");
    setup.kill();
    setup.run();
    assert_eq!(setup.actuator.read(now()).expect("it tells"), control(1, "5%").weights);
}

#[test]
fn clients_that_leave_a_hanging_candidate_count_as_timed_out() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is reloaded");
    setup.candidate.as_ref().expect("it runs").hang();
    leave(setup.port, "soon", Duration::from_millis(100));
    leave(setup.port, "late", Duration::from_millis(1_200));
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.bad.is_empty()));
    let found: Vec<_> = bad(&entries).into_iter().map(|bad| (bad.side, bad.kind)).collect();
    assert_eq!(found, [(Side::Candidate, BadKind::TimedOut)]);
}

#[test]
fn a_log_that_nginx_does_not_write_is_reported_and_not_used() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is reloaded");
    let log = setup.folder.path().join("tierup.log");
    // The log is rotated, and nginx is not told.
    fs::rename(&log, setup.folder.path().join("tierup.log.1")).expect("it is there");
    fs::write(&log, "").expect("there is room");
    let expected = format!("nginx: it does not log its requests in `{}`", log.display());
    let mut another = Nginx::new(settings(setup.folder.path(), setup.status)).expect("plain names");
    assert_eq!(another.check().expect_err("nginx writes elsewhere").to_string(), expected);
    // The running judge follows the old file until nothing more is written to it.
    let mut said = String::new();
    wait("what is not logged", || {
        let observed = setup.actuator.observe();
        assert!(!observed.may_be_quiet, "tierup's own request must be in it");
        said = observed.blind.map(|error| error.to_string()).unwrap_or_default();
        said == expected
    });
    let pid = fs::read_to_string(setup.folder.path().join("nginx.pid")).expect("it runs");
    assert!(Command::new("kill").arg("-USR1").arg(pid.trim()).status().is_ok_and(|status| status.success()));
    wait("a log that tells", || setup.actuator.observe().blind.is_none());
}

#[test]
fn slots_without_logged_requests_are_not_used() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is reloaded");
    let config = setup.folder.path().join("nginx.conf");
    let text = fs::read_to_string(&config).expect("it is there");
    // An operator removes the log from the location.
    fs::write(&config, text.replace("tierup.log tierup;", "tierup.log tierup if=0;")).expect("there is room");
    setup.actuator.set(&control(2, "50%")).expect("it is reloaded");
    for _ in 0..30 {
        assert_eq!(get(setup.port, "GET", Some("anna")).map(|answer| answer.0), Ok(200));
    }
    let mut entries = Vec::new();
    let mut found = None;
    wait("what is not logged", || {
        let observed = setup.actuator.observe();
        entries.extend(observed.entries);
        assert_eq!(observed.may_be_quiet, observed.blind.is_some(), "they could be requests for something else");
        found = observed.blind.map(|error| error.to_string());
        found.is_some()
    });
    let expected = "nginx gave 30 answers and logged 0: what it does not log cannot be judged";
    assert_eq!((slots(&entries).len(), found.as_deref()), (0, Some(expected)));
    fs::write(&config, &text).expect("there is room");
    setup.actuator.set(&control(3, "5%")).expect("it is reloaded");
    assert_eq!(get(setup.port, "GET", Some("anna")).map(|answer| answer.0), Ok(200));
    wait("a log that tells", || setup.actuator.observe().blind.is_none());
}

#[test]
fn control_answers_directly_while_the_proxy_before_it_is_down() {
    let setup = Setup::with(Some(common::free_port()));
    for method in ["GET", "POST"] {
        assert_eq!(get(setup.port, method, Some("anna")), Ok((200, "control".into())));
    }
}
