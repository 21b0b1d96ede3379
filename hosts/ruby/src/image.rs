//! Ruby's part of a server's Dockerfile.

use tierup_codegen::{Image, ServerFolder, System, Version, pinned};

use crate::package::{GEMFILE, LOCK};

/// The image of a server whose gems Bundler installs, or of one without a Gemfile.
///
/// # Errors
/// If the versions of its gems are not locked.
pub(crate) fn image(folder: &dyn ServerFolder, system: System) -> Result<Image, String> {
    let (gemfile, lock) = (folder.read(GEMFILE), folder.read(LOCK));
    let install = match (&gemfile, &lock) {
        (Some(_), None) => {
            return Err(format!(
                "its server has a {GEMFILE} and no {LOCK}, which says what to install: run `bundle lock` and commit it"
            ));
        }
        (Some(_), Some(_)) => {
            // Gems in C are compiled here; Debian's larger image has a compiler.
            let compiler = (system == System::Alpine).then(|| "apk add --no-cache build-base git yaml-dev".to_owned());
            compiler.into_iter().chain([INSTALL.to_owned()]).collect()
        }
        (None, _) => Vec::new(),
    };
    let manifests = match (&gemfile, &lock) {
        (Some(gemfile), Some(lock)) if needs_more(gemfile, lock) || folder.exists("vendor/cache") => vec!["."],
        (Some(_), _) => vec![GEMFILE, LOCK],
        (None, _) => Vec::new(),
    };
    // `">= 3.1"` is no choice.
    let is_asked = |line: &&str| line.trim_start().starts_with("ruby ") && !line.contains('>');
    let asked = gemfile.and_then(|text| text.lines().find(is_asked).map(str::to_owned));
    // Bundler compares all parts with the Ruby that runs.
    let asked = Some(pinned(&[asked, folder.read(".ruby-version")], 3, "")).filter(|version| !version.is_empty());
    let ready = r#"exit Net::HTTP.get_response(URI("http://127.0.0.1:#{ENV['PORT']}/readyz")).is_a?(Net::HTTPOK)"#;
    Ok(Image {
        build: format!("ruby:VERSION-{}", system.tag()),
        run: format!("ruby:VERSION-{}", system.slim_tag()),
        version: Some(Version { of: "Ruby", asked }),
        manifests: manifests.into_iter().map(str::to_owned).collect(),
        install,
        leaves: &[".bundle", "vendor/bundle"],
        // The part of a gem that would be installed, without RubyGems' own folders.
        unpack: "mkdir -p .tierup/ruby && tar -xOf $PACKAGE data.tar.gz | tar -xz -C .tierup/ruby".to_owned(),
        healthcheck: ["ruby", "-rnet/http", "-e", ready].map(str::to_owned).into(),
        variables: " GEM_HOME=/app/.gems BUNDLE_FROZEN=true BUNDLE_WITHOUT=development:test RACK_ENV=production PATH=/app/.gems/bin:$PATH",
        ..Image::of(system)
    })
}

/// Into a folder that is copied with the server. `bundle exec` and plain `ruby` both look there.
const INSTALL: &str =
    "GEM_HOME=/app/.gems BUNDLE_FROZEN=true BUNDLE_WITHOUT=development:test bundle install && rm -rf /app/.gems/cache";

/// Whether the Gemfile reads other files of the server, or its gems are folders of the server.
fn needs_more(gemfile: &str, lock: &str) -> bool {
    let is_own = |line: &str| {
        let folder = line.trim_start().strip_prefix("remote: ");
        // A remote is also the address of a server.
        folder.is_some_and(|way| {
            !way.contains("://") && !["..", "tierup/", "./tierup/", "git@"].iter().any(|start| way.starts_with(start))
        })
    };
    ["eval_gemfile", "file:", "File.", "require_relative"].iter().any(|word| gemfile.contains(word))
        || lock.lines().any(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::test_folder;

    const GEMS: &str =
        "PATH\n  remote: ../tierup/slug\n  specs:\n    slug (0.1.0)\n\nGEM\n  remote: https://a.example/\n";

    #[test]
    fn bundler_has_the_files_that_a_gemfile_names() {
        let manifests = |gemfile: &str, lock: &str| {
            image(&test_folder(&[("Gemfile", gemfile), ("Gemfile.lock", lock)]), System::Debian).unwrap().manifests
        };
        assert_eq!(manifests("gem \"slug\", path: \"../tierup/slug\"\n", GEMS), ["Gemfile", "Gemfile.lock"]);
        assert_eq!(manifests("eval_gemfile \"Gemfile.common\"\n", GEMS), ["."]);
        assert_eq!(manifests("gemspec\n", &format!("PATH\n  remote: .\n\n{GEMS}")), ["."]);
        assert!(image(&test_folder(&[("server.rb", "")]), System::Debian).unwrap().manifests.is_empty());
    }

    #[test]
    fn gems_without_a_lock_are_refused() {
        let refused = image(&test_folder(&[("Gemfile", "gem \"puma\"\n")]), System::Debian).unwrap_err();
        assert!(refused.contains("run `bundle lock` and commit it"), "{refused}");
    }

    #[test]
    fn a_version_is_one_that_the_server_pins() {
        let asked = |files: &[(&str, &str)]| image(&test_folder(files), System::Alpine).unwrap().version.unwrap().asked;
        let lock = ("Gemfile.lock", GEMS);
        assert_eq!(asked(&[("Gemfile", "ruby \"3.3.1\"\n"), lock]).as_deref(), Some("3.3.1"));
        assert_eq!(asked(&[(".ruby-version", "ruby-3.4\n")]).as_deref(), Some("3.4"));
        assert_eq!(asked(&[("Gemfile", "ruby \">= 3.1\"\n"), lock]), None);
        let alpine = image(&test_folder(&[("Gemfile", ""), lock]), System::Alpine).unwrap();
        assert_eq!(&*alpine.run, "ruby:VERSION-alpine3.22");
        assert!(alpine.install[0].starts_with("apk add --no-cache build-base"), "{:?}", alpine.install);
    }
}
