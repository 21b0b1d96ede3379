//! A rollout in a real Postgres: several judges, many proxies.

mod common;

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::Path,
    thread,
    time::Duration,
};

use common::{Process, now, postgres::Postgres, wait};
use rustix::process::{Pid, Signal, kill_process};
use tierup_ramp::{Command, Courier, Database, Door, Error, Keeping, Machine, Options, Ramp, SCHEMA, State};
use tierup_rollout::{
    Control, Part, Phase, Plan, Side, StoreUrl, Weights,
    evidence::{Entry, Event, Line, Live, Slot},
};

/// A lease that a test can wait for.
const LEASE: Duration = Duration::from_secs(2);
/// The variable that makes a test run as a judge: an address.
const JUDGE: &str = "TIERUP_TEST_JUDGE";

fn options() -> Options {
    Options { sample: Part::ALL, second: Part::ALL, verify: Part::NONE, keeping: Keeping::default(), advises: false }
}

/// A proxy: a folder with evidence, and the courier that keeps it in step with the database.
struct Proxy {
    state: State,
    lines: u64,
    courier: Option<Courier>,
    _folder: tempfile::TempDir,
}

impl Proxy {
    fn start(url: &StoreUrl) -> Proxy {
        let folder = tempfile::tempdir().expect("there is room");
        let state = State::at(folder.path().join("state"));
        let mut proxy = Proxy { state, lines: 0, courier: None, _folder: folder };
        proxy.connect(url);
        let sides = [Side::Control, Side::Candidate, Side::Twin].map(|side| (side, "http://127.0.0.1:1".to_owned()));
        proxy.write(Entry::Event(Event::Began { sides: sides.into() }));
        proxy
    }

    fn connect(&mut self, judges: &StoreUrl) {
        let url = StoreUrl { address: judges.address.replace("_judge@", "_proxy@"), ..judges.clone() };
        self.courier = Some(Courier::start(&url, self.state.clone()).expect("it lets us in"));
    }

    fn write(&mut self, entry: Entry) {
        self.lines += 1;
        let line = Line { number: self.lines, at: 1_000 * now(), entry }.to_text().expect("JSON");
        // Each proxy has a file of its own name.
        let name =
            format!("{}-1.jsonl", self.state.folder().parent().expect("it has").file_name().expect("it has").display());
        let file = OpenOptions::new().create(true).append(true).open(self.state.evidence().join(name));
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("there is room");
    }

    fn control(&self) -> Option<Control> {
        let text = fs::read_to_string(self.state.control()).ok()?;
        Some(Control::parse(&text).expect("a whole control file"))
    }

    fn wait_for(&self, what: &str, is: impl Fn(&Control) -> bool) -> Control {
        wait(what, || self.control().is_some_and(|control| is(&control)));
        self.control().expect("it is there")
    }

    /// A slot in which control gave ten answers.
    fn slot(&mut self, ramp: &str) {
        let live = Live { route: "GET /".into(), side: Side::Control, answered: 10, errors: 0, silent: 0 };
        let processor = [(Side::Control, 0.5)].into();
        self.write(Entry::Slot(Slot {
            ramp: Some(ramp.to_owned()),
            lasted: 5_000,
            live: vec![live],
            processor,
            ..Slot::default()
        }));
    }
}

/// Waits for the lease, and goes on with the ramp or begins one.
fn ramp(database: &Database, folder: &Path) -> Ramp {
    let mut lease = None;
    wait("the lease", || {
        lease = database.take().expect("it answers");
        lease.is_some()
    });
    let state = State::at(folder.join("state"));
    let door = Door::of(lease, state, database.actuator(), Box::new(Machine::default())).expect("it opens");
    let mut door = match door.go_on(options()) {
        Ok(ramp) => return ramp,
        Err(door) => door,
    };
    wait("a proxy", || door.look().expect("it can be read").is_some());
    door.begin(Plan::default(), options()).expect("it begins")
}

/// A judge in a process of its own: gives the candidate 25 % of a new ramp, and judges until it is deposed.
fn judge(url: &str) {
    let database = Database::with_lease(&url.parse().expect("an address"), &env::var("NAME").expect("a name"), LEASE);
    let mut ramp = ramp(&database.expect("it lets us in"), Path::new("."));
    if ramp.begun().is_some() {
        ramp.order(Command::To("25%".parse().expect("a part")));
    }
    while !ramp.is_deposed() {
        let round = ramp.round(&[]);
        round.trouble.iter().for_each(|trouble| println!("{trouble}"));
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn the_lease_passes_from_a_killed_and_from_a_stopped_judge() {
    if let Ok(url) = env::var(JUDGE) {
        return judge(&url);
    }
    let postgres = Postgres::start();
    let mut proxy = Proxy::start(&postgres.url("a"));
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("there is room"));
    let start = |number: usize| {
        let folder = folders[number].path();
        let name = "the_lease_passes_from_a_killed_and_from_a_stopped_judge";
        let mut command = Process::again(name, JUDGE, &postgres.address("tierup_judge", "a"), folder);
        let said = File::create(folder.join("said")).expect("there is room");
        Process::start(command.env("NAME", number.to_string()).stdout(said))
    };
    let holds = |number: &str| {
        let sql = "SELECT holder FROM tierup.rollout WHERE until > clock_timestamp()";
        wait("the lease", || postgres.ask(sql).starts_with(number));
    };
    let mut one = start(0);
    // A proxy that began before the judge does not say so again, but it says something every five seconds.
    wait("the first judge", || {
        proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
        proxy.control().is_some_and(|control| control.phase == Phase::Ramping)
    });
    let first = proxy.wait_for("25 %", |control| control.weights.candidate.ten_thousandths() == 2_500);
    let two = start(1);
    proxy.slot(&first.ramp);
    wait("the slot", || postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":10"));
    one.0.kill().and_then(|()| one.0.wait()).expect("it is ours");
    holds("1");
    let second = proxy.wait_for("the second judge", |control| control.generation > first.generation);
    assert_eq!((&second.ramp, second.weights, &second.key), (&first.ramp, first.weights, &first.key));
    // The second judge is stopped, in whatever it does.
    kill_process(Pid::from_child(&two.0), Signal::STOP).expect("it is ours");
    let three = start(2);
    holds("2");
    let third = proxy.wait_for("the third judge", |control| control.generation > second.generation);
    assert_eq!((&third.ramp, third.weights), (&first.ramp, first.weights));
    proxy.slot(&first.ramp);
    wait("the slot", || postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":20"));
    // It wakes up, and finds that it is no longer the judge.
    kill_process(Pid::from_child(&two.0), Signal::CONT).expect("it is ours");
    two.finished();
    let said = fs::read_to_string(folders[1].path().join("said")).expect("it is there");
    assert!(said.contains("another judge has taken over: 2 ("), "{said}");
    holds("2");
    assert_eq!(proxy.control().expect("it is there").generation, third.generation);
    drop(three);
    // The journal knows who decided what, without a gap.
    let journal =
        postgres.ask("SELECT string_agg(decision::json ->> 'decision', ' ' ORDER BY number) FROM tierup.decision");
    assert_eq!(journal, "begin to 25% go on go on");
    let journal = tierup_ramp::decisions(&folders[2].path().join("state/decisions.jsonl")).expect("it is there");
    assert_eq!(journal.iter().map(|decided| decided.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn a_judge_whose_term_is_over_can_write_nothing() {
    let postgres = Postgres::start();
    let url = postgres.url("b");
    let mut proxy = Proxy::start(&url);
    let connect = |name: &str| Database::with_lease(&url, name, LEASE).expect("it lets us in");
    let (one, two) = (connect("one"), connect("two"));
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("there is room"));
    let begun = thread::scope(|scope| {
        let began = scope.spawn(|| ramp(&one, folders[0].path()));
        wait("the ramp", || {
            proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
            began.is_finished()
        });
        began.join().expect("it does not panic")
    });
    let mut old = begun;
    assert_eq!(old.round(&[]).trouble, None);
    assert!(two.take().expect("it answers").is_none(), "one has the lease");
    assert!(two.holder().expect("it answers").is_some_and(|holder| holder.starts_with("one (")));
    let mut new = ramp(&two, folders[1].path());
    assert_eq!(new.round(&[]).trouble, None);
    let table =
        || postgres.ask("SELECT row_to_json(r) FROM tierup.rollout r") + &postgres.ask("SELECT * FROM tierup.decision");
    let before = table();
    let all = Control { generation: 99, weights: Weights::with_twin(Part::MOST), ..common::control(99, "99%") };
    assert!(matches!(one.actuator().set(&all), Err(Error::Deposed { .. })));
    one.actuator().release().expect("it answers");
    let (round, reply) = old.order(Command::To("50%".parse().expect("a part")));
    assert!(
        round.trouble.is_some_and(|trouble| trouble.contains("two (")) && reply.refused.is_some() && old.is_deposed()
    );
    drop(old);
    assert_eq!(table(), before, "even its end changes nothing");
    // An operator's order to abort reaches the judge that has the lease, and nothing is in force meanwhile.
    let operator = connect("operator");
    operator.order_abort().expect("it answers");
    wait("no control", || proxy.control().is_none());
    wait("the abort", || {
        new.round(&[]);
        new.phase() == Phase::RolledBack
    });
    let control = proxy.wait_for("the control", |control| control.phase == Phase::RolledBack);
    assert_eq!(control.weights, Weights::CONTROL_ONLY);
    // The next judge needs not wait for the end of the lease. What it cannot read is told, and the rollback still counts.
    drop(new);
    postgres.ask("UPDATE tierup.rollout SET ramp = '{}'");
    let lease = operator.take().expect("it answers");
    assert!(lease.is_some());
    let state = State::at(folders[0].path().join("third"));
    let door = Door::of(lease, state, operator.actuator(), Box::new(Machine::default())).expect("it opens");
    assert!(door.set_aside.as_ref().is_some_and(|(aside, _)| aside == "the next ramp replaces it"));
    assert!(matches!(door.last(), Ok(Some((Phase::RolledBack, Some(_))))));
}

#[test]
fn twenty_proxies_send_at_once_and_a_crash_of_postgres_loses_nothing_and_doubles_nothing() {
    const SLOTS: u64 = 60;
    let mut postgres = Postgres::start();
    let url = postgres.url("c");
    let mut proxies: Vec<Proxy> = (0..20).map(|_| Proxy::start(&url)).collect();
    let (database, folder) = (Database::connect(&url).expect("it lets us in"), tempfile::tempdir().expect("room"));
    let mut ramp = thread::scope(|scope| {
        let began = scope.spawn(|| ramp(&database, folder.path()));
        wait("the ramp", || {
            proxies[0].write(Entry::Event(Event::ControlFile { trouble: None }));
            began.is_finished()
        });
        began.join().expect("it does not panic")
    });
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

#[test]
fn the_age_of_control_is_by_the_clock_of_the_database() {
    let mut postgres = Postgres::start();
    let url = postgres.url("d");
    let database = Database::connect(&url).expect("it lets us in");
    let lease = database.take().expect("it answers").expect("nobody else is there");
    // The judge's clock is wrong by years.
    database.actuator().set(&Control { heartbeat: 5, ..common::control(1, "5%") }).expect("it has the lease");
    let proxy = Proxy::start(&url);
    let control = proxy.wait_for("control", |control| control.generation == 1);
    assert!(!control.is_stale(now()));
    assert_eq!(database.actuator().read(now()).expect("it answers"), control.weights);
    postgres.ask("UPDATE tierup.rollout SET beat = beat - interval '70 s'");
    proxy.wait_for("an old beat", |control| control.is_stale(now()));
    assert_eq!(database.actuator().read(now()).expect("it answers"), Weights::CONTROL_ONLY);
    // Postgres is gone: a proxy starts all the same, and tells.
    postgres.crash();
    let late = Proxy::start(&url);
    let courier = late.courier.as_ref().expect("it runs");
    assert!(courier.trouble().is_some_and(|trouble| trouble.starts_with("Postgres: ")), "{:?}", courier.trouble());
    assert!(late.control().is_none());
    postgres.run();
    late.wait_for("control", |control| control.generation == 1);
    wait("no trouble", || courier.trouble().is_none());
    drop(lease);
}

#[test]
fn a_wrong_password_or_missing_tables_are_told_at_the_start() {
    if let Ok(url) = env::var(JUDGE) {
        let error = Database::connect(&url.parse().expect("an address")).expect_err("it is refused");
        print!("{error}\n{}\n", error.hint().unwrap_or_default());
        let started = Courier::start(&url.parse().expect("an address"), State::at("state".into()));
        assert_eq!(started.expect_err("it is refused").to_string(), error.to_string());
        return;
    }
    let postgres = Postgres::without_tables(&["--auth", "scram-sha-256"]);
    let told = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("there is room");
        let name = "a_wrong_password_or_missing_tables_are_told_at_the_start";
        let mut command = Process::again(name, JUDGE, &postgres.address("tierup", "e"), folder.path());
        command.envs(variables.iter().copied()).env("HOME", folder.path());
        let printed = command.output().expect("it runs");
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        String::from_utf8_lossy(&printed.stdout).into_owned()
    };
    let wrong = told(&[("PGPASSWORD", "wrong")]);
    assert!(wrong.contains("Postgres: password authentication failed for user \"tierup\"\n"), "{wrong}");
    let none = told(&[]);
    assert!(none.contains("password missing"), "{none}");
    let tables = told(&[("PGPASSWORD", "s3:cret")]);
    assert!(tables.contains("`tierup ramp --show-config` prints the tables"), "{tables}");
    let file = postgres.folder.path().join("pass");
    fs::write(&file, "*:*:*:tierup:s3:cret\n").expect("there is room");
    let group = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs::set_permissions(&file, group).expect("it is ours");
    let file = file.to_str().expect("it is text");
    let readable = told(&[("PGPASSFILE", file)]);
    assert!(readable.contains("others can read it"), "{readable}");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(file, private).expect("it is ours");
    let file = told(&[("PGPASSFILE", file)]);
    assert!(file.contains("`tierup ramp --show-config` prints the tables"), "{file}");
}

#[test]
fn the_certificate_of_the_server_is_checked() {
    let mut postgres = Postgres::without_tables(&["--auth-host", "trust"]);
    postgres.ask(SCHEMA);
    let certificate = postgres.encrypt();
    let connect_to = |host: &str, parameters: &str| {
        let address = postgres.address("tierup", "f").replace("sslmode=disable", parameters).replace("127.0.0.1", host);
        Database::connect(&address.parse().expect("an address")).map(drop).map_err(|error| error.to_string())
    };
    let connect = |parameters: &str| connect_to("127.0.0.1", parameters);
    let rooted = format!("sslrootcert={certificate}");
    assert_eq!(connect(&rooted), Ok(()));
    let unknown = connect("sslmode=verify-full").expect_err("nobody vouches for it");
    assert!(unknown.contains("invalid peer certificate") || unknown.contains("no certificates"), "{unknown}");
    let other = connect_to("localhost", &rooted).expect_err("it has another name");
    assert!(other.contains("invalid peer certificate"), "{other}");
    let plain = connect("sslmode=disable").expect_err("it takes encrypted connections only");
    assert!(plain.contains("no encryption"), "{plain}");
}

/// A ramp of a judge in this process, with a proxy.
fn begun(url: &StoreUrl, proxy: &mut Proxy, folder: &Path) -> (Database, Ramp) {
    let database = Database::connect(url).expect("it lets us in");
    let ramp = thread::scope(|scope| {
        let began = scope.spawn(|| ramp(&database, folder));
        wait("the ramp", || {
            proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
            began.is_finished()
        });
        began.join().expect("it does not panic")
    });
    (database, ramp)
}

/// Lines that say another number than their rows, or nothing, count as lost. The judge goes on, and so does evidence.
#[test]
fn lines_that_cannot_be_read_are_passed() {
    let postgres = Postgres::start();
    let url = postgres.url("g");
    let folder = tempfile::tempdir().expect("there is room");
    let mut proxy = Proxy::start(&url);
    let (_database, mut ramp) = begun(&url, &mut proxy, folder.path());
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
    let postgres = Postgres::start();
    let url = postgres.url("h");
    let folder = tempfile::tempdir().expect("there is room");
    let mut proxy = Proxy::start(&url);
    let (_database, mut ramp) = begun(&url, &mut proxy, folder.path());
    assert_eq!(ramp.round(&[]).trouble, None);
    let before = postgres.ask("SELECT sent FROM tierup.stream");
    proxy.slot(&ramp.status().ramp);
    wait("the slot", || postgres.ask("SELECT sent FROM tierup.stream") != before);
    // What the lost write has left behind.
    postgres.ask("UPDATE tierup.stream SET taken = sent");
    assert_eq!(ramp.round(&[]).trouble, None);
    assert!(postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":10"));
}

/// A write that was not answered may be carried out late. By then the judge has another term.
#[test]
fn a_late_write_undoes_nothing_and_no_process_of_the_database_waits_for_it() {
    let postgres = Postgres::start();
    let database = Database::connect(&postgres.url("i")).expect("it lets us in");
    let _lease = database.take().expect("it answers").expect("nobody else is there");
    let mut actuator = database.actuator();
    let of = |generation, weight| common::control(generation, weight);
    actuator.set(&of(1, "5%")).expect("it has the lease");
    let terms = || postgres.ask("SELECT term FROM tierup.rollout");
    assert_eq!(terms(), "1");
    let end = |whose: &str| {
        postgres.ask(&format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {whose}"))
    };
    // The connection breaks: nobody knows whether the next write arrived before that.
    assert_eq!(end("usename = 'tierup_judge'"), "1");
    actuator.set(&of(2, "0%")).expect("it is written again");
    assert_eq!(terms(), "2");
    // The lease was not lost by that, and the next write needs no term of its own.
    actuator.set(&of(3, "0%")).expect("it has the lease");
    assert_eq!(terms(), "2");
    // Somebody locks the row for longer than the judge waits.
    let waiting = "usename = 'tierup_judge' AND wait_event_type = 'Lock'";
    let count = |which: &str| postgres.ask(&format!("SELECT count(*) FROM pg_stat_activity WHERE {which}"));
    let lock = "BEGIN; SELECT FROM tierup.rollout FOR UPDATE; SELECT pg_sleep(600)";
    thread::scope(|scope| {
        scope.spawn(|| postgres.try_ask(lock));
        wait("the lock", || {
            count("query LIKE 'BEGIN%pg_sleep%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()") == "1"
        });
        let late = scope.spawn(|| database.actuator().set(&of(4, "50%")));
        wait("the write", || count(waiting) == "1");
        assert!(late.join().expect("it does not panic").is_err());
        wait("no process that waits", || count(waiting) == "0");
        end("query LIKE 'BEGIN%pg_sleep%' AND pid <> pg_backend_pid()");
    });
    actuator.set(&of(5, "0%")).expect("it has the lease");
    assert_eq!(terms(), "3");
    assert!(postgres.ask("SELECT control FROM tierup.rollout").contains("generation=5"));
}

#[test]
fn a_password_that_is_only_seen_when_the_address_is_read_is_refused() {
    let url: StoreUrl = "postgres://a@127.0.0.1:1/d?pass%77ord=secret".parse().expect("it looks like an address");
    let error = Database::connect(&url).expect_err("it is refused");
    assert!(error.to_string().contains("has a password") && !format!("{error:?}").contains("secret"), "{error:?}");
}

#[test]
fn only_a_judge_makes_a_rollout() {
    let postgres = Postgres::start();
    let database = Database::connect(&postgres.url("shpo")).expect("it lets us in");
    let error = database.holder().expect_err("there is none").to_string();
    assert!(error.contains("no rollout `shpo`"), "{error}");
    assert_eq!(postgres.ask("SELECT count(*) FROM tierup.rollout"), "0");
    let _lease = database.take().expect("it answers").expect("nobody else is there");
    assert!(database.holder().expect("it answers").is_some());
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
