//! The real Envoy in front of three servers.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tierup_ramp::{Actuator as _, Envoy, Piece};
use tierup_rollout::{EnvoySettings, Sticky};

use super::{Process, Server, free_port, wait};

/// Three servers behind an Envoy with the configuration that tierup prints.
pub(crate) struct Setup {
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
    pub(crate) candidate: Option<Server>,
    pub(crate) control: Server,
    pub(crate) twin: Server,
    pub(crate) actuator: Envoy,
    pub(crate) process: Option<Process>,
    pub(crate) settings: EnvoySettings,
}

/// `cargo xtask test` installs it there.
pub(crate) fn program() -> PathBuf {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/envoy/bin/envoy");
    if installed.exists() { installed } else { "envoy".into() }
}

/// The text, indented by this many spaces.
fn indented(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

/// The whole configuration, from what tierup prints.
fn config(pieces: &[Piece], port: u16, settings: &EnvoySettings, servers: &[(&str, u16)]) -> String {
    let text = |place: &str| {
        let piece = pieces.iter().find(|piece| piece.place.contains(place));
        piece.unwrap_or_else(|| panic!("nothing for {place}: {pieces:?}")).text.clone()
    };
    let mut clusters = text("clusters");
    for (name, port) in servers {
        clusters = clusters.replace(&format!("{name}_PORT"), &port.to_string());
        clusters = clusters.replace(&format!("address: {name},"), "address: 127.0.0.1,");
    }
    format!(
        "\
admin: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {admin} }} }} }}
{}
  - {{ name: admin, admin_layer: {{}} }}
static_resources:
  listeners:
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          \"@type\": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: app
          access_log:
{}          http_filters:
{}          - {{ name: envoy.filters.http.router, typed_config: {{ \"@type\": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }} }}
          route_config:
            virtual_hosts:
            - name: app
              domains: [ \"*\" ]
              routes:
{}  clusters:
{}",
        text("the weights").replace("max_interval: 5s", "max_interval: 0.5s").trim_end(),
        indented(&text("access_log"), 10),
        indented(&text("http_filters"), 10),
        indented(&text("routes"), 14),
        indented(&clusters, 2),
        admin = settings.admin.port(),
    )
}

impl Setup {
    /// An Envoy that forgets weights after a minute without a judge.
    pub(crate) fn start() -> Setup {
        Setup::with(None, Duration::from_secs(60))
    }

    /// With a proxy before control, at this port.
    pub(crate) fn with(proxy: Option<u16>, ttl: Duration) -> Setup {
        let folder = tempfile::tempdir().expect("there is room");
        let at = |port: u16| ([127, 0, 0, 1], port).into();
        let settings = EnvoySettings {
            listen: at(free_port()),
            admin: at(free_port()),
            log: folder.path().join("tierup.log"),
            sticky: Sticky::Cookie("session".into()),
        };
        let actuator = Envoy::with_ttl(settings.clone(), ttl).expect("plain names");
        let (control, twin) = (Server::start("control"), Server::start("twin"));
        let (candidate, port) = (Server::start("candidate"), free_port());
        let servers = [
            ("SHADOW", proxy.unwrap_or(control.port)),
            ("CONTROL", control.port),
            ("CANDIDATE", candidate.port),
            ("TWIN", twin.port),
        ];
        let text = config(&actuator.describe(), port, &settings, &servers);
        fs::write(folder.path().join("envoy.yaml"), text).expect("there is room");
        let mut setup =
            Setup { folder, port, candidate: Some(candidate), control, twin, actuator, process: None, settings };
        setup.run();
        setup
    }

    /// Starts an Envoy with this configuration.
    pub(crate) fn command(&self, config: &str) -> Command {
        let mut command = Command::new(program());
        command.arg("-c").arg(self.folder.path().join(config));
        command.args(["--concurrency", "2", "--use-dynamic-base-id", "--log-level", "error"]);
        command.args(["--file-flush-interval-msec", "200"]).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    pub(crate) fn run(&mut self) {
        self.process = Some(Process::start(&mut self.command("envoy.yaml")));
        wait("Envoy", || self.actuator.check().is_ok());
        // It listens once it has asked for weights, or after a second.
        wait("the listener", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Asks Envoy's admin interface, and returns its answer.
    pub(crate) fn admin(&self, target: &str) -> String {
        let mut stream = TcpStream::connect(self.settings.admin).expect("it runs");
        let head = format!("POST {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        answer
    }
}
