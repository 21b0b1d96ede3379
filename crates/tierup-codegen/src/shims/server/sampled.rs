//! Tier 4 for a profiler: the server built with symbols, its sensor, and whose code its frames are.
//!
//! The build has a target folder of its own, so that neither build replaces the other's files.

use std::path::PathBuf;

use super::{binary, server};
use crate::{
    Command, FrameKind as Kind, FramePart, FrameRule, Machine, Owner, PackageEnds, Pattern, Project, Sensor, Server,
    Step, Symbols, perf,
};

const TARGET: &str = "target/with-symbols";

/// The steps that build the server's program with symbols and frame pointers, and the built program. `None` for a
/// project without tier 4.
pub fn with_symbols(project: &Project) -> Option<(Vec<Step>, PathBuf)> {
    let mut steps = server(project, &Machine::this()).steps;
    let mut program = None;
    for step in &mut steps {
        step.commands_mut().into_iter().for_each(described);
        if let Step::Copy { from, to } = step {
            // Only the target folder changes; the path below it stays.
            let parts = from.iter().skip_while(|part| *part != crate::THIS_MACHINE);
            *from = PathBuf::from(TARGET).join(parts.collect::<PathBuf>());
            *to = PathBuf::from(TARGET).join(to.file_name()?);
            program = Some(to.clone());
        }
    }
    program.map(|program| (steps, program))
}

fn described(build: &mut Command) {
    if let Some(folder) = build.arguments.iter().position(|argument| argument == "--target-dir") {
        build.arguments[folder + 1] = TARGET.to_owned();
    }
    // Set in the configuration of a target, where they join the user's own flags.
    let settings = [
        r#"profile.release.debug="line-tables-only""#,
        r#"profile.release.strip="none""#,
        r#"target."cfg(all())".rustflags=["-Cforce-frame-pointers=yes"]"#,
    ];
    build.arguments.extend(settings.iter().flat_map(|setting| ["--config", setting]).map(str::to_owned));
}

/// Samples the server.
pub fn sensor() -> Sensor {
    perf(Symbols::OF_PROGRAM, Vec::new())
}

/// The owner of a frame's code, by the crate that its name begins with. `name_of` makes a name `'static`, as rules
/// need.
pub fn frames(project: &Project, name_of: impl Fn(String) -> &'static str) -> Vec<FrameRule> {
    let package = &project.interface.package;
    let of_crate = |name: &str| {
        let name = name.replace('-', "_");
        [name_of(format!("{name}::")), name_of(format!("<{name}::"))]
    };
    let mut rules = vec![FrameRule::NATIVE];
    rules.extend(BEFORE);
    let program = of_crate(&binary(&project.interface));
    let is_own = matches!(project.server, Server::Own { .. });
    rules.extend(program.map(|start| match is_own {
        true => FrameRule::function(Pattern::Starts(start), Kind::Own),
        false => generated(start),
    }));
    rules.extend(["tierup_json::", "<tierup_json::"].map(generated));
    rules.extend(of_crate(package).map(|start| FrameRule::function(Pattern::Starts(start), Kind::Own)));
    rules.extend(BEHIND);
    rules
}

const fn generated(start: &'static str) -> FrameRule {
    FrameRule {
        part: FramePart::Function,
        pattern: Pattern::Starts(start),
        owner: Owner::Named(crate::frames::GENERATED),
    }
}

const fn starts(start: &'static str, kind: Kind) -> FrameRule {
    FrameRule::function(Pattern::Starts(start), kind)
}

const BEFORE: &[FrameRule] = &[
    starts("std::net::", Kind::Io),
    starts("<std::net::", Kind::Io),
    starts("<&std::net::", Kind::Io),
    starts("std::fs::", Kind::Io),
    starts("<std::fs::", Kind::Io),
    starts("mio::", Kind::Io),
    starts("<mio::", Kind::Io),
    starts("tokio::net::", Kind::Io),
    starts("<tokio::net::", Kind::Io),
    starts("std::", Kind::Runtime),
    starts("<std::", Kind::Runtime),
    starts("core::", Kind::Runtime),
    starts("<core::", Kind::Runtime),
    starts("alloc::", Kind::Runtime),
    starts("<alloc::", Kind::Runtime),
    starts("<&", Kind::Runtime),
    starts("<[", Kind::Runtime),
    starts("<(", Kind::Runtime),
    starts("__rust", Kind::Runtime),
    starts("__rdl", Kind::Runtime),
];

const BEHIND: &[FrameRule] = &[
    FrameRule {
        part: FramePart::Function,
        pattern: Pattern::Contains("::"),
        owner: Owner::Package { marker: "", ends: PackageEnds::Crate },
    },
    // C code and the allocator.
    FrameRule::function(Pattern::Without("::"), Kind::Native),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_with_symbols_has_a_folder_of_its_own() {
        let mut build = Command::new("cargo", ["build", "--target-dir", "target", "--release"]);
        described(&mut build);
        assert_eq!(build.arguments[..4], ["build", "--target-dir", "target/with-symbols", "--release"]);
        assert!(build.arguments.iter().any(|argument| argument.contains("force-frame-pointers")));
    }
}
