//! Two packages that one program in Java has.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{passed, tierup};

/// Each with a native library of its own, which exports what the other one exports, and with classes of the same names.
#[test]
fn two_packages_are_one_program() {
    let folder = tempfile::tempdir().unwrap();
    for (name, word) in [("one-word", "one"), ("one_word", "other")] {
        let project = folder.path().join(name);
        passed("new", &tierup(folder.path(), &["new", name, "--host", "java"]).output().unwrap());
        let source = format!(
            "/// Says which package it is of.\npub fn slugify(text: &str) -> Result<String, String> {{\n    \
             if text.is_empty() {{ panic!(\"nothing for {word}\") }}\n    Ok(format!(\"{{text}} {word}\"))\n}}\n"
        );
        fs::write(project.join("src/lib.rs"), source).unwrap();
        passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    }
    let program = folder.path().join("Both.java");
    fs::write(&program, BOTH).unwrap();
    let jar = |name: &str| folder.path().join(name).join(format!(".tierup/java/target/{name}-0.1.0.jar"));
    let classes = env::join_paths([jar("one-word"), jar("one_word")]).unwrap();
    // JNI finds functions by the names of classes, foreign functions by the library that they are asked of.
    let mut ways = vec![("jni", PathBuf::from("java"))];
    match with_foreign_functions() {
        Some(java) => ways.push(("ffm", java)),
        None => eprintln!("not tried with foreign functions: neither JAVA_HOME nor /usr/lib/jvm has Java 22 or newer"),
    }
    for (way, java) in ways {
        let mut run = Command::new(java);
        run.args([&format!("-Dtierup.native={way}"), "--enable-native-access=ALL-UNNAMED"]);
        let said = passed(way, &run.arg("-cp").arg(&classes).arg(&program).output().unwrap());
        assert!(said.starts_with("nothing for one, at one-word/src/lib.rs:3:"), "{way}: {said}");
        assert!(said.contains("nothing for other, at one_word/src/lib.rs:3:"), "{way}: {said}");
        assert!(said.ends_with("x one\nx other\n"), "{way}: {said}");
    }
}

/// A Java of 22 or newer. What version it is stands in a file of each.
fn with_foreign_functions() -> Option<PathBuf> {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(Into::into).into_iter().collect();
    homes.extend(fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path()));
    homes.into_iter().find(|home| feature(home).is_some_and(|feature| feature >= 22)).map(|home| home.join("bin/java"))
}

/// 25 of `JAVA_VERSION="25.0.1"`.
fn feature(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '"']).next()?.parse().ok()
}

const BOTH: &str = r#"
import java.util.List;
import java.util.function.UnaryOperator;

class Both {
    public static void main(String[] arguments) {
        var one = local.tierup.oneword.OneWord.load(new local.tierup.oneword.Options().tier("3:native"));
        var other = local.tierup.one_word.OneWord.load(new local.tierup.one_word.Options().tier("3:native"));
        for (String text : List.of("", "x")) {
            for (UnaryOperator<String> slugify : List.<UnaryOperator<String>>of(one::slugify, other::slugify)) {
                System.out.println(answer(slugify, text));
            }
        }
    }

    private static String answer(UnaryOperator<String> slugify, String text) {
        try {
            return slugify.apply(text);
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }
}
"#;
