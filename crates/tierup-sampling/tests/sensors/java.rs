//! A server in Java, sampled by async-profiler.

use crate::common::Server;

#[test]
fn async_profiler_is_fetched_and_samples() {
    let server = Server {
        host: tierup_host_java::java(),
        folder: "java",
        install: &[],
        prepare: &["javac", "-d", "classes", "Server.java"],
        // The first process is not Java's.
        start: "java -cp classes Server > said & wait",
    };
    let (taken, left) = server.profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), taken.notes.len()), (5, 0));
    for block in &taken.blocks {
        let [part] = &block.parts[..] else { panic!("one JVM: {}", block.parts.len()) };
        let text = String::from_utf8(part.profile.clone()).unwrap();
        let stacks = text.lines().filter(|line| line.contains("Server.spin")).count();
        assert!(stacks > 0, "{text}");
    }
    let said = std::fs::read_to_string(left.folder.path().join("said")).unwrap();
    assert!(!said.contains("rofil"), "the server's own output has words of the profiler: {said}");
    left.is_nothing();
}
