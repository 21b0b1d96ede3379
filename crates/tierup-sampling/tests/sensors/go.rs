//! A server in Go, sampled by a file that is added at build time.

use std::fs;

use crate::common::Server;

fn go(prepare: &'static [&'static str]) -> Server {
    Server { host: tierup_host_go::go(), folder: "go", install: &[], prepare, start: "exec ./server" }
}

#[test]
fn the_build_adds_the_sensor() {
    let (taken, left) = go(&["go", "build", "-o", "server", "."]).profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), taken.notes.len()), (5, 0));
    for block in &taken.blocks {
        let [part] = &block.parts[..] else { panic!("one process: {:?}", block.parts.len()) };
        assert!(part.process.is_some());
        // The first two bytes of gzip.
        assert_eq!(part.profile[..2], [0x1f, 0x8b]);
    }
    // Each request allocates 256 KiB, and what HTTP needs.
    let allocated = taken.allocated_per_request().unwrap().value;
    assert!((262_144.0..400_000.0).contains(&allocated), "{allocated}");
    // The sensor was never in the server's folder.
    let mut names: Vec<_> = fs::read_dir(left.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["go.mod", "main.go", "server"]);
    left.is_nothing();
}
