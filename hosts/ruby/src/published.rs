//! Gems for others to install: one for each platform, with the package's files and what was built for it.

use tierup_codegen::{
    Command, Files, Libc, Machine, Os, Pack, Parts, Project, Publishable, Target,
    source::{fill, published},
};

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
    let this = Machine::this().os;
    if let Some(target) = parts.targets.iter().find(|target| target.machine().os != this) {
        return Err(format!(
            "its extension is compiled with this machine's Ruby, whose headers are for {this:?}; leave out {}",
            target.name
        ));
    }
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
            ("licenses", &licenses(&parts.about.license)?),
            ("package", &literal(&interface.package)),
            ("platform", &literal(&platform)),
            ("repository", &repository.map_or_else(|| "nil".to_owned(), literal)),
            ("summary", &literal(package::summary(&parts.about.description))),
            ("version", &literal(&version)),
        ],
    );
    let own = package::package(project)?;
    let mut files = Files::new().with(&*manifest, gemspec);
    for (name, content) in own.iter().filter(|(name, _)| *name != manifest) {
        let text = published(&String::from_utf8_lossy(content));
        // Users of a gem have no folder to build in.
        let text =
            text.split_once("## Installing").filter(|_| name == "README.md").map_or(&*text, |(before, _)| before);
        files.add(name, text);
    }
    let built = parts.built.iter().filter(|built| built.target == *target).flat_map(|built| built.files.iter());
    for (name, content) in built.chain(parts.common.iter()).chain(parts.about.licenses.iter()) {
        files.add(name, content);
    }
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
    // Some crates do not compile to Wasm.
    let has_core = files.iter().any(|(name, _)| name.starts_with(&format!("artifacts/{gem}_core.")));
    let tiers = ["1:pool", "2:core", "3:native"].into_iter().filter(|tier| *tier != "2:core" || has_core);
    let trial = [Command::new("gem", install)].into_iter().chain(tiers.map(call)).collect();
    Ok(Publishable { file, files, pack, trial, only_for: Some(*target) })
}

/// The licences as Ruby's list. A list stands for a choice; RubyGems does not know expressions.
fn licenses(expression: &str) -> Result<String, String> {
    let choices: Vec<_> = expression.split(" OR ").collect();
    let is_choice = choices.iter().all(|one| !one.contains(['(', ')']) && !one.contains(" AND "));
    let all = if is_choice { choices } else { vec![expression] };
    if let Some(long) = all.iter().find(|one| one.len() > LONGEST_LICENSE) {
        return Err(format!("RubyGems accepts no licence of more than {LONGEST_LICENSE} characters: `{long}`"));
    }
    Ok(format!("[{}]", all.into_iter().map(literal).collect::<Vec<_>>().join(", ")))
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
    use tierup_codegen::{About, BuiltFor};
    use tierup_model::Interface;

    use super::*;

    #[test]
    fn a_gem_has_its_manifest_and_built_files() {
        let interface =
            Interface { package: "word-count".into(), version: "1.2.0-rc.1".into(), ..Interface::default() };
        let project = Project { interface, ..Project::default() };
        let licenses = Files::new().with("LICENSE", "as you like");
        let about = About {
            license: "MIT OR Apache-2.0".into(),
            description: "Counts.".into(),
            repository: Some("https://a.example/count".into()),
            licenses,
        };
        let targets = [Target::ALL[0], Target::ALL[3]];
        let built = targets
            .map(|target| BuiltFor { target, files: Files::new().with("artifacts/word_count_native.so", target.name) });
        let common = Files::new().with("built.json", "{}");
        let parts = Parts { about: &about, targets: &targets, built: &built, common: &common, keeps_floors: true };
        let made = gems(&project, &parts).unwrap();
        let files: Vec<_> = made.iter().map(|gem| &*gem.file).collect();
        assert_eq!(
            files,
            ["word_count-1.2.0.pre.rc.1-x86_64-linux.gem", "word_count-1.2.0.pre.rc.1-aarch64-linux-musl.gem"]
        );
        let text = |name: &str| String::from_utf8_lossy(made[1].files.get(name).unwrap()).into_owned();
        let manifest = text("word_count.gemspec");
        for line in [
            "spec.version = \"1.2.0.pre.rc.1\"\n",
            "spec.platform = \"aarch64-linux-musl\"\n",
            "spec.licenses = [\"MIT\", \"Apache-2.0\"]\n",
            "spec.homepage = \"https://a.example/count\"\n",
        ] {
            assert!(manifest.contains(line), "{manifest}");
        }
        assert_eq!(text("artifacts/word_count_native.so"), "linux-arm64-musl");
        for name in ["LICENSE", "built.json", "lib/word_count.rb"] {
            assert!(made[0].files.get(name).is_some(), "{name}");
        }
        let tells = |(_, content): &(&str, &[u8])| String::from_utf8_lossy(content).contains("run `tierup build");
        assert_eq!(made[0].files.iter().find(tells), None);
        let other = [Target::ALL[5]];
        let refused = gems(&project, &Parts { targets: &other, ..parts }).unwrap_err();
        assert!(refused.ends_with("leave out darwin-arm64"), "{refused}");
    }

    #[test]
    fn rubygems_gets_a_list_of_licences_to_choose_from() {
        assert_eq!(licenses("MIT OR Apache-2.0").unwrap(), r#"["MIT", "Apache-2.0"]"#);
        assert_eq!(licenses("(MIT OR Zlib) AND BSD-3-Clause").unwrap(), r#"["(MIT OR Zlib) AND BSD-3-Clause"]"#);
        assert!(licenses(&format!("LicenseRef-{}", "x".repeat(60))).is_err());
    }
}
