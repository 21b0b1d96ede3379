//! Java's part of a server's Dockerfile.

use tierup_codegen::{Image, Project, ServerFolder, System, pinned};

use crate::{names, package::MANIFEST};

/// The image of a server that Maven builds together with the committed package. The build puts what it needs into its own folder.
///
/// # Errors
/// If another program builds it, or Maven does not allow an artifact of this name.
pub(crate) fn image(project: &Project, folder: &dyn ServerFolder, system: System) -> Result<Image, String> {
    let Some(manifest) = folder.read(MANIFEST) else {
        let gradle = folder.names("").into_iter().find(|name| name.contains(".gradle"));
        let by = gradle.map(|file| format!("; this server has Gradle (by {file})"));
        return Err(format!("tierup writes Dockerfiles for Maven with a {MANIFEST}{}", by.unwrap_or_default()));
    };
    let value = |tag: &&str| Some(manifest.split_once(&format!("<{tag}>"))?.1.split('<').next()?.to_owned());
    let named = ["maven.compiler.release", "java.version", "release", "maven.compiler.target"];
    let asked: Vec<_> = [folder.read(".java-version")].into_iter().chain(named.iter().map(value)).collect();
    let asked: u32 = pinned(&asked, 1, JAVA).parse().unwrap_or_default();
    // Images are made of versions with long support, and each runs what older ones ran.
    let java = LONG.into_iter().find(|long| *long >= asked).unwrap_or(asked);
    let (interface, group) = (&project.interface, names::GROUP.replace('.', "/"));
    let (artifact, version) = (names::artifact(&interface.package)?, &interface.version);
    let jar = format!("{group}/{artifact}/{version}/{artifact}-{version}.jar");
    // Temurin has no image of Debian.
    let run = if system == System::Debian { "noble" } else { "alpine-3.22" };
    Ok(Image {
        build: format!("maven:3.9-eclipse-temurin-{java}"),
        run: format!("eclipse-temurin:{java}-jre-{run}"),
        downloads: Some("/root/.m2"),
        leaves: &["target"],
        // The committed package becomes one of these files, whatever builds it with the server: the server's manifest stays as it is.
        unpack: format!(
            "cd tierup/{package}/java && rm -rf src target built.json && mkdir -p src/main/resources && \
             tar -xzOf $PACKAGE {jar} >/tmp/package.jar && cd src/main/resources && jar -xf /tmp/package.jar && \
             rm -r META-INF/MANIFEST.MF META-INF/maven",
            package = interface.package
        ),
        // They name files of the builder.
        trim: Some("rm -rf target/maven-*".to_owned()),
        is_alone: true,
        ..Image::of(system)
    })
}

/// The version for a server that names none.
const JAVA: &str = "21";

/// The versions with long support that the package runs on.
const LONG: [u32; 3] = [17, 21, 25];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parts::with_parts, test_folder::test_folder};

    fn image_of(files: &[(&str, &str)], system: System) -> Result<Image, String> {
        with_parts(&[], "", |project, _| image(project, &test_folder(files), system))
    }

    #[test]
    fn the_version_is_one_with_an_image() {
        let run = |version: &str| {
            let manifest = format!("<project><properties>{version}</properties></project>");
            image_of(&[(MANIFEST, &manifest)], System::Debian).unwrap().run
        };
        assert_eq!(run("<maven.compiler.release>17</maven.compiler.release>"), "eclipse-temurin:17-jre-noble");
        assert_eq!(
            run("<release>${java.version}</release><java.version>22</java.version>"),
            "eclipse-temurin:25-jre-noble"
        );
        assert_eq!(run(""), "eclipse-temurin:21-jre-noble");
        let alpine = image_of(&[(MANIFEST, ""), (".java-version", "temurin-25.0.1\n")], System::Alpine).unwrap();
        assert_eq!(alpine.run, "eclipse-temurin:25-jre-alpine-3.22");
        assert!(alpine.unpack.contains(" local/tierup/word-count/1.2.0-rc.1/word-count-1.2.0-rc.1.jar "));
    }

    #[test]
    fn gradle_is_refused() {
        let refused = image_of(&[("build.gradle.kts", "")], System::Debian).unwrap_err();
        assert_eq!(
            refused,
            "tierup writes Dockerfiles for Maven with a pom.xml; this server has Gradle (by build.gradle.kts)"
        );
    }
}
