//! The real Envoy, under load.

mod common;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    time::{Duration, Instant},
};

use common::{
    Load, Server, ask, bad, control, envoy::Setup, free_port, get, leave, now, observe_until, rises_and_falls, seen,
    slots, wait,
};
use tierup_ramp::{Actuator as _, Envoy};
use tierup_rollout::{
    Buckets, EnvoySettings, Side, Sticky, Weights,
    evidence::{BadKind, Entry},
};

/// A time to live that a test can wait for.
const SHORT: Duration = Duration::from_secs(3);

#[test]
fn weights_rise_and_fall_under_load_as_decided() {
    let mut setup = Setup::start();
    rises_and_falls(&mut setup.actuator, setup.port, |_, _| {});
}

#[test]
fn control_answers_once_the_judge_is_silent_or_gone() {
    let mut setup = Setup::with(None, SHORT);
    let is = |setup: &Setup, server: &str| get(setup.port, "GET", Some("anna")) == Ok((200, server.into()));
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    wait("the candidate", || is(&setup, "candidate"));
    // The judge is connected, and hangs.
    let began = Instant::now();
    wait("the end", || is(&setup, "control"));
    println!("silent: control after {:?}", began.elapsed());
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
    // It works again, and its heartbeats keep the weights for longer than they live.
    let began = Instant::now();
    while began.elapsed() < 2 * SHORT {
        setup.actuator.set(&control(1, "100%")).expect("it is connected");
        wait("the candidate", || is(&setup, "candidate"));
    }
    // The judge is killed.
    setup.actuator = Envoy::with_ttl(setup.settings.clone(), SHORT).expect("plain names");
    let began = Instant::now();
    wait("the end", || is(&setup, "control"));
    println!("gone: control after {:?}", began.elapsed());
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
}

#[test]
fn weights_outlive_a_judge_that_is_started_again() {
    let mut setup = Setup::start();
    let control = control(1, "100%");
    setup.actuator.set(&control).expect("it is connected");
    setup.actuator = Envoy::new(setup.settings.clone()).expect("plain names");
    assert_eq!(setup.actuator.read(now()).expect("it tells without being connected"), control.weights);
    setup.actuator.check().expect("Envoy connects again");
    assert_eq!(setup.actuator.read(now()).expect("it tells"), control.weights);
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    // An operator takes the weights back without a judge.
    setup.actuator = Envoy::new(setup.settings.clone()).expect("plain names");
    setup.actuator.release().expect("Envoy connects again");
    wait("control", || get(setup.port, "GET", Some("anna")) == Ok((200, "control".into())));
}

#[test]
fn the_printed_configuration_is_valid() {
    let mut setup = Setup::start();
    let checked = setup.command("envoy.yaml").args(["--mode", "validate"]).status();
    assert!(checked.is_ok_and(|status| status.success()));
    setup.actuator.check().expect("it has all");
    let config = setup.folder.path().join("envoy.yaml");
    let right = fs::read_to_string(&config).expect("it is there");
    let listen = setup.settings.listen;
    let mut refused = |from: &str, to: &str| {
        setup.actuator = Envoy::new(setup.settings.clone()).expect("plain names");
        assert!(right.contains(from), "{from}");
        fs::write(&config, right.replace(from, to)).expect("there is room");
        setup.process = None;
        setup.process = Some(common::Process::start(&mut setup.command("envoy.yaml")));
        wait("Envoy", || get(setup.port, "GET", None).is_ok());
        setup.actuator.check().expect_err("something is missing").to_string()
    };
    let lacks = "Envoy: it lacks the route with `stat_prefix: tierup` or one of its clusters";
    assert_eq!(refused("stat_prefix: tierup\n", "stat_prefix: other\n"), lacks);
    let error = refused(&format!("port_value: {} ", listen.port()), "port_value: 1 ");
    assert_eq!(error, format!("Envoy has not put the weights into force: it is not connected to {listen}"));
}

#[test]
fn requests_that_are_not_shared_stay_with_control() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    wait("the candidate", || get(setup.port, "GET", Some("anna")) == Ok((200, "candidate".into())));
    for lines in ["cookie: a=1; session=0; b=2\r\n", "cookie: session=a:b\r\n", "cookie: session=%d\r\n"] {
        assert_eq!(ask(setup.port, "GET", lines), Ok((200, "candidate".into())), "{lines}");
    }
    assert_eq!(get(setup.port, "POST", Some("anna")), Ok((200, "control".into())));
    // A client cannot name itself.
    for lines in ["", "cookie: session=\r\n", "cookie: xsession=a\r\n", "x-tierup-client: 0000000f\r\n"] {
        assert_eq!(ask(setup.port, "GET", lines), Ok((200, "control".into())), "{lines}");
    }
    setup.actuator.release().expect("it is connected");
    wait("control", || get(setup.port, "GET", Some("anna")) == Ok((200, "control".into())));
}

#[test]
fn bad_answers_have_their_server_weights_and_client() {
    let mut setup = Setup::start();
    let control = control(1, "100%");
    setup.actuator.set(&control).expect("it is connected");
    settle(&mut setup);
    setup.candidate.as_ref().expect("it runs").answer(500);
    for client in ["a", "b", "a"] {
        assert_eq!(get(setup.port, "GET", Some(client)), Ok((500, "candidate".into())));
    }
    // The candidate is down, and control answers.
    setup.candidate = None;
    // The first requests may meet connections that the candidate closes.
    wait("control", || get(setup.port, "GET", Some("a")) == Ok((200, "control".into())));
    let mut found = Vec::new();
    wait("bad answers", || {
        found.extend(bad(&seen(&mut setup.actuator)).into_iter().cloned());
        found.len() >= 4
    });
    found.truncate(4);
    assert!(found.iter().all(|bad| bad.side == Side::Candidate && bad.weights == control.weights), "{found:?}");
    let kinds: Vec<_> = found.iter().map(|bad| bad.kind).collect();
    assert_eq!(kinds, [BadKind::Error, BadKind::Error, BadKind::Error, BadKind::Broken]);
    let clients: Vec<_> = found.iter().map(|bad| bad.client).collect();
    assert!(clients[0] == clients[2] && clients[0] == clients[3] && clients[0] != clients[1], "{clients:?}");
    // The log does not reveal the client.
    let log = fs::read_to_string(&setup.settings.log).expect("it is there");
    assert!(log.lines().all(|line| line.starts_with("tierup=tierup-") && !line.contains("session")), "{log}");
    assert_ne!(clients[0], Some(Buckets::new(&control.key).of(b"a").0));
}

/// A client may begin a request, and end its head when other weights hold.
#[test]
fn a_request_counts_at_the_weights_that_chose_its_server() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is connected");
    settle(&mut setup);
    let mut slow = TcpStream::connect(("127.0.0.1", setup.port)).expect("it listens");
    slow.write_all(b"GET /a HTTP/1.1\r\nhost: x\r\ncookie: session=slow\r\n").expect("it reads");
    let all = control(2, "100%");
    setup.actuator.set(&all).expect("it is connected");
    settle_at(&mut setup, 2);
    setup.candidate.as_ref().expect("it runs").answer(500);
    slow.write_all(b"connection: close\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains("x-server: candidate"), "{answer}");
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.bad.is_empty()));
    assert!(bad(&entries).iter().all(|bad| bad.weights == all.weights), "{entries:?}");
}

#[test]
fn an_envoy_that_names_itself_in_each_request_gets_no_answer_to_its_acknowledgements() {
    let mut setup = Setup::start();
    let config = setup.folder.path().join("envoy.yaml");
    let text = fs::read_to_string(&config).expect("it is there");
    let named_once = "set_node_on_first_message_only: true";
    assert!(text.contains(named_once));
    fs::write(&config, text.replace(named_once, "set_node_on_first_message_only: false")).expect("there is room");
    setup.process = None;
    setup.run();
    setup.actuator.set(&control(1, "5%")).expect("it is connected");
    settle(&mut setup);
    let said = setup.admin("/stats?filter=^runtime[.]update_success$");
    let count = said.rsplit_once("update_success: ").and_then(|(_, rest)| rest.split_whitespace().next());
    let updates = count.and_then(|count| count.parse().ok());
    assert!(updates.is_some_and(|updates: u32| (1..=3).contains(&updates)), "{said}");
}

/// Waits until the first weights are certain for the requests that begin now.
fn settle(setup: &mut Setup) {
    settle_at(setup, 1);
}

fn settle_at(setup: &mut Setup, generation: u64) {
    wait("an answer that counts", || {
        assert!(get(setup.port, "GET", Some("settles")).is_ok());
        slots(&seen(&mut setup.actuator)).iter().any(|slot| slot.generation == generation && !slot.live.is_empty())
    });
}

#[test]
fn a_candidate_that_is_down_costs_no_client_an_answer() {
    let mut setup = Setup::start();
    setup.candidate = None;
    let load = Load::start(setup.port);
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    let seen = load.next(3_000);
    assert_eq!((seen.failed.len(), seen.shares()[0]), (0, seen.answers));
}

#[test]
fn clients_that_leave_a_hanging_candidate_count_as_timed_out() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    settle(&mut setup);
    setup.candidate.as_ref().expect("it runs").hang();
    leave(setup.port, "soon", Duration::from_millis(100));
    leave(setup.port, "late", Duration::from_millis(1_200));
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if !slot.bad.is_empty()));
    let found: Vec<_> = bad(&entries).into_iter().map(|bad| (bad.side, bad.kind)).collect();
    assert_eq!(found, [(Side::Candidate, BadKind::TimedOut)]);
}

#[test]
fn an_operators_override_is_noticed() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "5%")).expect("it is connected");
    let expected = format!(
        "Envoy has not put the weights into force: other values of `tierup.weight` hold, see http://{}/runtime",
        setup.settings.admin
    );
    setup.admin("/runtime_modify?tierup.weight.tierup-candidate=0");
    wait("what is overridden", || {
        let blind = setup.actuator.observe().blind.map(|error| error.to_string());
        assert!(blind.as_ref().is_none_or(|blind| *blind == expected), "{blind:?}");
        blind.is_some()
    });
    assert_eq!(setup.actuator.set(&control(2, "50%")).expect_err("it is overridden").to_string(), expected);
    // An empty value ends the override.
    setup.admin("/runtime_modify?tierup.weight.tierup-candidate=");
    setup.actuator.set(&control(2, "50%")).expect("it holds");
    wait("the end of it", || setup.actuator.observe().blind.is_none());
}

#[test]
fn another_envoy_is_reported_and_gets_no_weights_if_its_id_is_another() {
    check_another("other", "Envoy: another Envoy, with the node id `other`, is connected, and gets no weights");
    check_another("NODE", "Envoy: two Envoys with the node id `NODE` are connected");
}

fn check_another(id: &str, expected: &str) {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    let config = fs::read_to_string(setup.folder.path().join("envoy.yaml")).expect("it is there");
    let (port, admin) = (free_port(), free_port());
    let other = config
        .replace("{ id: NODE,", &format!("{{ id: {id},"))
        .replace(&format!("port_value: {} ", setup.port), &format!("port_value: {port} "))
        .replace(&format!("port_value: {} ", setup.settings.admin.port()), &format!("port_value: {admin} "))
        .replace("tierup.log", "other.log");
    fs::write(setup.folder.path().join("other.yaml"), other).expect("there is room");
    let _other = common::Process::start(&mut setup.command("other.yaml"));
    wait("the other", || get(port, "GET", None).is_ok());
    wait("it is reported", || setup.actuator.observe().blind.is_some_and(|blind| blind.to_string() == expected));
    setup.actuator.set(&control(2, "50%")).expect("the first has them");
    for client in 0..50 {
        let answer = get(port, "GET", Some(&client.to_string())).expect("an answer");
        assert!(id == "NODE" || answer == (200, "control".into()), "{answer:?}");
    }
}

#[test]
fn an_envoy_that_was_restarted_gets_its_weights_back() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    settle(&mut setup);
    setup.process = None;
    assert!(setup.actuator.observe().blind.is_some());
    assert!(setup.actuator.set(&control(2, "50%")).is_err() && setup.actuator.read(now()).is_err());
    setup.run();
    wait("the weights", || setup.actuator.read(now()).is_ok_and(|weights| weights == control(2, "50%").weights));
    setup.actuator.set(&control(2, "50%")).expect("it is connected");
    // It counts from 0 again.
    settle_at(&mut setup, 2);
}

#[test]
fn answers_without_lines_are_reported_and_not_used() {
    let mut setup = Setup::start();
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    settle(&mut setup);
    // The log is rotated, and Envoy is not told: it writes to the old file.
    let (log, moved) = (setup.settings.log.clone(), setup.folder.path().join("tierup.log.1"));
    fs::rename(&log, &moved).expect("it is there");
    fs::write(&log, "").expect("there is room");
    let mut said = String::new();
    wait("what is not read", || {
        for client in ["a", "b", "c"] {
            assert_eq!(get(setup.port, "GET", Some(client)), Ok((200, "candidate".into())));
        }
        said = setup.actuator.observe().blind.map(|error| error.to_string()).unwrap_or_default();
        !said.is_empty()
    });
    assert!(said.starts_with("Envoy gave ") && said.contains(" and logged "), "{said}");
    setup.admin("/reopen_logs");
    wait("a log that tells", || {
        assert!(get(setup.port, "GET", Some("a")).is_ok());
        setup.actuator.observe().blind.is_none() && fs::metadata(&log).is_ok_and(|log| log.len() > 0)
    });
    settle(&mut setup);
}

#[test]
fn control_answers_directly_while_the_proxy_before_it_is_down() {
    let setup = Setup::with(Some(free_port()), SHORT);
    for method in ["GET", "POST"] {
        assert_eq!(get(setup.port, method, Some("anna")), Ok((200, "control".into())));
    }
}

#[test]
fn invalid_names_and_paths_are_refused() {
    let right = EnvoySettings {
        listen: ([127, 0, 0, 1], 1).into(),
        admin: ([127, 0, 0, 1], 2).into(),
        log: "/tmp/tierup.log".into(),
        sticky: Sticky::Header("x-user-id".into()),
    };
    let refused = |settings: EnvoySettings| Envoy::new(settings).expect_err("it is refused").to_string();
    for name in ["", "a;b", "a b", "a\"", "a%"] {
        let settings = EnvoySettings { sticky: Sticky::Cookie(name.into()), ..right.clone() };
        assert!(refused(settings).contains("cannot be named"), "{name}");
    }
    assert!(refused(EnvoySettings { sticky: Sticky::Address, ..right.clone() }).contains("is not possible"));
    for path in ["relative", "/a b", "/a\"b"] {
        let settings = EnvoySettings { log: Path::new(path).into(), ..right.clone() };
        assert!(refused(settings).contains("cannot stand"), "{path}");
    }
    // Two judges cannot serve at one address.
    let taken = Server::start("other");
    let mut setup = Setup::start();
    setup.settings.listen.set_port(taken.port);
    let mut second = Envoy::new(setup.settings.clone()).expect("plain names");
    assert!(second.check().expect_err("it is taken").to_string().contains("cannot serve it the weights at"));
}
