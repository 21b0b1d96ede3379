//! Gems for others to install: one for each platform, with the package's files and what was built for it.

use tierup_codegen::{Command, Libc, Os, Pack, Parts, Project, Publishable, Target, source::fill};

use crate::{names, package, source::literal};

/// The longest licence that RubyGems accepts, in characters.
const LONGEST_LICENSE: usize = 64;

/// RubyGems' own default: https://github.com/ruby/rubygems/pull/7433. Older ones take the time of the build.
const TIME: (&str, &str) = ("SOURCE_DATE_EPOCH", "315619200");

/// The gems.
///
/// # Errors
/// If Ruby cannot have a module of this name, or RubyGems would refuse the gem.
pub(crate) fn gems(project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
    parts.only_with_headers("Ruby")?;
    parts.targets.iter().map(|target| gem(project, parts, target)).collect()
}

fn gem(project: &Project, parts: &Parts<'_>, target: &Target) -> Result<Publishable, String> {
    let interface = &project.interface;
    let (gem, module) = (names::gem(&interface.package), names::checked_module(&interface.package)?);
    let (version, platform) = (package::version(&interface.version), platform(target));
    let manifest = format!("{gem}.gemspec");
    let repository = parts.about.repository.as_deref();
    // RubyGems refuses other addresses.
    let repository = repository.filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    let gemspec = fill(
        include_str!("../templates/published/gemspec.rb"),
        &[
            ("gem", &literal(&gem)),
            ("licenses", &licenses(&parts.about.choices())?),
            ("package", &literal(&interface.package)),
            ("platform", &literal(&platform)),
            ("repository", &repository.map_or_else(|| "nil".to_owned(), literal)),
            ("summary", &literal(package::summary(&parts.about.description))),
            ("version", &literal(&version)),
        ],
    );
    let own = package::package(project)?;
    let readme = String::from_utf8_lossy(own.get("README.md").unwrap_or_default()).into_owned();
    // Users of a gem have no folder to build in.
    let readme = readme.split_once("## Installing").map_or(&*readme, |(before, _)| before);
    let own = own.with_other(&manifest, gemspec).with_other("README.md", readme);
    let files = parts.files(&own, |built, name| (built == target).then(|| name.to_owned()));
    let file = format!("{gem}-{version}-{platform}.gem");
    let build = Command::new("gem", ["build", "--silent", "--output", &*format!("../{file}"), &*manifest]);
    let pack = Pack::Run(Command { environment: vec![(TIME.0.to_owned(), TIME.1.to_owned())], ..build });
    let install = ["install", "--local", "--no-document", "--silent", "--install-dir", "gems", &*format!("./{file}")];
    let check = if project.health.is_some() { "check_health" } else { "ready" };
    let call = |tier: &str| {
        let script = format!(
            "require {}; rust = {module}.with(tier: {}); rust.ready; rust.{check}; rust.close",
            literal(&gem),
            literal(tier)
        );
        let environment = ["GEM_HOME", "GEM_PATH"].map(|name| (name.to_owned(), "gems".to_owned()));
        Command { environment: environment.into(), ..Command::new("ruby", ["-e", &*script]) }
    };
    let trial = [Command::new("gem", install)].into_iter().chain(parts.tried().map(call)).collect();
    Ok(Publishable { file, files, pack, trial, only_for: Some(*target) })
}

/// The licences as Ruby's list. A list stands for a choice; RubyGems does not know expressions.
fn licenses(all: &[&str]) -> Result<String, String> {
    if let Some(long) = all.iter().find(|one| one.len() > LONGEST_LICENSE) {
        return Err(format!("RubyGems accepts no licence of more than {LONGEST_LICENSE} characters: `{long}`"));
    }
    Ok(format!("[{}]", all.iter().map(|one| literal(one)).collect::<Vec<_>>().join(", ")))
}

/// The platform as RubyGems names it. Before version 3.3.22, such as in Debian 12, RubyGems finds no gem for `x86_64-linux-gnu`, and none
/// for musl.
fn platform(target: &Target) -> String {
    let machine = target.machine();
    match (machine.os, machine.libc) {
        (Os::Linux, Some(Libc::Musl)) => format!("{}-linux-musl", machine.arch),
        (Os::Linux | Os::Other, _) => format!("{}-linux", machine.arch),
        (Os::MacOs, _) if machine.arch == "aarch64" => "arm64-darwin".to_owned(),
        (Os::MacOs, _) => format!("{}-darwin", machine.arch),
        (Os::Windows, _) => "x64-mingw-ucrt".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{check, text, with_parts};

    #[test]
    fn a_gem_has_its_manifest_and_built_files() {
        let targets = [Target::ALL[0], Target::ALL[3]];
        let made = with_parts(&targets, "artifacts/word_count_native.so", |project, parts| {
            let other = [Target::ALL[5]];
            let refused = gems(project, &Parts { targets: &other, ..*parts }).unwrap_err();
            assert!(refused.ends_with("leave out darwin-arm64"), "{refused}");
            gems(project, parts).unwrap()
        });
        made.iter().for_each(check);
        let files: Vec<_> = made.iter().map(|gem| &*gem.file).collect();
        assert_eq!(
            files,
            ["word_count-1.2.0.pre.rc.1-x86_64-linux.gem", "word_count-1.2.0.pre.rc.1-aarch64-linux-musl.gem"]
        );
        let manifest = text(&made[1], "word_count.gemspec");
        for line in [
            "spec.version = \"1.2.0.pre.rc.1\"\n",
            "spec.platform = \"aarch64-linux-musl\"\n",
            "spec.licenses = [\"MIT\", \"Zlib\"]\n",
            "spec.homepage = \"https://a.example/count\"\n",
        ] {
            assert!(manifest.contains(line), "{manifest}");
        }
        assert_eq!(text(&made[1], "artifacts/word_count_native.so"), "linux-arm64-musl");
        assert!(made[0].files.get("lib/word_count.rb").is_some());
    }

    #[test]
    fn a_licence_that_rubygems_would_refuse_is_an_error() {
        assert!(licenses(&[&format!("LicenseRef-{}", "x".repeat(60))]).is_err());
    }
}
