//! How a server comes to call the package: a new one (`tierup new`), and one that exists (`tierup init`).

use tierup_codegen::{
    Add, ByPath, Dependency, Depends, Files, HostSettings, Packaging, Project, Scaffold, ServerFolder, source::fill,
};

use crate::{Perl, names, package};

impl Packaging for Perl {
    fn package(&self, project: &Project, _: &HostSettings) -> Result<Files, String> {
        package::package(project)
    }

    /// A server for a project called `name`. It needs only Perl's core modules and the package.
    fn scaffold(&self, name: &str, _: &str) -> Scaffold {
        let module = names::module(name).unwrap_or_default();
        let files = Files::new()
            .with("Baseline.pm", include_str!("../templates/scaffold/Baseline.pm"))
            .with("server.pl", fill(include_str!("../templates/scaffold/server.pl"), &[("module", &module)]));
        let start = ["perl", "server.pl"].map(str::to_owned).into();
        Scaffold { files, start, baseline: "Baseline".to_owned() }
    }

    /// Perl finds modules by folder: a line in the server's source says which.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency {
        let module = names::module(&project.interface.package).unwrap_or_default();
        let lines = format!("use FindBin '$Bin';\nuse lib \"$Bin/{way}/lib\";\nuse Tierup::{module};");
        Dependency {
            add: Add::Lines { file: SOURCES[0], lines },
            is_there: Depends::in_sources(folder, &SOURCES, |text| text.contains(&format!("Tierup::{module}"))),
            by_path: ByPath { quoted: &[], plain: &["*.pl", "*.pm", "*.psgi"] },
        }
    }

    /// The lines that import a function from the package.
    fn adoption_hint(&self, project: &Project, _: &str, _: &dyn ServerFolder) -> String {
        let module = names::module(&project.interface.package).unwrap_or_default();
        format!(
            "    my $rust = Tierup::{module}->new(baseline => 'Your::Module');\n\n\
             `$rust->your_function(…)` is the same call at every tier. At tier 0 it is `Your::Module::your_function(…)`.\n"
        )
    }
}

/// The usual names of a server's first file. In a server without them, it is unknown whether it uses the package.
const SOURCES: [&str; 2] = ["server.pl", "app.psgi"];
