//! `tierup ramp` behind a load balancer, as a process: what it prints for the operator, and that its orders move the weights of
//! the real HAProxy. The evidence is written by hand.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    process::Stdio,
};

use tierup_actuator::{Actuator as _, HaProxy};
use tierup_rollout::{
    Control, Part, Side, Weights,
    evidence::{Entry, Event, Line},
};

use crate::{
    balancers::{Process, get, haproxy, now, wait},
    run, tierup, write,
};

/// A project whose `[rollout]` has these lines.
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
fn the_configuration_is_shown_before_anything_is_changed() {
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
        "    use_backend app if { method GET HEAD } { req.fhdr(x-user-id,1) -m len gt 0 }\n",
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
        "        access_log /var/log/nginx/tierup.log tierup if=$tierup_known;\n",
    ] {
        assert!(shown.contains(expected), "{expected}\n{shown}");
    }
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
    let said = run(&folder, &["ramp", "to", "100%"]);
    assert!(said.contains("ramping: the candidate answers 100%"), "{said}");
    assert_eq!(in_force(), Weights { candidate: Part::ALL, twin: Part::NONE });
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "candidate".into())));
    let control = Control::parse(&fs::read_to_string(state.join("control")).unwrap()).unwrap();
    assert_eq!(control.weights, Weights::CONTROL_ONLY, "proxies only send copies");
    // Killed: the operator takes the weights back without a judge.
    drop(judge);
    let said = run(&folder, &["ramp", "abort"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nrolled back: the control answers all"), "{said}");
    assert_eq!(in_force(), Weights::CONTROL_ONLY);
    assert_eq!(get(setup.port, "GET", Some("anna")), Ok((200, "control".into())));
}
