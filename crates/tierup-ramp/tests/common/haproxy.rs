//! The real HAProxy in front of three servers.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;
use tierup_ramp::{Actuator as _, HaProxy};
use tierup_rollout::{HaProxySettings, Sticky};

use super::{Process, Server, free_port, wait};

/// Three servers behind an HAProxy with the configuration that tierup prints.
pub(crate) struct Setup {
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
    /// The port of a frontend that does not log.
    pub(crate) unlogged: u16,
    pub(crate) candidate: Option<Server>,
    pub(crate) twin: Server,
    pub(crate) control: Server,
    pub(crate) actuator: HaProxy,
    pub(crate) process: Option<Process>,
}

pub(crate) fn settings(folder: &Path, sticky: Sticky) -> HaProxySettings {
    HaProxySettings {
        socket: folder.join("haproxy.sock"),
        backend: "app".into(),
        map: folder.join("tierup.map"),
        sticky,
    }
}

pub(crate) fn cookie() -> Sticky {
    Sticky::Cookie("session".into())
}

impl Setup {
    pub(crate) fn start() -> Setup {
        Setup::with(cookie(), None)
    }

    /// With a proxy before control, at this port.
    pub(crate) fn with(sticky: Sticky, proxy: Option<u16>) -> Setup {
        // Paths of sockets must be short.
        let folder = tempfile::Builder::new().prefix("hap").tempdir_in("/tmp").expect("there is room");
        let actuator = HaProxy::new(settings(folder.path(), sticky)).expect("plain names");
        let (control, candidate, twin) = (Server::start("control"), Server::start("candidate"), Server::start("twin"));
        let (port, unlogged, control_port) = (free_port(), free_port(), proxy.unwrap_or(control.port));
        let pieces = actuator.describe();
        let text = |place: &str| {
            let piece = pieces.iter().find(|piece| piece.place.contains(place));
            piece.unwrap_or_else(|| panic!("nothing for {place}: {pieces:?}")).text.clone()
        };
        let servers = text("servers' addresses");
        let servers = servers.replace("SHADOW:PORT", &format!("127.0.0.1:{control_port} inter 200"));
        let servers = servers.replace("CONTROL:PORT", &format!("127.0.0.1:{}", control.port));
        let servers = servers.replace("CANDIDATE:PORT", &format!("127.0.0.1:{} inter 200", candidate.port));
        let servers = servers.replace("TWIN:PORT", &format!("127.0.0.1:{}", twin.port));
        let config = format!(
            "global\n    stats timeout 2s\n{}{}defaults\n    mode http\n    option abortonclose\n    timeout connect 2s\n    timeout client 20s\n    \
             timeout server 20s\nfrontend web\n    bind 127.0.0.1:{port}\n{}\
             frontend unlogged\n    bind 127.0.0.1:{unlogged}\n    default_backend app\n\
             backend rest\n    server control 127.0.0.1:{control_port}\n{servers}",
            text("global"),
            text("log, kept"),
            text("frontend"),
        );
        fs::write(folder.path().join("haproxy.cfg"), config).expect("there is room");
        fs::write(folder.path().join("tierup.map"), text("tierup.map")).expect("there is room");
        let candidate = Some(candidate);
        let mut setup = Setup { folder, port, unlogged, candidate, twin, control, actuator, process: None };
        setup.run();
        setup
    }

    pub(crate) fn run(&mut self) {
        let config = self.folder.path().join("haproxy.cfg");
        let checked = Command::new("haproxy").arg("-c").arg("-f").arg(&config).output().expect("haproxy is installed");
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        self.process = Some(Process::start(Command::new("haproxy").arg("-f").arg(&config)));
        wait("HAProxy", || self.actuator.check().is_ok());
    }
}
