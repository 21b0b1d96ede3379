//! A server in Python, sampled by py-spy from a virtual environment of its own.

use tierup_codegen::{HostSettings, InstallBy, Sampling, ServerFolder};
use tierup_host_python::python;
use tierup_sampling::Block;

use crate::common::Server;

#[test]
fn py_spy_samples_all_processes() {
    let server = Server {
        host: python(),
        folder: "python",
        install: &["python3 -m venv .venv", ".venv/bin/pip install --quiet --disable-pip-version-check py-spy==0.4.3"],
        prepare: &[],
        // The first process does not run Python.
        start: ".venv/bin/python server.py & wait",
    };
    let (taken, left) = server.profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!(taken.blocks.len(), 5);
    let profile = |block: &Block| {
        // Each process has its own part, with its CPU time.
        assert!(block.parts.iter().all(|part| part.process.is_some() == part.cpu.is_some()), "{:?}", block.parts);
        block.parts.iter().map(|part| String::from_utf8_lossy(&part.profile).into_owned()).collect::<String>()
    };
    // On a busy machine, a short block has few samples.
    let text: String = taken.blocks.iter().map(profile).collect();
    let spinning = count(&text, |stack| stack.contains("spin (") && stack.contains("server.py:"));
    let all = count(&text, |_| true);
    assert!(spinning * 2 > all, "{spinning} of {all}:\n{text}");
    // Stacks begin with the frame of their process.
    assert!(text.lines().all(|line| line.starts_with("process ")), "{text}");
    left.is_nothing();
}

fn count(text: &str, which: impl Fn(&str) -> bool) -> u64 {
    let stacks = text.lines().filter_map(|line| line.rsplit_once(' '));
    stacks.filter(|(stack, _)| which(stack)).filter_map(|(_, count)| count.parse::<u64>().ok()).sum()
}

/// A folder that contains only these paths.
struct With(&'static [&'static str]);

impl ServerFolder for With {
    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn exists(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

#[test]
fn the_servers_own_py_spy_comes_first() {
    let program = |folder: With| {
        let settings = HostSettings { folder: "/srv".into(), install: InstallBy::Nobody, ..HostSettings::default() };
        let sensor = python().sensor(&settings, &folder, std::path::Path::new("/private")).unwrap();
        match sensor.sampling {
            Sampling::Program { command, .. } => command.program,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(program(With(&[])), "py-spy");
    assert_eq!(program(With(&[".venv/pyvenv.cfg", ".venv/bin/py-spy"])), "/srv/.venv/bin/py-spy");
}
