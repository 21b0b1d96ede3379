//! The real nginx in front of three servers.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;
use tierup_ramp::{Actuator as _, Nginx};
use tierup_rollout::{NginxSettings, Sticky};

use super::{Process, Server, free_port, seen, wait};

/// Three servers behind an nginx with the configuration that tierup prints.
pub(crate) struct Setup {
    pub(crate) folder: TempDir,
    pub(crate) port: u16,
    pub(crate) candidate: Option<Server>,
    pub(crate) control: Server,
    pub(crate) twin: Server,
    pub(crate) actuator: Nginx,
    pub(crate) process: Option<Process>,
    /// The port of nginx's status.
    pub(crate) status: u16,
}

pub(crate) fn settings(folder: &Path, status: u16) -> NginxSettings {
    let config = folder.join("nginx.conf").display().to_string();
    let command = |words: &[&str]| {
        ["nginx", "-e", "stderr", "-c", &config].iter().chain(words).map(|word| (*word).to_owned()).collect()
    };
    NginxSettings {
        split: folder.join("split.conf"),
        log: folder.join("tierup.log"),
        status: ([127, 0, 0, 1], status).into(),
        sticky: Sticky::Cookie("session".into()),
        test: command(&["-t"]),
        reload: command(&["-s", "reload"]),
    }
}

impl Setup {
    pub(crate) fn start() -> Setup {
        Setup::with(None)
    }

    /// With a proxy before control, at this port.
    pub(crate) fn with(proxy: Option<u16>) -> Setup {
        let (folder, status) = (tempfile::tempdir().expect("there is room"), free_port());
        let actuator = Nginx::new(settings(folder.path(), status)).expect("plain names");
        let (control, twin) = (Server::start("control"), Server::start("twin"));
        let (candidate, port) = (Server::start("candidate"), free_port());
        let pieces = actuator.describe();
        let text = |place: &str| {
            let piece = pieces.iter().find(|piece| piece.place.contains(place));
            piece.unwrap_or_else(|| panic!("nothing for {place}: {pieces:?}")).text.clone()
        };
        let http = text("section http").replace("SHADOW:PORT", &format!("127.0.0.1:{}", proxy.unwrap_or(control.port)));
        let http = http.replace("CONTROL:PORT", &format!("127.0.0.1:{}", control.port));
        let http = http.replace("CANDIDATE:PORT", &format!("127.0.0.1:{}", candidate.port));
        let http = http.replace("TWIN:PORT", &format!("127.0.0.1:{}", twin.port));
        let here = folder.path().display();
        let kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("    {kind}_temp_path {here}/{kind};\n"));
        let config = format!(
            "pid {here}/nginx.pid;\nerror_log {here}/error.log;\nworker_processes 2;\nevents {{}}\nhttp {{\n    access_log off;\n{}{http}    \
             server {{\n        listen 127.0.0.1:{port};\n        location / {{\n            proxy_read_timeout 20s;\n{}        }}\n    }}\n}}\n",
            kept.concat(),
            text("location"),
        );
        fs::write(folder.path().join("nginx.conf"), config).expect("there is room");
        fs::write(folder.path().join("split.conf"), text("split.conf")).expect("there is room");
        let mut setup =
            Setup { folder, port, candidate: Some(candidate), control, twin, actuator, process: None, status };
        setup.run();
        setup
    }

    pub(crate) fn run(&mut self) {
        let folder = self.folder.path();
        let mut command = Command::new("nginx");
        command.arg("-e").arg("stderr").arg("-c").arg(folder.join("nginx.conf")).args(["-g", "daemon off;"]);
        self.process = Some(Process::start(&mut command));
        wait("nginx", || self.actuator.check().is_ok());
        // The first read of the log starts at its end.
        seen(&mut self.actuator);
    }

    /// Kills nginx and its workers, as a loss of power would.
    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().expect("it runs");
        let workers = format!("/proc/{0}/task/{0}/children", process.0.id());
        let workers = fs::read_to_string(workers).expect("it runs");
        process.0.kill().and_then(|()| process.0.wait()).expect("it ends");
        let killed = Command::new("kill").arg("-KILL").args(workers.split_ascii_whitespace()).status();
        assert!(killed.is_ok_and(|status| status.success()), "{workers}");
    }

    /// Ends nginx with its workers.
    pub(crate) fn stop(&mut self) {
        let config = self.folder.path().join("nginx.conf");
        let stopped = Command::new("nginx").arg("-e").arg("stderr").arg("-c").arg(config).args(["-s", "stop"]).status();
        assert!(stopped.is_ok_and(|status| status.success()));
        if let Some(mut process) = self.process.take() {
            wait("the end", || process.0.try_wait().is_ok_and(|ended| ended.is_some()));
        }
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        if self.process.is_some() {
            // A failed test may have left another configuration. Workers end only when their master tells them to.
            let pid = fs::read_to_string(self.folder.path().join("nginx.pid")).unwrap_or_default();
            drop(Command::new("kill").arg("-TERM").arg(pid.trim()).status());
            if let Some(mut process) = self.process.take() {
                drop(process.0.wait());
            }
        }
    }
}
