//! Wheels for others to install: one for each platform, with the package's modules and its built files.

use tierup_codegen::{
    About, BuiltFor, Command, Files, HostSettings, Libc, Os, Pack, Packaging as _, Parts, Project, Publishable, Target,
};

use crate::{Python, names, package, source::literal};

/// The wheels.
///
/// # Errors
/// If Python could not import a package of this name.
pub(crate) fn wheels(project: &Project, parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
    if !parts.keeps_floors {
        return Err("a wheel says which glibc it needs, and cargo-zigbuild links for an old one: add --yes".to_owned());
    }
    parts.built.iter().map(|built| wheel(project, parts, built)).collect()
}

fn wheel(project: &Project, parts: &Parts<'_>, built: &BuiltFor) -> Result<Publishable, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let version = package::version(&interface.version);
    // By the naming of wheels: https://packaging.python.org/en/latest/specifications/binary-distribution-format
    let name = interface.package.replace('-', "_").to_lowercase();
    let information = format!("{name}-{version}.dist-info");
    let source = format!("src/{module}/");
    let package = Python.package(project, &HostSettings::default())?;
    let mut files = Files::new();
    for (path, content) in package.iter().chain(built.files.iter()).chain(parts.common.iter()) {
        match path.strip_prefix(&source) {
            Some(inside) => files.add(format!("{module}/{inside}"), content),
            None if path == "built.json" => files.add(format!("{module}/built.json"), content),
            None => {}
        }
    }
    let licenses: Vec<_> = parts.about.licenses.iter().map(|(name, _)| name).collect();
    let readme = String::from_utf8_lossy(package.get("README.md").unwrap_or_default()).into_owned();
    // Users who install a wheel have no folder to build in.
    let readme = readme.split_once("## Installing").map_or(&*readme, |(before, _)| before).trim_end();
    let repository = parts.about.repository.iter().map(|url| format!("Project-URL: Repository, {url}\n"));
    let license_files = licenses.iter().map(|name| format!("License-File: {name}\n"));
    let metadata = format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {version}\nSummary: {}\nLicense-Expression: {}\n{}{}\
         Requires-Python: >=3.9\nProvides-Extra: wasm\nRequires-Dist: wasmtime>=40; extra == \"wasm\"\n\
         Description-Content-Type: text/markdown\n\n{readme}\n",
        interface.package,
        parts.about.description.lines().next().unwrap_or_default(),
        parts.about.license,
        license_files.collect::<String>(),
        repository.collect::<String>(),
    );
    let platform = platform(&built.target);
    let tag = format!("cp39-abi3-{platform}");
    files.add(format!("{information}/METADATA"), metadata);
    files.add(
        format!("{information}/WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: tierup\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    );
    files.add(
        format!("{information}/entry_points.txt"),
        format!("[console_scripts]\n{} = {module}.__main__:main\n", interface.package),
    );
    files.extend_below(&format!("{information}/licenses"), parts.about.licenses.clone());
    // PEP 770.
    files.add(format!("{information}/sboms/{}", About::SBOM), &*parts.about.sbom);
    let file = format!("{name}-{version}-{tag}.whl");
    // The package `wheel` could do this, but few have it.
    let script = include_str!("../templates/wheel/pack.py");
    let pack = Pack::Run(Command::new("python3", ["-I", "-c", script, &*format!("../{file}"), &*information]));
    let check = if project.health.is_some() { "check_health" } else { "ready" };
    let call = |tier: &str| {
        let script = format!(
            "import {module}\nrust = {module}.bind(tier={})\nrust.ready()\nrust.{check}()\nrust.close()",
            literal(tier)
        );
        Command::new("environment/bin/python", ["-c", &*script])
    };
    let install = ["install", "--quiet", "--disable-pip-version-check", "--no-index", &*format!("./{file}")];
    let trial = vec![
        Command::new("python3", ["-m", "venv", "environment"]),
        Command::new("environment/bin/pip", install),
        call("1:pool"),
        call("3:native"),
    ];
    Ok(Publishable { file, files, pack, trial, only_for: Some(built.target) })
}

/// The tag of a platform: https://packaging.python.org/en/latest/specifications/platform-compatibility-tags
fn platform(target: &Target) -> String {
    let machine = target.machine();
    let floor = target.floor.unwrap_or_default().replace('.', "_");
    match (machine.os, machine.libc) {
        (Os::Linux, Some(Libc::Musl)) => format!("musllinux_1_2_{}", machine.arch),
        (Os::Linux | Os::Other, _) => format!("manylinux_{floor}_{}", machine.arch),
        (Os::MacOs, _) if machine.arch == "aarch64" => format!("macosx_{floor}_arm64"),
        (Os::MacOs, _) => format!("macosx_{floor}_x86_64"),
        (Os::Windows, _) => "win_amd64".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{text, with_parts};

    #[test]
    fn a_wheel_has_metadata_and_built_files() {
        let made = with_parts(&[Target::ALL[2]], "src/word_count/artifacts/word-count", |project, parts| {
            let unsure = Parts { keeps_floors: false, ..*parts };
            assert!(wheels(project, &unsure).unwrap_err().contains("--yes"));
            wheels(project, parts).unwrap()
        });
        let [wheel] = &made[..] else { panic!("one wheel for one platform") };
        assert_eq!(wheel.file, "word_count-1.2.0rc1-cp39-abi3-musllinux_1_2_x86_64.whl");
        let metadata = text(wheel, "word_count-1.2.0rc1.dist-info/METADATA");
        let head = "Metadata-Version: 2.4\nName: word-count\nVersion: 1.2.0rc1\nSummary: Counts <words> & lines.\n\
                    License-Expression: MIT OR Zlib\nLicense-File: LICENSE\n";
        assert!(metadata.starts_with(head), "{metadata}");
        assert!(
            text(wheel, "word_count-1.2.0rc1.dist-info/WHEEL").ends_with("\nTag: cp39-abi3-musllinux_1_2_x86_64\n")
        );
        assert_eq!(text(wheel, "word_count/artifacts/word-count"), "linux-x64-musl");
        for name in ["built.json", "py.typed", "__init__.pyi"] {
            assert!(wheel.files.get(&format!("word_count/{name}")).is_some(), "{name}");
        }
    }

    #[test]
    fn platforms_have_tags_that_installers_know() {
        let tags = Target::ALL.map(|target| platform(&target));
        let expected = [
            "manylinux_2_17_x86_64", "manylinux_2_17_aarch64", "musllinux_1_2_x86_64", "musllinux_1_2_aarch64",
            "macosx_11_0_x86_64", "macosx_11_0_arm64", "win_amd64",
        ];
        assert_eq!(tags, expected);
    }
}
