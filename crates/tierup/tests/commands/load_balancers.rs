//! `tierup ramp` behind a load balancer, as a process: its output for the operator, and the weights of the real HAProxy
//! and nginx.

use std::{
    fs::{self, OpenOptions},
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use tierup_ramp::{Actuator, HaProxy};
use tierup_rollout::{
    Control, Part, Phase, Side, Weights,
    evidence::{Entry, Event, Line},
};

use crate::{
    balancers::{Load, Process, Server, free_port, get, haproxy, nginx, now, wait},
    run, tierup, write,
};

/// Makes a project with these lines in `[rollout]`.
pub(crate) fn project(folder: &Path, rollout: &str) {
    let manifest = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let settings = format!(
        "[function]\ncrate = \".\"\nexport = [\"one\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n[rollout]\n{rollout}"
    );
    let files = [("Cargo.toml", manifest), ("src/lib.rs", "pub fn one() -> u8 { 1 }\n"), ("node/server.js", "")];
    write(folder, &files);
    write(folder, &[("tierup.toml", &settings)]);
}

#[test]
fn the_configuration_is_shown_without_any_change() {
    let folder = tempfile::tempdir().unwrap();
    let show = || run(folder.path(), &["ramp", "--show-config"]);
    project(
        folder.path(),
        "through = \"haproxy\"\nsticky = \"header:x-user-id\"\nhaproxy = { socket = \"/run/h.sock\", backend = \"app\" }\n",
    );
    let shown = show();
    for expected in [
        "exit code: 0\n-- stdout\n# the file /etc/haproxy/tierup.map",
        "\nsplit 0:10000:0:\n",
        "    stats socket /run/h.sock mode 600 level admin\n",
        "bytes(0,8) if { method GET HEAD } { req.fhdr(x-user-id,1) -m len gt 0 }\n",
        "\nbackend app\n",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let said = run(folder.path(), &["ramp"]);
    assert!(said.contains("error: cannot talk to HAProxy at `/run/h.sock`"), "{said}");
    project(
        folder.path(),
        "through = \"nginx\"\nsticky = \"address\"\n[rollout.nginx]\nsplit = \"/etc/nginx/tierup-split.conf\"\n",
    );
    let shown = show();
    for expected in [
        "exit code: 0\n-- stdout\n# the file /etc/nginx/tierup-split.conf",
        "    include /etc/nginx/tierup-split.conf;\n",
        "        GET $remote_addr;\n",
        "        access_log /var/log/nginx/tierup.log tierup;\n",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    let envoy = "through = \"envoy\"\nenvoy = { log = \"/var/log/tierup.log\", listen = \"127.0.0.1:81\" }\n";
    project(folder.path(), &format!("sticky = \"cookie:a-b\"\n{envoy}"));
    let shown = show();
    for expected in [
        "exit code: 0\n-- stdout\n# Envoy's command line",
        "    path: /var/log/tierup.log\n",
        "address: \"127.0.0.1\", port_value: 81 }",
        ", \";%s*a%-b=([^;]+)\")\n",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
    project(folder.path(), &format!("sticky = \"address\"\n{envoy}"));
    let said = show();
    assert!(said.contains("error: Envoy: `sticky = \"address\"` is not possible"), "{said}");
    project(folder.path(), "through = \"nginx\"\nsticky = \"cookie:a-b\"\nnginx = { split = \"/etc/s.conf\" }\n");
    let said = show();
    assert!(
        said.contains(
            "error: nginx: the cookie `a-b` cannot be named in its configuration\nhint: choose one of letters"
        ),
        "{said}"
    );
    project(folder.path(), "");
    let said = show();
    assert!(said.contains("error: `tierup shadow` shares the requests, which needs no configuration"), "{said}");
}

#[test]
fn orders_move_the_weights_of_the_load_balancer() {
    let setup = haproxy::Setup::start();
    let here = setup.folder.path();
    let balancer = format!(
        "haproxy = {{ socket = \"{0}/haproxy.sock\", backend = \"app\", map = \"{0}/tierup.map\" }}\n",
        here.display()
    );
    let folder = here.join("project");
    project(&folder, &format!("through = \"haproxy\"\nsticky = \"cookie:session\"\nhold = \"1s\"\n{balancer}"));
    let state = folder.join(".tierup/rollout");
    let judge = Process::start(tierup(&folder, &["ramp"]).stdout(Stdio::null()).stderr(Stdio::null()));
    let mut number = 0;
    wait("the ramp begins", || {
        number += 1;
        let sides = [Side::Control, Side::Candidate].map(|side| (side, "http://127.0.0.1:9".to_owned()));
        let began = Event::Began { sides: sides.into() };
        fs::create_dir_all(state.join("evidence")).unwrap();
        let line = Line { number, at: 0, entry: Entry::Event(began) }.to_text().unwrap();
        let file = OpenOptions::new().create(true).append(true).open(state.join("evidence/proxy.jsonl"));
        file.unwrap().write_all(line.as_bytes()).unwrap();
        state.join("control").exists()
    });
    let in_force = || {
        let settings = haproxy::settings(here, haproxy::cookie());
        HaProxy::new(settings).and_then(|mut actuator| actuator.read(now())).unwrap()
    };
    assert_eq!(in_force(), Weights::CONTROL_ONLY);
    let said = run(&folder, &["ramp", "to", "99%"]);
    assert!(said.contains("ramping: the candidate answers 99%"), "{said}");
    assert_eq!(in_force(), Weights { candidate: Part::MOST, twin: Part::NONE });
    let control = Control::parse(&fs::read_to_string(state.join("control")).unwrap()).unwrap();
    assert_eq!(control.weights, Weights::CONTROL_ONLY, "proxies only send copies");
    // The judge is killed; the operator takes the weights back without it.
    drop(judge);
    let said = run(&folder, &["ramp", "abort"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nrolled back: the control answers all"), "{said}");
    assert_eq!(in_force(), Weights::CONTROL_ONLY);
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
}

/// Both programs: a proxy in front of control, and a judge. Dropping kills them.
struct Rollout {
    state: PathBuf,
    folder: PathBuf,
    judge: Process,
    _shadow: Process,
}

impl Rollout {
    /// Without a twin, as judging slowness with one takes a minute per step.
    fn start(folder: &Path, rollout: &str, proxy: u16, servers: [&Server; 2]) -> Rollout {
        let folder = folder.join("project");
        let steps =
            "steps = [\"5%\", \"50%\", \"99%\"]\nhold = \"3s\"\ntolerated = \"10%\"\nsticky = \"cookie:session\"\n";
        project(&folder, &format!("{steps}{rollout}"));
        let [control, candidate] = servers.map(|server| format!("http://127.0.0.1:{}", server.port));
        let listen = format!("127.0.0.1:{proxy}");
        // Samples a tenth of the requests, to spare the processor.
        let words =
            ["shadow", ".", "--control", &control, "--candidate", &candidate, "--twin", "none", "--listen", &listen];
        let mut command = tierup(&folder, &[&words[..], &["--sample", "0.1"]].concat());
        let log = |name: &str| fs::File::create(folder.join(name)).unwrap();
        let shadow = Process::start(command.stdout(log("shadow.out")).stderr(log("shadow.err")));
        wait("the proxy", || get(proxy, "GET", None).is_ok());
        let judge = Process::start(tierup(&folder, &["ramp"]).stdout(log("ramp.out")).stderr(log("ramp.err")));
        Rollout { state: folder.join(".tierup/rollout"), folder, judge, _shadow: shadow }
    }

    fn phase(&self) -> Option<Phase> {
        Some(Control::parse(&fs::read_to_string(self.state.join("control")).ok()?).ok()?.phase)
    }

    /// Waits, and checks that each weight of the load balancer was decided.
    fn until(&self, what: &str, balancer: &mut dyn Actuator, mut is: impl FnMut(Weights) -> bool) {
        let began = Instant::now();
        loop {
            let in_force = balancer.read(now()).unwrap().candidate;
            let decided = fs::read_to_string(self.state.join("decisions.jsonl")).unwrap_or_default();
            let has_been = decided.contains(&format!("\"weight\":{}", in_force.ten_thousandths()));
            assert!(in_force == Part::NONE || has_been, "{in_force}: {decided}");
            if is(balancer.read(now()).unwrap()) {
                return;
            }
            let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
            let said = || read("shadow.err") + &read("ramp.err");
            // Beside busy programs, the copies that show a wrong answer are few.
            assert!(began.elapsed() < Duration::from_secs(600), "{what}\n{}", said());
            thread::sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn a_rollout_through_haproxy_reaches_100_percent() {
    let proxy = free_port();
    let mut setup = haproxy::Setup::with(haproxy::cookie(), Some(proxy));
    let here = setup.folder.path().to_owned();
    let rollout = format!(
        "through = \"haproxy\"\nhaproxy = {{ socket = \"{0}/haproxy.sock\", backend = \"app\", map = \"{0}/tierup.map\" }}\n",
        here.display()
    );
    let candidate = setup.candidate.take().unwrap();
    let rollout = Rollout::start(&here, &rollout, proxy, [&setup.control, &candidate]);
    let load = Load::with(setup.port, Duration::from_millis(5));
    rollout.until("99 %", &mut setup.actuator, |weights| weights.candidate == Part::MOST);
    rollout.until("the end", &mut setup.actuator, |_| {
        // Refused until the judge has enough evidence.
        run(&rollout.folder, &["ramp", "finish"]);
        rollout.phase() == Some(Phase::Done)
    });
    rollout.until("100 %", &mut setup.actuator, |weights| weights.candidate == Part::ALL);
    assert_eq!(load.rest().failed, Vec::<String>::new());
    let seen = load.next(200);
    assert_eq!((seen.shares(), seen.failed), ([0, seen.answers, 0], Vec::new()));
}

#[test]
fn a_wrong_answer_rolls_back_a_rollout_through_nginx() {
    let proxy = free_port();
    let mut setup = nginx::Setup::with(Some(proxy));
    let here = setup.folder.path().to_owned();
    let nginx = format!("[\"nginx\", \"-e\", \"stderr\", \"-c\", \"{}/nginx.conf\"", here.display());
    let rollout = format!(
        "through = \"nginx\"\n[rollout.nginx]\nsplit = \"{0}/split.conf\"\nlog = \"{0}/tierup.log\"\n\
         status = \"127.0.0.1:{1}\"\ntest = {nginx}, \"-t\"]\nreload = {nginx}, \"-s\", \"reload\"]\n",
        here.display(),
        setup.status
    );
    let candidate = setup.candidate.take().unwrap();
    let mut rollout = Rollout::start(&here, &rollout, proxy, [&setup.control, &candidate]);
    let load = Load::with(setup.port, Duration::from_millis(5));
    let half: Part = "50%".parse().unwrap();
    rollout.until("50 %", &mut setup.actuator, |weights| weights.candidate == half);
    candidate.lie();
    rollout.until("the rollback", &mut setup.actuator, |weights| weights == Weights::CONTROL_ONLY);
    assert_eq!(load.rest().failed, Vec::<String>::new());
    wait("the judge ends", || rollout.judge.0.try_wait().unwrap().is_some());
    let said = fs::read_to_string(rollout.folder.join("ramp.err")).unwrap();
    assert!(said.contains("error: the candidate was rolled back:"), "{said}");
    assert_eq!(rollout.judge.0.wait().unwrap().code(), Some(1), "{said}");
}

#[test]
fn what_nginx_mirrors_is_compared_while_its_clients_wait_for_nothing() {
    let mut setup = nginx::Setup::start();
    setup.stop();
    let (sink, candidate) = (free_port(), setup.candidate.take().unwrap());
    let config = setup.folder.path().join("nginx.conf");
    let mirror = format!(
        "location = /mirror {{ internal; proxy_pass http://127.0.0.1:{sink}$request_uri; }}\n\
         location / {{ mirror /mirror;"
    );
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("location / {", &mirror)).unwrap();
    setup.run();
    let state = setup.folder.path().join("state").display().to_string();
    let address = |server: &Server| format!("http://127.0.0.1:{}", server.port);
    let (control, listen) = (address(&setup.control), format!("127.0.0.1:{sink}"));
    let words = ["shadow", "--mirrored", "--control", &control, "--listen", &listen, "--state", &state];
    let more = ["--candidate", &address(&candidate)];
    let unbounded = run(setup.folder.path(), &[&words[..], &more].concat());
    assert!(unbounded.starts_with("exit code: 2\n") && unbounded.contains("--sample <PART>"), "{unbounded}");

    // Nobody takes what is mirrored yet, and later the candidate is wrong: clients notice neither.
    assert_eq!(get(setup.port, "GET", None), Ok((200, "control".to_owned())));
    let mut shadow = tierup(setup.folder.path(), &[&words[..], &more, &["--sample", "1"]].concat());
    let mut shadow = Process::start(shadow.stdout(Stdio::null()).stderr(Stdio::null()));
    wait("the shadow", || get(sink, "POST", None) == Ok((204, "nobody".to_owned())));
    candidate.lie();
    for method in ["GET", "POST", "GET"] {
        assert_eq!(get(setup.port, method, None), Ok((200, "control".to_owned())), "{method}");
    }
    let report = || run(setup.folder.path(), &["shadow", "report", &state]);
    wait("both are compared", || report().contains("2 compared"));
    assert!(report().contains("line 1: \"wrong\" instead of \"right\""), "{}", report());
    shadow.0.kill().and_then(|()| shadow.0.wait()).unwrap();
    assert_eq!(get(setup.port, "GET", None), Ok((200, "control".to_owned())));
}

/// A judge for an engine that owns the weights, with the evidence of mirrored requests.
#[test]
fn an_engine_is_advised_to_advance_and_then_to_roll_back() {
    let folder = tempfile::tempdir().unwrap();
    let (control, candidate) = (Server::start("control"), Server::start("candidate"));
    let (sink, engine) = (free_port(), free_port());
    let address = |port: u16| format!("http://127.0.0.1:{port}");
    let here = folder.path();
    let advise = ["ramp", "--state", "state", "--advise", "--listen", &format!("127.0.0.1:{engine}")];
    let plan = ["--hold", "3s", "--tolerated", "10%", "--token-file", "token"];
    let [control_at, candidate_at] = [&control, &candidate].map(|server| address(server.port));
    let sides = ["--control", &control_at, "--candidate", &candidate_at, "--state", "state"];
    let listen = ["--sample", "1", "--sticky", "cookie:session", "--listen", &format!("127.0.0.1:{sink}")];
    let start = |words: &[&str]| Process::start(tierup(here, words).stdout(Stdio::null()).stderr(Stdio::null()));

    let everybody = ["ramp", "--state", "state", "--advise", "--listen", &format!("0.0.0.0:{engine}")];
    let open = run(here, &everybody);
    assert!(open.starts_with("exit code: 2\n") && open.contains("--token-file names a file"), "{open}");
    fs::write(here.join("token"), "secret\n").unwrap();
    let token = "authorization: Bearer secret\r\n";
    let ask = |method: &str, path: &str, lines: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", engine)).unwrap();
        let body = "{\"name\":\"app\"}";
        write!(stream, "{method} {path} HTTP/1.1\r\n{lines}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let is = |status: &str, answer: &str| answer.starts_with(&format!("HTTP/1.1 {status} "));

    let _shadow = start(&[&["shadow", "--mirrored"], &sides[..], &listen].concat());
    let judge = start(&[&advise[..], &plan].concat());
    wait("the judge listens", || TcpStream::connect(("127.0.0.1", engine)).is_ok());
    assert!(is("401", &ask("POST", "/flagger/advance", "")));
    let _load = Load::with(sink, Duration::from_millis(20));
    wait("enough is compared", || ask("GET", "/v1/decision", token).contains("\"decision\":\"advance\""));
    assert!(is("403", &ask("POST", "/flagger/rollback", token)));
    assert!(is("200", &ask("POST", "/flagger/advance", token)), "the first takes the step");
    assert!(is("403", &ask("POST", "/flagger/advance", token)), "the next step needs evidence of its own");

    // A confirmed difference would take over a minute.
    let aborted = run(here, &["ramp", "abort", "--state", "state"]);
    assert!(aborted.starts_with("exit code: 0\n") && aborted.contains("the advice: roll back"), "{aborted}");
    assert!(is("200", &ask("POST", "/flagger/rollback", token)));
    // It says so again after a restart, as the engine may not have asked yet.
    drop(judge);
    let _judge = start(&[&advise[..], &plan].concat());
    wait("the judge is back", || {
        TcpStream::connect(("127.0.0.1", engine)).is_ok()
            && ask("GET", "/argo/advance", token).contains("\"decision\":\"roll back\"")
    });
}
