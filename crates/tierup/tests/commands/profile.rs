//! `tierup profile FILE…`: rankings of profiles by real tools, and errors for other files.

use std::{fs, path::PathBuf};

use expect_test::{Expect, expect};
use tempfile::tempdir;

use crate::{run, tierup, write};

/// Profiles of small programs; their README explains how they were taken.
fn profiles() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tierup-profile/tests/profiles"))
}

fn check(arguments: &[&str], expected: Expect) {
    expected.assert_eq(&run(&profiles(), &[&["profile"], arguments].concat()));
}

#[test]
fn a_profile_of_node_is_ranked() {
    check(
        &["node/shop.cpuprofile"],
        expect![[r#"
            exit code: 0
            -- stdout
            Profile of shop.cpuprofile
            Shares are of the 2.46 s in the file, without 0.115 s in which threads waited; the CPU of the server's processes is not known.
            Intervals: 95 %, Student's t over 5 blocks.
            Bounds leave out what calls of Rust cost: how often functions are called is not known here.

            your functions        self    total   owned                               moved to Rust
            answer                5.9 %   26.2 %  29.8 % [20, 39]  shop/server.js:17  no: 18 % of its time is input and output: writevGeneric (node:internal/stream_base_commons)
            label                 1.4 %   15.0 %  18.6 % [2, 35]   shop/server.js:13  about 1.2x by its own time [1.0, 1.5]
            price                 13.3 %  13.3 %  13.3 % [0, 27]   shop/server.js:5   about 1.2x by its own time [1.0, 1.4]
            (anonymous, line 21)  <0.1 %  7.3 %   7.3 % [0, 16]    shop/server.js:21  no: 75 % of its time is input and output: Server.address (node:net)
            (anonymous, line 25)  0.0 %   7.3 %   7.3 % [0, 16]    shop/server.js:25  no: 76 % of its time is input and output: Server.address (node:net)
            (anonymous, line 1)   0.0 %   1.3 %   1.3 % [0, 5]     shop/server.js:1   no: it is where the program or a module begins
            (anonymous, line 26)  0.0 %   0.3 %   0.3 % [0, 1]     shop/server.js:26  about 1.0x by its own time [1.0, 1.0]

            everything else               self
            garbage collector             31.5 % [11, 52]
            runtime and standard library  27.4 % [16, 39]
            input and output              12.0 % [7, 17]
            native code                   5.2 % [0, 11]
            package codes                 3.2 % [0, 7]
            your functions (above)        20.6 %
            sum                           100.0 %

            => label is the first candidate: about 1.2x by its own time [1.0, 1.5], more where the runtime's work goes with it. Owned share: with codes, which only it reaches.
            => A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.
            => Next: tierup init --function /srv/shop/server.js:label --host node
            -- stderr
        "#]],
    );
}

/// The JVM's stacks have no file names, but each class has its own file.
#[test]
fn the_next_command_names_the_file_of_a_java_method() {
    let folder = tempdir().unwrap();
    let source = "package shop;\nclass Labels {\n    static String label(String text) { return text; }\n    String own() { return \"\"; }\n}\n";
    write(folder.path(), &[("src/main/java/shop/Labels.java", source)]);
    let next = |method: &str| {
        let stacks = format!("java/lang/Thread.run;shop/Labels.{method};java/util/HashMap.get 300\n");
        fs::write(folder.path().join("stacks.txt"), stacks).unwrap();
        let said = run(folder.path(), &["profile", "stacks.txt", "--host", "java"]);
        said.lines().find_map(|line| line.split_once("Next: ")).map(|(_, next)| next.to_owned())
    };
    let init = "tierup init --function src/main/java/shop/Labels.java:label --host java";
    assert_eq!(next("label").as_deref(), Some(init));
    // The method is not static.
    assert_eq!(next("own"), None);
}

#[test]
fn blocks_of_ruby_and_lambdas_of_java_are_handlers() {
    let folder = tempdir().unwrap();
    let functions = |host: &str, stacks: &str| {
        write(folder.path(), &[("stacks.txt", stacks)]);
        let arguments = ["profile", "stacks.txt", "--host", host, "--format", "json"];
        let output = tierup(folder.path(), &arguments).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let named = |one: &serde_json::Value| format!("{} {}", one["function"].as_str().unwrap(), one["candidate"]);
        report["functions"].as_array().unwrap().iter().map(named).collect::<Vec<_>>()
    };
    let sinatra =
        "<main> (/srv/app.rb);block in <main>, line 9 (/srv/app.rb:9);Integer#times (<internal:numeric>) 300\n";
    assert_eq!(functions("ruby", sinatra), ["<main> false", "block in <main>, line 9 true"]);
    let server = "java/lang/Thread.run;Server$$Lambda$219.0x00007fc98c14c208.handle;Server.lambda$main$0 300\n";
    assert_eq!(functions("java", server), ["Server.lambda$main$0 true"]);
}

#[test]
fn a_profile_of_python_is_ranked() {
    check(
        &["python/shop.raw", "--sample", "10", "--cpu", "3"],
        expect![[r#"
            exit code: 0
            -- stdout
            Profile of shop.raw
            Shares are of 3.00 s of CPU that the server's processes took; 2.76 s of it were sampled.
            There are no intervals: the profile has no times to cut it into blocks.
            Bounds leave out what calls of Rust cost: how often functions are called is not known here.

            your functions             self    total   owned                 moved to Rust
            <module>                   0.0 %   86.3 %  86.3 %  py/app.py:1   no: it is where the program or a module begins
            label                      6.7 %   82.7 %  82.7 %  py/app.py:13  about 5.8x by its own time
            main                       0.7 %   83.3 %  83.3 %  py/app.py:17  about 6.0x by its own time
            price                      37.0 %  37.7 %  37.7 %  py/app.py:6   about 1.6x by its own time
            label.<locals>.<listcomp>  11.3 %  11.3 %  11.3 %  py/app.py:14  about 1.1x by its own time
            <module>                   0.0 %   2.3 %   2.3 %   <string>:1    no: it is where the program or a module begins

            everything else               self
            runtime and standard library  33.3 %
            not seen by the sensor        8.0 %
            without a name                3.0 %
            your functions (above)        55.7 %
            sum                           100.0 %

            => label is the first candidate: about 5.8x by its own time, more where the runtime's work goes with it.
            => A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.
            => Next: tierup init --function /srv/shop/py/app.py:label --host python
            -- stderr
        "#]],
    );
}

#[test]
fn a_profile_of_go_is_ranked() {
    check(
        &["go/shop.pprof"],
        expect![[r#"
            exit code: 0
            -- stdout
            Profile of shop.pprof
            Shares are of the 0.840 s in the file; the CPU of the server's processes is not known.
            There are no intervals: the profile has no times to cut it into blocks.
            Bounds leave out what calls of Rust cost: how often functions are called is not known here.

            ! There are only 0.840 s of CPU: shares are rough. Profile for 20 seconds under load.

            your functions  self   total   owned                  moved to Rust
            main.main       0.0 %  47.6 %  47.6 %  go/main.go:31  no: it is where the program or a module begins
            main.label      0.0 %  47.6 %  47.6 %  go/main.go:23  about 1.9x by its own time
            main.price      1.2 %  4.8 %   4.8 %   go/main.go:13  about 1.1x by its own time

            everything else               self
            runtime and standard library  91.7 %
            garbage collector             4.8 %
            kernel                        2.4 %
            your functions (above)        1.2 %
            sum                           100.0 %

            => main.label is the first candidate: about 1.9x by its own time, more where the runtime's work goes with it.
            => A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.
            -- stderr
        "#]],
    );
}

#[test]
fn two_profiles_are_compared() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("now.txt"), "main (/srv/a.py:1);hot (/srv/a.py:5) 30\nmain (/srv/a.py:1) 70\n")
        .unwrap();
    fs::write(folder.path().join("before.txt"), "main (/srv/a.py:1);hot (/srv/a.py:5) 9\nmain (/srv/a.py:1) 1\n")
        .unwrap();
    expect![[r#"
        exit code: 0
        -- stdout
        Profile of now.txt, compared with before.txt
        Shares are of the samples of each profile: they say where the time goes, not how much it is.

        function  self before  self now  change  total               change
        hot       90.0 %       30.0 %    -60.0   90.0 % -> 30.0 %    -60.0   srv/a.py:5
        main      10.0 %       70.0 %    +60.0   100.0 % -> 100.0 %  +0.0    srv/a.py:1
        -- stderr
    "#]]
    .assert_eq(&run(folder.path(), &["profile", "now.txt", "--compare", "before.txt"]));
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: this format has no comparison
        hint: leave --compare out, or choose --format text, json or html
    "#]]
    .assert_eq(&run(folder.path(), &["profile", "now.txt", "--compare", "before.txt", "--format", "speedscope"]));
}

#[test]
fn files_that_are_no_profiles_are_refused() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "first line 12\nno number\n").unwrap();
    fs::write(folder.path().join("other.json"), "{\"nodes\": [1]}").unwrap();
    let found: String = [
        &["profile", "missing.txt"][..],
        &["profile", "notes.txt"],
        &["profile", "other.json"],
        &["profile", "notes.txt", "--host", "cobol"],
        &["profile", "notes.txt", "--sample", "0"],
    ]
    .iter()
    .map(|arguments| run(folder.path(), arguments))
    .collect();
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: there is no file `missing.txt`
        exit code: 2
        -- stdout
        -- stderr
        error: a line of collapsed stacks must end with a number of samples
         --> notes.txt:2:4
          |
        2 | no number
          |    ^ no number
        hint: tierup profile reads collapsed stacks (`main;run;write 12`), .cpuprofile and pprof
        exit code: 2
        -- stdout
        -- stderr
        error: this is no .cpuprofile: invalid type: integer `1`, expected struct Node
         --> other.json:1:12
          |
        1 | {"nodes": [1]}
          |            ^
        hint: JSON is read as V8's profiler writes it, for instance `node --cpu-prof`; a trace of Chrome is another format
        exit code: 2
        -- stdout
        -- stderr
        error: there is no host `cobol`
        hint: the hosts are node, python, go, java, ruby, php, beam
        exit code: 2
        -- stdout
        -- stderr
        error: invalid value '0' for '--sample <MS>': must be a number above 0, got `0`

        For more information, try '--help'.
    "#]]
    .assert_eq(&found);
}

#[test]
fn self_shares_sum_to_one_in_json() {
    for file in ["node/shop.cpuprofile", "python/shop.raw", "go/shop.pprof"] {
        let output = tierup(&profiles(), &["profile", file, "--json"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let shares = ["functions", "rest"].iter().flat_map(|key| report[key].as_array().unwrap());
        let sum: f64 = shares.map(|row| row["self"]["value"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{file}: {sum}");
        assert_eq!(report["host"], file.split('/').next().unwrap());
    }
}

#[test]
fn collapsed_output_can_be_read_again() {
    let folder = tempdir().unwrap();
    let stacks = folder.path().join("stacks.txt");
    let written = tierup(&profiles(), &["profile", "go/shop.pprof", "--format", "collapsed"])
        .args(["--output".as_ref(), stacks.as_os_str()])
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let rows = |file: &str, more: &[&str]| {
        let output = tierup(&profiles(), &[&["profile", file, "--format", "json"], more].concat()).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["functions"].to_string(), report["sampled"].as_f64().unwrap())
    };
    let ((first, seconds), (again, read)) =
        (rows("go/shop.pprof", &[]), rows(stacks.to_str().unwrap(), &["--sample", "1"]));
    assert!((seconds - read).abs() < 1e-9, "{seconds} {read}");
    assert_eq!(first, again);
}

#[test]
fn speedscope_output_has_the_samples() {
    let output = tierup(&profiles(), &["profile", "go/shop.pprof", "--format", "speedscope"]).output().unwrap();
    let file: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let profile = &file["profiles"][0];
    let weights = profile["weights"].as_array().unwrap();
    let sum: f64 = weights.iter().map(|weight| weight.as_f64().unwrap()).sum();
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    assert_eq!(profile["samples"].as_array().unwrap().len(), weights.len());
    assert!((sum - 0.84).abs() < 1e-9 && profile["endValue"].as_f64() == Some(sum));
    assert!(file["shared"]["frames"].as_array().unwrap().iter().any(|frame| frame["name"] == "main.price"));
}

#[test]
fn hostile_names_are_escaped_on_the_page() {
    let folder = tempdir().unwrap();
    let long = "x".repeat(1_000_000);
    let text =
        format!("</script><script>alert(1)</script>;<img src=x onerror=alert(2)>;\u{202e}evil\u{1b}[31m 5\n{long} 3\n");
    fs::write(folder.path().join("hostile.txt"), text).unwrap();
    let said = run(folder.path(), &["profile", "hostile.txt", "--format", "html", "--output", "page.html"]);
    assert_eq!(said, "exit code: 0\n-- stdout\n-- stderr\nwritten: page.html\n");
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains(['\u{202e}', '\u{1b}']));
    assert!(page.contains("alert(1)") && page.len() < 100_000, "{}", page.len());
    let text = run(folder.path(), &["profile", "hostile.txt"]);
    assert!(!text.contains(['\u{202e}', '\u{1b}']) && text.len() < 10_000, "{text}");
}
