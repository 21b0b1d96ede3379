//! A server in Java, sampled by async-profiler.

use tierup_sampling::Block;

use crate::common::Server;

fn server() -> Server {
    Server {
        host: tierup_host_java::java(),
        folder: "java",
        install: &[],
        prepare: &["javac", "-d", "classes", "Server.java"],
        // The first process is not Java's.
        start: "java -cp classes Server > said & wait",
    }
}

#[test]
fn async_profiler_is_fetched_and_samples() {
    let (taken, left) = server().profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), taken.notes.len()), (5, 0));
    // On a busy machine, all samples of a block may be the JIT compiler's.
    let text = |block: &Block| match &block.parts[..] {
        [part] => String::from_utf8(part.profile.clone()).unwrap(),
        parts => panic!("one JVM: {}", parts.len()),
    };
    let all: String = taken.blocks.iter().map(text).collect();
    assert!(all.contains("Server.spin"), "{all}");
    let said = std::fs::read_to_string(left.folder.path().join("said")).unwrap();
    assert!(!said.contains("rofil"), "the server's own output has words of the profiler: {said}");
    left.is_nothing();
}

/// Used if async-profiler is not available.
#[test]
fn the_jvms_own_recorder_samples() {
    let server = server();
    let (taken, left) = server.profile_with(&["/"], Some("jfr"));
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), &taken.notes[..]), (5, &[][..]));
    let text = |block: &Block| String::from_utf8(block.parts[0].profile.clone()).unwrap();
    let all: String = taken.blocks.iter().map(text).collect();
    assert!(all.contains("\n    Server.spin() line: "), "{all}");
    // Each stack begins with its root.
    assert!(all.contains("\n    java.lang.Thread.run() line: "), "{all}");
    left.is_nothing();
}
