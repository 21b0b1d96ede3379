//! A Maven repository.

use std::{fs, process::Command};

use super::{Elsewhere, licensed, packaged};
use crate::passed;

const OF_JAVA: &[&str] = &["gzip", "java", "tar"];

#[test]
fn a_maven_repository_has_a_jar_that_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let project = licensed(folder.path(), "java");
    let (table, archive) = packaged(&project, "java");
    for name in [" libnative.", " program "] {
        assert!(table.lines().any(|line| line.contains(name) && line.contains(" ran ")), "{table}");
    }
    assert!(archive.ends_with("dist/slug-0.1.0-maven.tar.gz"), "{table}");
    #[cfg(target_os = "linux")]
    crate::image::a_java_server_runs_from_its_image(&project);

    let elsewhere = Elsewhere::new(folder.path(), OF_JAVA);
    passed("tar", &elsewhere.run("tar", &["-xzf", &archive.display().to_string()], &[]));
    let installed = "local/tierup/slug/0.1.0/slug-0.1.0";
    for ending in [".pom", ".pom.sha1", ".jar", ".jar.sha1", "-sources.jar"] {
        assert!(elsewhere.folder.join(format!("{installed}{ending}")).exists(), "{ending}");
    }
    fs::write(elsewhere.folder.join("Call.java"), JAVA_SERVER).unwrap();
    // Maven starts other programs, too.
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--quiet", &format!("--file={installed}.pom"), "-Dmdep.outputFile=classes"]);
    maven.arg("org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath");
    passed("mvn", &maven.current_dir(&elsewhere.folder).output().unwrap());
    let classes = fs::read_to_string(elsewhere.folder.join("local/tierup/slug/0.1.0/classes")).unwrap();
    let call = |jar: &str, variables: &[(&str, &str)]| {
        elsewhere.run("java", &["-cp", &format!("{jar}:{classes}"), "Call.java"], variables)
    };
    let jar = format!("{installed}.jar");
    for tier in ["1:pool", "1:spawn", "2:core", "3:native"] {
        assert_eq!(passed(tier, &call(&jar, &[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }

    // The first folder in the class path has other files for this C library and another one.
    let table: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
    let (here, library) = (table[0], table[1]);
    let there = here.replace("-gnu", "-musl");
    for platform in [here, &there] {
        let broken = elsewhere.folder.join("broken/META-INF/tierup/local.tierup.slug").join(platform);
        fs::create_dir_all(&broken).unwrap();
        for name in [library, "program"] {
            fs::copy("/bin/sh", broken.join(name)).unwrap();
        }
    }
    let broken = format!("broken:{jar}");
    let fails = call(&broken, &[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let reason = format!(
        "slug cannot run at tier 3:native: the native library cannot be loaded by jni: none of the jar's files {library} can"
    );
    assert!(!fails.status.success() && why.contains(&reason), "{why}");
    assert!([here, &there].iter().all(|platform| why.contains(&format!("\n  {platform}: "))), "{why}");
    let falls_back = call(&broken, &[("TIERUP_FALLBACK", "1:pool, 2:core,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(noted.lines().count() == 1 && noted.ends_with("; falling back to tier 2:core\n"), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with(&format!("2:core hello-world {reason}")), "{answer}");
    let wrong = call(&jar, &[("TIERUP_FALLBACK", "2:core,sure")]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        said.contains("TIERUP_FALLBACK: sure is no variant: use 1, or a list of 0 and 3:native, 2:core,"),
        "{said}"
    );
}

const JAVA_SERVER: &str = r#"
import local.tierup.slug.*;

class Call {
    public static void main(String[] arguments) {
        Slug.load(text -> "mine").close();
        try (Slug rust = Slug.load(text -> "mine")) {
            System.out.println(rust.tier() + " " + rust.slugify("Hello, World!") + " " + rust.metrics().instead());
        }
    }
}
"#;
