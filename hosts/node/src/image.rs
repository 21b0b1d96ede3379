//! Node's part of a server's Dockerfile.

use tierup_codegen::{Image, ServerFolder, System, pinned};

use crate::manager::{self, MANIFEST, Manager};

/// The image of a server whose dependencies npm installs.
///
/// # Errors
/// If another program does.
pub(crate) fn image(folder: &dyn ServerFolder, system: System) -> Result<Image, String> {
    let found = manager::found(folder);
    if found.manager != Manager::Npm || !found.root.is_empty() {
        return Err(format!(
            "its server's dependencies are installed by {} (by {}), and tierup writes Dockerfiles for npm in the server's own folder",
            found.manager.program(),
            found.by
        ));
    }
    let engines = manager::json(folder, MANIFEST)["engines"]["node"].as_str().map(str::to_owned);
    let node = pinned(&[folder.read(".nvmrc"), folder.read(".node-version"), engines], 1, NODE);
    let tag = system.tag();
    let slim = if system == System::Debian { "-slim" } else { "" };
    let has_tools = manager::json(folder, MANIFEST)["devDependencies"].is_object();
    let manifests = [Some(MANIFEST), found.lock_file].into_iter().flatten().map(str::to_owned);
    let ready = "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))";
    Ok(Image {
        build: format!("node:{node}-{tag}"),
        run: format!("node:{node}-{tag}{slim}"),
        libc: system.libc(),
        manifests: manifests.collect(),
        install: vec![found.manager.install(found.lock_file.is_some()).to_string()],
        unpack: "mkdir -p .tierup/node && tar -xzf $PACKAGE -C .tierup/node --strip-components=1".to_owned(),
        // They may build the server.
        trim: has_tools.then(|| "npm prune --omit=dev --no-audit --no-fund".to_owned()),
        is_alone: false,
        healthcheck: ["node", "-e", ready].map(str::to_owned).into(),
    })
}

/// The version for a server that names none.
const NODE: &str = "22";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installed::test_folder;

    #[test]
    fn servers_of_other_managers_are_refused() {
        let of = |files: &[(&str, &str)]| image(&test_folder(files), System::Alpine);
        let asks = of(&[("package.json", r#"{ "engines": { "node": ">=20.15" } }"#), ("package-lock.json", "{}")]);
        let asks = asks.unwrap();
        assert_eq!((&*asks.run, &*asks.install[0]), ("node:20-alpine3.22", "npm ci --no-audit --no-fund"));
        let refused = of(&[("package.json", "{}"), ("pnpm-lock.yaml", "")]).unwrap_err();
        assert!(refused.contains("pnpm (by pnpm-lock.yaml)"), "{refused}");
    }
}
