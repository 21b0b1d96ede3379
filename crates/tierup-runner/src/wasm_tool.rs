//! Programs that hold Wasm tools: each is built in the user's cache when it is first needed, and reused from there.
//!
//! In: a program's sources, and a workshop with its cache. Out: the program's path, or why it cannot be built. It is
//! valid only with a matching digest beside it. After an interrupted or failed build, or if it is damaged, it is
//! rebuilt.

use std::{
    env::consts::EXE_SUFFIX,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use tierup_codegen::{Command, Files, ToolProgram};

use crate::{
    Error, Lock, Progress, Result, Workshop,
    copy::copy,
    files,
    process::{run, run_without},
};

/// The program for the workshop's machine, as machines may share a home folder. It is built by the workshop's
/// toolchain, or by the default one if that fails: a crate may be pinned to an older Rust than the tools need.
///
/// # Errors
/// [`Error::NoWasmTool`] if the program cannot be built, or [`Error::Interrupted`].
pub(crate) fn wasm_tool(
    tool: &'static ToolProgram,
    workshop: &Workshop,
    progress: &mut dyn Progress,
) -> Result<PathBuf> {
    let sources = tool.sources();
    let machine = &workshop.this_machine;
    let place = InstalledTool::new(tool, &workshop.cache, &sources, machine);
    if place.is_whole() {
        return Ok(place.program);
    }
    let environment: Vec<_> =
        workshop.environment.iter().filter(|(name, _)| [TOOLCHAIN, BUILD_FOLDER].contains(&&**name)).cloned().collect();
    place.build(&sources, machine, &environment, progress).map_err(|error| match error {
        Error::Interrupted => Error::Interrupted,
        cause => Error::NoWasmTool { program: tool, cause: Box::new(cause) },
    })?;
    Ok(place.program)
}

/// The variable that selects rustup's toolchain.
const TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";
/// The variable for the build folder that projects share. The workshop's other variables concern the user's crates.
const BUILD_FOLDER: &str = "CARGO_BUILD_BUILD_DIR";

struct InstalledTool {
    tool: &'static ToolProgram,
    folder: PathBuf,
    program: PathBuf,
    /// The file with the program's digest in hexadecimal, which is written last.
    digest: PathBuf,
}

impl InstalledTool {
    /// The place depends on the sources, so that versions of tierup can share a cache.
    fn new(tool: &'static ToolProgram, cache: &Path, sources: &Files, machine: &str) -> InstalledTool {
        let mut hash = Sha256::new();
        for (name, content) in sources.iter() {
            hash.update(format!("{name} {}\n", content.len()));
            hash.update(content);
        }
        let folder = cache.join(format!("{}-{}-{machine}", tool.name, &hex(&hash.finalize())[..16]));
        InstalledTool {
            program: folder.join(format!("{}{EXE_SUFFIX}", tool.name)),
            digest: folder.join(format!("{}.sha256", tool.name)),
            folder,
            tool,
        }
    }

    fn is_whole(&self) -> bool {
        let digest = fs::read(&self.program).map(|program| hex(&Sha256::digest(program)));
        digest.is_ok_and(|digest| fs::read_to_string(&self.digest).is_ok_and(|noted| noted == digest))
    }

    fn build(
        &self,
        sources: &Files,
        machine: &str,
        environment: &[(String, String)],
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let _lock = Lock::take(&self.folder.join("lock"), "tierup", |holder| {
            progress.started(&format!("wait for {holder}, which builds {}", self.tool.title));
        })?;
        // Another process may have built it meanwhile.
        if self.is_whole() {
            return Ok(());
        }
        let (source, target) = (self.folder.join("source"), self.folder.join("target"));
        files::write(sources, &source)?;
        progress.started(&format!(
            "build {} for {}, once for this version of tierup (some minutes), in {}",
            self.tool.title,
            self.tool.serves,
            self.folder.display()
        ));
        // These arguments override a target folder and a target in the user's configuration.
        let arguments = ["build", "--locked", "--profile", "tool", "--target", machine, "--target-dir", "../target"];
        let cargo = Command::new("cargo", arguments);
        let mut built = run(&cargo, &source, environment, progress);
        let names_toolchain = environment.iter().any(|(name, _)| name == TOOLCHAIN);
        if names_toolchain && matches!(built, Err(Error::Failed { .. })) {
            // tierup's own environment may name the same toolchain, so the variable is removed.
            built = match run_without(&cargo, &source, &[TOOLCHAIN], progress) {
                // The first error is reported, because it is about the toolchain that the user chose.
                Err(Error::Failed { .. }) => built,
                other => other,
            };
        }
        progress.finished();
        built?;
        let built = target.join(machine).join("tool").join(format!("{}{EXE_SUFFIX}", self.tool.name));
        copy(&built, &self.program)?;
        let program = fs::read(&self.program).map_err(Error::file("read", &self.program))?;
        files::write_file(&self.digest, hex(&Sha256::digest(program)).as_bytes())?;
        // The folder holds hundreds of megabytes of leftovers. A failure is ignored, because they only take space.
        let _ = fs::remove_dir_all(&target);
        Ok(())
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use tierup_codegen::WasmTool;

    use super::*;

    fn tool() -> &'static ToolProgram {
        WasmTool::Bind.program()
    }

    fn place(cache: &Path) -> InstalledTool {
        InstalledTool::new(tool(), cache, &Files::new().with("Cargo.toml", "[package]"), "a-b-c")
    }

    /// The test makes the states that an interrupted build leaves, and truncates a program.
    #[test]
    fn only_a_complete_program_counts() {
        let cache = tempfile::tempdir().unwrap();
        let place = place(cache.path());
        assert!(!place.is_whole());
        files::write_file(&place.program, b"program").unwrap();
        assert!(!place.is_whole());
        files::write_file(&place.digest, hex(&Sha256::digest(b"program")).as_bytes()).unwrap();
        assert!(place.is_whole());
        fs::write(&place.program, b"prog").unwrap();
        assert!(!place.is_whole());
    }

    #[test]
    fn other_sources_and_machines_have_other_places() {
        let of = |content: &str, machine| {
            InstalledTool::new(tool(), Path::new("c"), &Files::new().with("a", content), machine).folder
        };
        assert_eq!(of("1", "x"), of("1", "x"));
        assert_ne!(of("1", "x"), of("2", "x"));
        assert_ne!(of("1", "x"), of("1", "y"));
    }

    fn output(program: &mut std::process::Command) -> String {
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn rustc(argument: &str) -> std::process::Command {
        let mut rustc = std::process::Command::new("rustc");
        rustc.args(argument.split(' '));
        rustc
    }

    /// The toolchain that a build with `toolchain` finally used.
    fn built_by(toolchain: &str) -> String {
        let about = output(rustc("-vV").env_remove(TOOLCHAIN));
        let machine = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let cache = tempfile::tempdir().unwrap();
        let package = format!("name = {:?}\nversion = \"0.0.0\"\n", tool().name);
        let sources = Files::new()
            .with(
                "Cargo.toml",
                format!(
                    "[package]\n{package}edition = \"2024\"\n[workspace]\n[profile.tool]\ninherits = \"release\"\n"
                ),
            )
            .with("Cargo.lock", format!("version = 4\n\n[[package]]\n{package}"))
            .with(
                "src/main.rs",
                "fn main() { print!(\"{}\", option_env!(\"RUSTUP_TOOLCHAIN\").unwrap_or(\"none\")) }\n",
            );
        let place = InstalledTool::new(tool(), cache.path(), &sources, machine);
        place.build(&sources, machine, &[(TOOLCHAIN.into(), toolchain.into())], &mut crate::Quiet).unwrap();
        output(&mut std::process::Command::new(&place.program))
    }

    const MISSING: &str = "/no/such/toolchain";

    /// The toolchain is named by its folder, as its other names are not known on every machine.
    #[test]
    fn the_workshops_toolchain_builds_the_tool() {
        let sysroot = output(&mut rustc("--print sysroot")).trim().to_owned();
        assert_eq!(built_by(&sysroot), sysroot);
        // A toolchain that does not exist cannot build the tool, so the default one does.
        assert_ne!(built_by(MISSING), sysroot);
    }

    /// rustup sets the variable for all programs that it runs, so tierup's own environment may contain it.
    #[test]
    fn the_default_toolchain_is_not_that_of_our_environment() {
        if std::env::var(TOOLCHAIN).is_ok_and(|toolchain| toolchain == MISSING) {
            assert_ne!(built_by(MISSING), MISSING);
            return;
        }
        // The test runs itself again with this environment.
        let name = "wasm_tool::tests::the_default_toolchain_is_not_that_of_our_environment";
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let report = output(again.args(["--exact", name]).env(TOOLCHAIN, MISSING));
        assert!(report.contains("1 passed"), "{report}");
    }

    /// The sources cannot be built, as if the machine could not build valid ones.
    #[test]
    fn a_failed_build_leaves_no_valid_program() {
        let cache = tempfile::tempdir().unwrap();
        let place = place(cache.path());
        let sources = Files::new().with("Cargo.toml", "[package");
        let failed = place.build(&sources, "a-b-c", &[], &mut crate::Quiet);
        assert!(matches!(failed, Err(Error::Failed { .. })), "{failed:?}");
        assert!(!place.is_whole());
    }
}
