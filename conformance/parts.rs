//! What hosts' own tests make packages for others of: a project, and a file for each platform.
//!
//! In: platforms, and the file's name in the host's package. Out: what a test makes of these parts. The tests include this
//! file as a module.

use tierup_codegen::{About, BuiltFor, Files, Parts, Project, Publishable, Target};
use tierup_model::Interface;

/// What `make` makes of a project called `word-count`, for which `built` was built for each of the platforms, with the
/// platform's name as its text.
pub(crate) fn with_parts<T>(targets: &[Target], built: &str, make: impl FnOnce(&Project, &Parts<'_>) -> T) -> T {
    let interface = Interface { package: "word-count".into(), version: "1.2.0-rc.1".into(), ..Interface::default() };
    let project = Project { interface, ..Project::default() };
    let about = About {
        license: "MIT OR Zlib".into(),
        description: "Counts <words> & lines.".into(),
        repository: Some("https://a.example/count".into()),
        licenses: Files::new().with("LICENSE", "as you like"),
        sbom: "{}".into(),
    };
    let of = |target: &Target| BuiltFor { target: *target, files: Files::new().with(built, target.name) };
    // Some tests have more files than this one.
    let built: Vec<_> = targets.iter().filter(|_| !built.is_empty()).map(of).collect();
    let common = Files::new().with("built.json", "{}");
    let parts = Parts {
        about: &about,
        targets,
        built: &built,
        common: &common,
        has_core: true,
        keeps_floors: true,
        is_split: false,
    };
    make(&project, &parts)
}

/// The text of a file in the package.
#[allow(dead_code, reason = "some tests read the packed file")]
pub(crate) fn text(made: &Publishable, name: &str) -> String {
    let found = made.files.get(name);
    String::from_utf8_lossy(found.unwrap_or_else(|| panic!("the package has no {name}"))).into_owned()
}

/// A package has the licence, the bill of materials and the record of what was built, and does not ask for a build: its
/// users have nothing to build.
#[allow(dead_code, reason = "a wheel has words of its own for this")]
pub(crate) fn check(made: &Publishable) {
    for end in ["LICENSE", "built.json", About::SBOM] {
        assert!(made.files.iter().any(|(name, _)| name.ends_with(end)), "{end}");
    }
    let tells = |(_, content): &(&str, &[u8])| String::from_utf8_lossy(content).contains("run `tierup build");
    assert_eq!(made.files.iter().find(tells), None);
}
