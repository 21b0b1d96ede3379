//! The artifact for others to install: a Maven repository with the package's jar, its sources and its `pom.xml`. The jar
//! has the natives of all platforms; `Packed.java` takes those that load.

use tierup_codegen::{
    BuiltFor, Command, Files, HostSettings, Pack, Packaging as _, Parts, Project, Publishable,
    source::{fill, published as without_builds},
};

use crate::{
    Java, names,
    package::{self, About},
};

/// The repository's archive.
///
/// # Errors
/// If Maven does not allow an artifact of this name.
pub(crate) fn repository(project: &Project, parts: &Parts<'_>) -> Result<Publishable, String> {
    let interface = &project.interface;
    let (artifact, version) = (names::artifact(&interface.package)?, &interface.version);
    let name = format!("{artifact}-{version}");
    let place = format!("{}/{artifact}/{version}", names::GROUP.replace('.', "/"));
    let about = About {
        description: Some(parts.about.description.clone()).filter(|text| !text.is_empty()),
        elements: elements(parts),
        properties: format!("{REPRODUCIBLE}        <jars>${{project.basedir}}/repository/{place}</jars>\n"),
        jars: include_str!("../templates/published/jars.xml").to_owned(),
    };
    let manifest = package::manifest(project, &about)?;
    let mut files = Files::new()
        .with(format!("repository/{place}/{name}.pom"), without_build(&manifest))
        .with("Sums.java", include_str!("../templates/published/Sums.java"))
        .with("pom.xml", manifest);
    let own = Java.package(project, &HostSettings::default())?;
    let sources = own.iter().filter(|(name, _)| name.ends_with(".java"));
    for (name, content) in sources.chain(parts.common.iter()) {
        match str::from_utf8(content) {
            Ok(text) if name.ends_with(".java") => files.add(name, without_builds(text)),
            _ => files.add(name, content),
        }
    }
    let resources = "src/main/resources/META-INF";
    let natives = format!("{resources}/tierup/{}", names::package(&interface.package));
    for BuiltFor { target, files: built } in parts.built {
        for (name, content) in built.iter() {
            let name = name.rsplit('/').next().unwrap_or(name);
            files.add(format!("{natives}/{}/{name}", target.name), content);
        }
    }
    files.extend_below(resources, parts.about.documents());
    let file = format!("{name}-maven.tar.gz");
    let maven = ["--batch-mode", "--quiet", "-Dstyle.color=never"];
    // The jars record who may read their files.
    let package = format!(
        "umask 022; chmod -R go=rX . && mvn {} -Dmaven.test.skip=true package && {JAVA} Sums.java repository",
        maven.join(" ")
    );
    let pack = Pack::RunThenTarGz { command: Command::new("sh", ["-c", &*package]), folder: "repository".to_owned() };
    let call = fill(
        include_str!("../templates/published/Call.java"),
        &[
            ("check", if project.health.is_some() { "checkHealth" } else { "ready" }),
            ("facade", &names::class(&names::named(interface))),
            ("package", &names::package(&interface.package)),
        ],
    );
    let installed = format!("{place}/{name}");
    // Maven itself finds what the artifact depends on, but does not keep a copy of the artifact.
    let find = [&*format!("--file={installed}.pom"), CLASS_PATH, "-Dmdep.outputFile=class-path"];
    let mut trial = vec![
        Command::new("tar", ["-xzf", &*file]),
        Command::new("sh", ["-c", r#"printf %s "$0" >Call.java"#, &*call]),
        Command::new("mvn", maven.into_iter().chain(find)),
    ];
    let run = format!(r#"exec {JAVA} -cp "{installed}.jar:$(cat {place}/class-path)" Call.java "$0""#);
    trial.extend(parts.tried().map(|tier| Command::new("sh", ["-c", &*run, tier])));
    Ok(Publishable { file, files, pack, trial, only_for: None })
}

/// The Java that Maven uses, in a shell.
const JAVA: &str = r#""${JAVA_HOME:+$JAVA_HOME/bin/}java""#;

/// The goal that writes the class path, of the version in `pom.xml`.
const CLASS_PATH: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath";

/// With this property, Maven gives all files in a jar the same time.
const REPRODUCIBLE: &str =
    "        <project.build.outputTimestamp>1980-01-01T00:00:02Z</project.build.outputTimestamp>\n";

/// What the manifest says of the crate besides its description.
fn elements(parts: &Parts<'_>) -> String {
    let url = parts.about.repository.as_deref().map(package::escaped);
    let page = url.iter().map(|url| format!("    <url>{url}</url>\n")).collect::<String>();
    let source = url.iter().map(|url| format!("    <scm>\n        <url>{url}</url>\n    </scm>\n")).collect::<String>();
    let license = package::escaped(&parts.about.license);
    format!(
        "{page}    <licenses>\n        <license>\n            <name>{license}</name>\n        </license>\n    </licenses>\n{source}"
    )
}

/// The manifest for those who install the artifact.
fn without_build(manifest: &str) -> String {
    let head = manifest.split_once("\n    <build>\n").map_or(manifest, |(head, _)| head);
    let (before, rest) = head.split_once("    <properties>\n").unwrap_or((head, ""));
    let after = rest.split_once("    </properties>\n\n").map_or("", |(_, after)| after);
    format!("{before}{after}</project>\n")
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Target;

    use super::*;
    use crate::parts::{check, text, with_parts};

    #[test]
    fn a_repository_has_the_manifest_and_the_natives_of_each_platform() {
        let targets = [Target::ALL[0], Target::ALL[2]];
        let native = "src/main/resources/META-INF/tierup/local.tierup.word_count/libnative.so";
        let made = with_parts(&targets, native, |project, parts| repository(project, parts).unwrap());
        check(&made);
        assert_eq!(made.file, "word-count-1.2.0-rc.1-maven.tar.gz");
        let manifest = text(&made, "repository/local/tierup/word-count/1.2.0-rc.1/word-count-1.2.0-rc.1.pom");
        for line in [
            "<description>Counts &lt;words> &amp; lines.</description>\n    <url>https://a.example/count</url>\n",
            "            <name>MIT OR Zlib</name>\n",
            "    <scm>\n        <url>https://a.example/count</url>\n",
            "<artifactId>runtime</artifactId>",
        ] {
            assert!(manifest.contains(line), "{manifest}");
        }
        assert!(!manifest.contains("<build>") && manifest.ends_with("    </dependencies>\n</project>\n"), "{manifest}");
        for target in ["linux-x64-gnu", "linux-x64-musl"] {
            let place = format!("src/main/resources/META-INF/tierup/local.tierup.word_count/{target}/libnative.so");
            assert_eq!(text(&made, &place), target);
        }
    }
}
