//! Two packages in one Java program.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{both_answered, passed, two_packages};

/// Each has its own native library with the same exports, and classes of the same names.
#[test]
fn two_packages_are_one_program() {
    let folder = tempfile::tempdir().unwrap();
    two_packages(folder.path(), "java");
    let program = folder.path().join("Both.java");
    fs::write(&program, BOTH).unwrap();
    let jar = |name: &str| folder.path().join(name).join(format!("tierup/{name}/java/target/{name}-0.1.0.jar"));
    let classes = env::join_paths([jar("one-word"), jar("one_word")]).unwrap();
    // JNI finds functions by class names; the foreign function API looks in a given library.
    let newer = with_foreign_functions().expect("JAVA_HOME or /usr/lib/jvm has a Java of 22 or newer");
    for (way, java) in [("jni", PathBuf::from("java")), ("ffm", newer)] {
        let mut run = Command::new(java);
        run.args([&format!("-Dtierup.native={way}"), "--enable-native-access=ALL-UNNAMED"]);
        let said = passed(way, &run.arg("-cp").arg(&classes).arg(&program).output().unwrap());
        both_answered(&said);
    }
}

/// A Java of 22 or newer, by the file `release` of each installation.
fn with_foreign_functions() -> Option<PathBuf> {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(Into::into).into_iter().collect();
    homes.extend(fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path()));
    homes.into_iter().find(|home| feature(home).is_some_and(|feature| feature >= 22)).map(|home| home.join("bin/java"))
}

/// The major version: 25 for `JAVA_VERSION="25.0.1"`.
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
        var one = local.tierup.one_word.OneWord.load(new local.tierup.one_word.Options().tier("3:native"));
        var other = local.tierup.one__word.OneWord.load(new local.tierup.one__word.Options().tier("3:native"));
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
