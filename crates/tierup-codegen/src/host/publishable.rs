//! A package that others install without Rust: a host's package with the files that were built for each platform.

use crate::{Command, Files, Machine, Target, source::published};

/// What the user's crate says of itself, for the manifest of its package.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// An SPDX expression.
    pub license: String,
    pub description: String,
    pub repository: Option<String>,
    /// The license texts of the user's crate, and of the crates that are linked into the build.
    pub licenses: Files,
    /// What is linked into the build: a bill of materials in CycloneDX's JSON.
    pub sbom: String,
}

impl About {
    /// The name of the bill of materials, as CycloneDX's specification recommends it.
    pub const SBOM: &str = "bom.cdx.json";

    /// The files that go beside the manifest.
    pub fn documents(&self) -> Files {
        self.licenses.clone().with(Self::SBOM, &*self.sbom)
    }

    /// The licence for package managers that know no expressions: a list to choose from, or the expression itself.
    pub fn choices(&self) -> Vec<&str> {
        let choices: Vec<_> = self.license.split(" OR ").collect();
        let is_choice = choices.iter().all(|one| !one.contains(['(', ')']) && !one.contains(" AND "));
        if is_choice { choices } else { vec![&self.license] }
    }
}

/// The files built for one platform, relative to the host's package.
#[derive(Debug, Clone)]
pub struct BuiltFor {
    pub target: Target,
    pub files: Files,
}

/// Everything that a package is made of.
#[derive(Debug)]
pub struct Parts<'a> {
    pub about: &'a About,
    /// All platforms, even before anything is built.
    pub targets: &'a [Target],
    pub built: &'a [BuiltFor],
    /// Files that are the same for all platforms: the Wasm module, and the record of what was built.
    pub common: &'a Files,
    /// Whether `2:core` was built; some crates do not compile to Wasm.
    pub has_core: bool,
    /// Whether the build was linked for [`Target::floor`] instead of this machine's own version.
    pub keeps_floors: bool,
    /// Whether each platform's files are to be a package of their own, if the host [splits](super::Packaging::splits).
    pub is_split: bool,
}

impl Parts<'_> {
    /// # Errors
    /// One of the platforms does not fit: the reason, and what to leave out.
    pub fn only(&self, fits: impl Fn(&Machine) -> bool, reason: &str) -> Result<(), String> {
        match self.targets.iter().find(|target| !fits(&target.machine())) {
            Some(target) => Err(format!("{reason}; leave out {}", target.name)),
            None => Ok(()),
        }
    }

    /// [`Parts::only`] this machine's system, for a host whose extension is compiled with the headers of its own program.
    ///
    /// # Errors
    /// One of the platforms has another system.
    pub fn only_with_headers(&self, program: &str) -> Result<(), String> {
        let this = Machine::this().os;
        let reason = format!("its extension is compiled with this machine's {program}, whose headers are for {this:?}");
        self.only(|machine| machine.os == this, &reason)
    }

    /// The files of a package: the host's own, without hints to build, the common ones, the documents of the crate, and
    /// those that were built for the platforms that have a `place` for them.
    pub fn files(&self, own: &Files, place: impl Fn(&Target, &str) -> Option<String>) -> Files {
        let mut files = Files::new();
        for (name, content) in own.iter() {
            match str::from_utf8(content) {
                Ok(text) => files.add(name, published(text)),
                Err(_) => files.add(name, content),
            }
        }
        self.common.iter().chain(self.about.documents().iter()).for_each(|(name, content)| files.add(name, content));
        for BuiltFor { target, files: built } in self.built {
            for (name, content) in built.iter() {
                place(target, name).into_iter().for_each(|name| files.add(name, content));
            }
        }
        files
    }

    /// The rows at which a trial makes the golden call.
    pub fn tried(&self) -> impl Iterator<Item = &'static str> + use<> {
        let has_core = self.has_core;
        ["1:pool", "2:core", "3:native"].into_iter().filter(move |row| *row != "2:core" || has_core)
    }
}

/// How the files of a package become one.
#[derive(Debug, Clone)]
pub enum Pack {
    /// Run in the folder with the files; it leaves the packed file in the folder above.
    Run(Command),
    /// A `.tar.gz` of the files.
    TarGz,
    /// Run in the folder with the files. The packed file is a `.tar.gz` of what is then in `folder` there.
    RunThenTarGz { command: Command, folder: String },
}

/// A package, before it is packed.
#[derive(Debug, Clone)]
pub struct Publishable {
    /// The packed file's name.
    pub file: String,
    pub files: Files,
    pub pack: Pack,
    /// Commands for a folder that holds only `file` and the packages before it: they install it, and make the golden
    /// call at each tier.
    pub trial: Vec<Command>,
    /// The one platform that it is for; `None` if it is for all that were built.
    pub only_for: Option<Target>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_licences_is_a_list() {
        let choices = |license: &str| About { license: license.to_owned(), ..About::default() }.choices().join(", ");
        assert_eq!(choices("MIT OR Apache-2.0"), "MIT, Apache-2.0");
        assert_eq!(choices("(MIT OR Zlib) AND BSD-3-Clause"), "(MIT OR Zlib) AND BSD-3-Clause");
    }
}
