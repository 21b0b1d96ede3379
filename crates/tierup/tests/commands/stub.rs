//! `tierup stub`: the committed package, in a clone without `.tierup/`, and in a repository with built variants.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{MANIFEST, run, tierup, write};

const LIBRARY: &str = "pub fn shout(text: &str) -> String { text.to_uppercase() }\n";

/// Prints the tier and the answer.
const SERVER: &str = "const { shout, tier } = require('words').with({ baseline: { shout: (text) => text + '?' } });\n\
    shout('a').then((answer) => console.log(tier, answer));\n";

/// A repository with a project for these hosts.
fn repository(hosts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = "[function]\ncrate = \"hot\"\nexport = [\"shout\"]\n".to_owned();
    for (host, start) in hosts {
        settings += &format!("[host.{host}]\nfolder = \".\"\ninstall = false\nstart = [{start:?}]\n");
    }
    write(folder.path(), &[("hot/Cargo.toml", MANIFEST), ("hot/src/lib.rs", LIBRARY), ("tierup.toml", &settings)]);
    // Common patterns, of projects whose compiler writes there.
    write(folder.path(), &[(".gitignore", "node_modules/\nlib/\n*.js\n!/server.js\n"), ("server.js", SERVER)]);
    write(folder.path(), &[("package.json", "{ \"name\": \"shop\", \"private\": true }\n")]);
    folder
}

#[track_caller]
fn passed(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let said = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&said));
    String::from_utf8(output.stdout).unwrap()
}

/// Commits everything, and clones the repository.
fn cloned(repository: &Path, into: &Path) -> PathBuf {
    passed("git", &["init", "--quiet"], repository);
    passed("git", &["add", "--all"], repository);
    let commit = ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "--quiet", "--message", "all"];
    passed("git", &commit, repository);
    let (from, clone) = (repository.display().to_string(), into.join("clone"));
    passed("git", &["clone", "--quiet", &from, &clone.display().to_string()], into);
    clone
}

fn served(folder: &Path, tier: Option<&str>) -> Output {
    let mut command = Command::new("node");
    command.arg("server.js").current_dir(folder).env_remove("TIERUP_TIER").env_remove("TIERUP_FALLBACK");
    command.envs(tier.map(|tier| ("TIERUP_TIER", tier))).output().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

const WHY: &str = "no variant is built here: run `tierup build`";

#[test]
fn a_clone_runs_at_tier_0_with_a_note() {
    let folder = repository(&[("node", "node")]);
    let said = run(folder.path(), &["stub"]);
    let expected = "exit code: 0\n-- stdout\n-- stderr\nwrote tierup/words for Node.js: commit it\n\
        to add `words`, run in .: npm install ./tierup/words\n";
    assert_eq!(said, expected);
    passed("npm", &["install", "--no-audit", "--no-fund", "./tierup/words"], folder.path());
    assert!(!run(folder.path(), &["stub"]).contains("to add"));

    let elsewhere = tempfile::tempdir().unwrap();
    let clone = cloned(folder.path(), elsewhere.path());
    passed("npm", &["ci", "--no-audit", "--no-fund"], &clone);
    let (out, err) = texts(&served(&clone, None));
    assert_eq!((&*out, &*err), ("0 a?\n", &*format!("words: your own code runs, at tier 0, as {WHY}\n")));
    let refused = served(&clone, Some("3"));
    assert!(!refused.status.success());
    assert!(texts(&refused).1.contains(&format!("words cannot run at tier 3: {WHY}")), "{refused:?}");
    let fallen = |rows: &str| {
        let mut command = Command::new("node");
        command.arg("server.js").current_dir(&clone).envs([("TIERUP_TIER", "3"), ("TIERUP_FALLBACK", rows)]);
        texts(&command.output().unwrap())
    };
    let noted = format!("words cannot run at tier 3: {WHY}; falling back to tier 0\n");
    assert_eq!(fallen("2:core,0"), ("0 a?\n".to_owned(), noted));
    assert_eq!(fallen("2:core").0, "");
    // The archive contains the package's files, not links.
    let packed = passed("npm", &["pack", "--json", "--silent"], &clone.join("tierup/words"));
    let packed: serde_json::Value = serde_json::from_str(&packed).unwrap();
    let archive = clone.join("tierup/words").join(packed[0]["filename"].as_str().unwrap());
    let listed = passed("tar", &["-tvf", &archive.display().to_string()], &clone);
    assert!(listed.lines().all(|line| line.starts_with('-')), "{listed}");
    for name in ["index.d.ts", "index.mjs", "lib/place.js", "lib/variants/baseline.js"] {
        assert!(listed.contains(&format!("package/{name}\n")), "{name}: {listed}");
    }

    assert!(run(&clone, &["build", "--tiers", "1:spawn"]).starts_with("exit code: 0\n"));
    let (out, err) = texts(&served(&clone, None));
    assert_eq!((&*out, &*err), ("1:spawn A\n", ""));
    assert_eq!(texts(&served(&clone, Some("0"))), ("0 a?\n".to_owned(), String::new()));
}

#[test]
fn a_server_in_ruby_loads_the_built_variant() {
    let folder = repository(&[("ruby", "ruby")]);
    let said = run(folder.path(), &["stub"]);
    assert!(said.contains("wrote tierup/words for Ruby: commit it\n"), "{said}");
    for name in ["sig/words.rbs", "words.gemspec", "lib/words/types.rb"] {
        let text = fs::read_to_string(folder.path().join("tierup/words").join(name)).unwrap();
        assert!(!text.contains("next build") && !text.contains("everything that was built"), "{text}");
    }
    let server = "$LOAD_PATH.unshift File.expand_path(\"tierup/words/lib\", __dir__)\nrequire \"words\"\n\
        2.times { Words.with(baseline: ->(text) { text }) }\n\
        rust = Words.with(baseline: ->(text) { text + \"?\" })\nputs \"#{rust.tier} #{rust.shout(\"a\")}\", rust.metrics[:instead]\n";
    write(folder.path(), &[("server.rb", server)]);
    let served = |tier: Option<&str>| {
        let mut command = Command::new("ruby");
        command.args(["-w", "server.rb"]).current_dir(folder.path()).env_remove("TIERUP_TIER");
        texts(&command.envs(tier.map(|tier| ("TIERUP_TIER", tier))).output().unwrap())
    };
    let unasked = format!("words: your own code runs, at tier 0, as {WHY}\n");
    assert_eq!(served(None), (format!("0 a?\n{unasked}"), unasked.clone()));
    assert_eq!(served(Some("0")), ("0 a?\n\n".to_owned(), String::new()));
    let (out, err) = served(Some("3"));
    assert!(out.is_empty() && err.contains(&format!("words cannot run at tier 3: {WHY}")), "{out}{err}");

    assert!(run(folder.path(), &["build", "--tiers", "1:spawn"]).starts_with("exit code: 0\n"));
    assert_eq!(served(None), ("1:spawn A\n\n".to_owned(), String::new()));
    write(folder.path(), &[(".tierup/ruby/built.json", "{ \"variants\": [\"1:spawn\"] }")]);
    assert_eq!(served(None), (format!("0 a?\n{unasked}"), unasked));
}

/// A host whose compiler takes all files of a package from one folder.
struct Compiled<'a> {
    host: &'a str,
    title: &'a str,
    /// Additions to `[host.NAME]`.
    settings: &'a str,
    /// The server, which prints the tier and the answer to `a`.
    server: &'a [(&'a str, &'a str)],
    /// The commands that its owner runs once, before the commit.
    once: &'a [&'a [&'a str]],
    build: &'a [&'a [&'a str]],
    start: &'a [&'a str],
}

/// A clone builds without tierup, at tier 0. After `tierup build`, the same commands use the variant.
fn a_clone_builds_and_takes_what_is_built(compiled: &Compiled<'_>) {
    let Compiled { host, title, settings, server, once, build, start } = compiled;
    let folder = repository(&[(host, start[0])]);
    let ignored =
        fs::read_to_string(folder.path().join(".gitignore")).unwrap() + "/server\ntarget/\n_build/\nvendor/\n";
    write(folder.path(), &[(".gitignore", &ignored)]);
    write(folder.path(), server);
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap() + settings;
    write(folder.path(), &[("tierup.toml", &settings)]);
    let said = run(folder.path(), &["stub"]);
    assert!(said.contains(&format!("wrote tierup/words for {title}: commit it\n")), "{said}");
    let each = |commands: &[&[&str]], folder: &Path| {
        commands.iter().for_each(|command| {
            passed(command[0], &command[1..], folder);
        });
    };
    each(once, folder.path());
    let said = run(folder.path(), &["stub"]);
    assert!(!said.contains("to add"), "{said}");

    let elsewhere = tempfile::tempdir().unwrap();
    let clone = cloned(folder.path(), elsewhere.path());
    let served = |tier: Option<&str>| {
        let mut command = Command::new(start[0]);
        command.args(&start[1..]).current_dir(&clone).env_remove("TIERUP_TIER").env_remove("TIERUP_FALLBACK");
        let output = command.envs(tier.map(|tier| ("TIERUP_TIER", tier))).output().unwrap();
        (output.status.success(), texts(&output))
    };
    each(build, &clone);
    let unasked = format!("words: your own code runs, at tier 0, as {WHY}\n");
    assert_eq!(served(None), (true, ("0 a?\n".to_owned(), unasked)));
    assert_eq!(served(Some("0")), (true, ("0 a?\n".to_owned(), String::new())));
    let (has_run, (out, err)) = served(Some("3"));
    assert!(!has_run && err.contains(&format!("words cannot run at tier 3: {WHY}")), "{out}{err}");

    let said = run(&clone, &["build", "--tiers", "1:spawn"]);
    assert!(said.starts_with("exit code: 0\n") && !said.contains("commit it"), "{said}");
    each(build, &clone);
    assert_eq!(served(None), (true, ("1:spawn A\n".to_owned(), String::new())));
    assert_eq!(passed("git", &["status", "--porcelain"], &clone), "");
    let other = LIBRARY.replace("to_uppercase", "to_lowercase") + "/// .\npub struct Unused;\n";
    write(&clone, &[("hot/src/lib.rs", &other.replace("text: &str", "word: &str").replace("text.", "word."))]);
    let said = run(&clone, &["build", "--tiers", "1:spawn"]);
    assert!(said.contains(&format!("wrote tierup/words/{host} again: commit it\n")), "{said}");
    each(build, &clone);
    assert_eq!(served(None), (true, ("1:spawn a\n".to_owned(), String::new())));
}

#[test]
fn a_server_in_go_links_the_built_variant() {
    let server = "package main\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\n\t\"tierup.local/words\"\n)\n\nfunc main() {\n\
        \tshout := func(text string) (string, error) { return text + \"?\", nil }\n\
        \trust, err := words.Bind(words.Options{Baseline: &words.Functions{Shout: shout}})\n\
        \tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\
        \tanswer, err := rust.Shout(\"a\")\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\
        \tfmt.Println(rust.Tier(), answer)\n}\n";
    let replace = "-replace=tierup.local/words=./tierup/words/go";
    a_clone_builds_and_takes_what_is_built(&Compiled {
        host: "go",
        title: "Go",
        settings: "",
        server: &[("server.go", server), ("go.mod", "module shop\n\ngo 1.25.0\n")],
        once: &[&["go", "mod", "edit", "-require=tierup.local/words@v0.0.0", replace], &["go", "mod", "tidy"]],
        build: &[&["go", "build", "-o", "server", "."]],
        start: &["./server"],
    });
}

#[test]
fn a_server_in_java_is_built_with_the_built_variant() {
    let server = "package shop;\n\nimport local.tierup.words.Words;\n\npublic final class Server {\n    \
        public static void main(String[] arguments) {\n        try (Words rust = Words.load(text -> text + \"?\")) {\n            \
        System.out.println(rust.tier() + \" \" + rust.shout(\"a\"));\n        }\n    }\n}\n";
    let manifest = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n    <modelVersion>4.0.0</modelVersion>\n    \
        <groupId>shop</groupId>\n    <artifactId>server</artifactId>\n    <version>1</version>\n    <properties>\n        \
        <maven.compiler.source>17</maven.compiler.source>\n        \
        <maven.compiler.target>17</maven.compiler.target>\n        \
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\n    </properties>\n    \
        <dependencies>\n        <dependency>\n            <groupId>local.tierup</groupId>\n            \
        <artifactId>words</artifactId>\n            <version>0.1.0</version>\n        </dependency>\n    </dependencies>\n</project>\n";
    let build = ["mvn", "--batch-mode", "--quiet", "--file", "tierup/words/java/with-server", "package"];
    a_clone_builds_and_takes_what_is_built(&Compiled {
        host: "java",
        title: "Java",
        settings: &format!("prepare = {build:?}\n"),
        server: &[("src/main/java/shop/Server.java", server), ("pom.xml", manifest)],
        once: &[],
        build: &[&build],
        start: &["java", "-cp", "target/classes:tierup/words/java/target/words-0.1.0.jar", "shop.Server"],
    });
}

#[test]
fn composer_installs_the_committed_package_and_php_loads_the_built_variant() {
    let server = "<?php\nrequire __DIR__ . '/vendor/autoload.php';\nfor ($i = 0; $i < 2; $i++) {\n    \
        $rust = Words\\Rust::with(baseline: fn(string $text): string => \"$text?\");\n}\n\
        echo $rust->tier(), ' ', $rust->shout('a'), \"\\n\";\n\
        $isUnasked = $rust->tier() . getenv('TIERUP_TIER') === '0';\n\
        exit((int) ($isUnasked !== str_contains($rust->metrics()['instead'], 'no variant is built here')));\n";
    let manifest = r#"{
        "repositories": [{ "type": "path", "url": "./tierup/words/php" }, { "packagist": false }],
        "require": { "tierup/words": "*" }
    }"#;
    a_clone_builds_and_takes_what_is_built(&Compiled {
        host: "php",
        title: "PHP",
        settings: "",
        server: &[("server.php", server), ("composer.json", manifest)],
        once: &[&["composer", "update", "--no-interaction", "--quiet"]],
        build: &[&["composer", "install", "--no-interaction", "--quiet"]],
        start: &["php", "server.php"],
    });
}

#[test]
fn a_server_in_elixir_is_compiled_with_the_built_variant() {
    let manifest = "defmodule Shop.MixProject do\n  use Mix.Project\n\n  def project do\n    \
        [app: :shop, version: \"0.1.0\", deps: [{:words, path: \"tierup/words/beam\"}]]\n  end\nend\n";
    let server = "defmodule Own do\n  def shout(text), do: text <> \"?\"\nend\n\n\
        Words.bind(baseline: Own)\nWords.bind(baseline: Own)\n\
        {:ok, answer} = Words.shout(\"a\")\nIO.puts(\"#{Words.tier()} #{answer}\")\n";
    a_clone_builds_and_takes_what_is_built(&Compiled {
        host: "beam",
        title: "Elixir",
        settings: "",
        server: &[("server.exs", server), ("mix.exs", manifest)],
        once: &[],
        build: &[&["mix", "compile"]],
        start: &["mix", "run", "--no-compile", "server.exs"],
    });
}

#[test]
fn an_outdated_package_is_reported_until_it_is_written_again() {
    let folder = repository(&[("node", "node")]);
    let advice = "tierup/words lacks files, or is older than your crate's interface or [health]: run `tierup stub`, and \
        commit what it writes\n";
    let build = || run(folder.path(), &["build", "--tiers", "0"]);
    let doctor = || texts(&tierup(folder.path(), &["doctor"]).output().unwrap()).1;
    assert!(!build().contains("tierup/words"), "whoever commits no package is told nothing");
    run(folder.path(), &["stub"]);
    assert!(!build().contains(advice) && !doctor().contains(advice));
    let other = LIBRARY.replace("(text: &str)", "(text: &str, times: u32)").replace("{ ", "{ let _ = times; ");
    write(folder.path(), &[("hot/src/lib.rs", &other)]);
    assert!(build().contains(advice) && doctor().contains(advice), "{}{}", build(), doctor());
    run(folder.path(), &["stub", "node"]);
    assert!(!build().contains(advice) && !doctor().contains(advice));
    let types = fs::read_to_string(folder.path().join("tierup/words/index.d.ts")).unwrap();
    assert!(types.contains("shout(text: string, times: number): Promise<string>;"), "{types}");
}

#[test]
fn several_hosts_share_the_folder() {
    let folder = repository(&[("node", "node"), ("go", "go"), ("python", "python3")]);
    let said = run(folder.path(), &["stub"]);
    assert!(said.contains("wrote tierup/words for Node.js and Go and Python: commit it\n"), "{said}");
    for name in ["package.json", "pyproject.toml", "src/words/__init__.pyi", "go/go.mod", "README.md"] {
        assert!(folder.path().join("tierup/words").join(name).exists(), "{name}");
    }
}

#[test]
fn a_folder_that_tierup_did_not_make_is_not_changed() {
    let folder = repository(&[("node", "node")]);
    write(folder.path(), &[("tierup/words/README.md", "# Mine\n")]);
    let said = run(folder.path(), &["stub"]);
    assert!(said.contains("error: `tierup/words` already exists, and tierup did not make it\n"), "{said}");
    assert_eq!(fs::read_dir(folder.path().join("tierup/words")).unwrap().count(), 1);
}
