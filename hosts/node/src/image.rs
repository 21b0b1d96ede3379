//! Node's part of a server's Dockerfile.

use serde_json::Value;
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
    let manifest = manager::json(folder, MANIFEST);
    let engines = manifest["engines"]["node"].as_str().map(str::to_owned);
    let node = pinned(&[folder.read(".nvmrc"), folder.read(".node-version"), engines], 1, NODE);
    let tag = system.tag();
    let slim = if system == System::Debian { "-slim" } else { "" };
    let has_tools = manifest["devDependencies"].is_object();
    let settings = folder.read(NPMRC);
    let is_secret = settings.as_ref().is_some_and(|text| ["_auth", "_password"].iter().any(|key| text.contains(key)));
    let manifests = match folder.exists(MANIFEST) {
        true if needs_more(&manifest) => vec!["."],
        true => [Some(MANIFEST), found.lock_file, settings.filter(|_| !is_secret).map(|_| NPMRC)]
            .into_iter()
            .flatten()
            .collect(),
        false => Vec::new(),
    };
    let mount = if is_secret {
        "--mount=type=secret,id=npmrc,required=true NPM_CONFIG_USERCONFIG=/run/secrets/npmrc "
    } else {
        ""
    };
    let ready = "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))";
    Ok(Image {
        build: format!("node:{node}-{tag}"),
        run: format!("node:{node}-{tag}{slim}"),
        manifests: manifests.into_iter().map(str::to_owned).collect(),
        install: vec![format!("{mount}{}", found.manager.install(found.lock_file.is_some()))],
        secret: is_secret.then_some(("npmrc", NPMRC)),
        unpack: "mkdir -p .tierup/node && tar -xzf $PACKAGE -C .tierup/node --strip-components=1".to_owned(),
        // They may build the server.
        trim: has_tools.then(|| "npm prune --omit=dev --no-audit --no-fund".to_owned()),
        healthcheck: ["node", "-e", ready].map(str::to_owned).into(),
        // Express answers with stack traces otherwise.
        variables: " NODE_ENV=production",
        ..Image::of(system)
    })
}

/// Whether an installation runs the server's own scripts, or links folders of the server.
fn needs_more(manifest: &Value) -> bool {
    let scripts = ["preinstall", "install", "postinstall", "prepare"];
    let is_own = |version: &Value| {
        let folder = version.as_str().and_then(|version| version.strip_prefix("file:"));
        folder.is_some_and(|folder| !["..", "tierup/", "./tierup/"].iter().any(|start| folder.starts_with(start)))
    };
    let kinds = ["dependencies", "devDependencies", "optionalDependencies"].map(|kind| manifest[kind].as_object());
    scripts.iter().any(|script| manifest["scripts"][script].is_string())
        || !manifest["workspaces"].is_null()
        || kinds.into_iter().flatten().flatten().any(|(_, version)| is_own(version))
}

/// npm's settings in the server's folder.
const NPMRC: &str = ".npmrc";

/// The version for a server that names none.
const NODE: &str = "22";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::test_folder;

    #[test]
    fn servers_of_other_managers_are_refused() {
        let of = |files: &[(&str, &str)]| image(&test_folder(files), System::Alpine);
        let asks = of(&[("package.json", r#"{ "engines": { "node": ">=20.15" } }"#), ("package-lock.json", "{}")]);
        let asks = asks.unwrap();
        assert_eq!((&*asks.run, &*asks.install[0]), ("node:22-alpine3.22", "npm ci --no-audit --no-fund"));
        let refused = of(&[("package.json", "{}"), ("pnpm-lock.yaml", "")]).unwrap_err();
        assert!(refused.contains("pnpm (by pnpm-lock.yaml)"), "{refused}");
    }

    #[test]
    fn npm_has_the_files_that_it_needs() {
        let of = |manifest: &'static str, settings: &'static str| {
            image(&test_folder(&[("package.json", manifest), (".npmrc", settings)]), System::Debian).unwrap()
        };
        assert_eq!(of("{}", "legacy-peer-deps=true").manifests, ["package.json", ".npmrc"]);
        for more in [
            r#"{ "scripts": { "postinstall": "node make.js" } }"#,
            r#"{ "workspaces": ["lib"] }"#,
            r#"{ "dependencies": { "lib": "file:lib" } }"#,
        ] {
            assert_eq!(of(more, "").manifests, ["."], "{more}");
        }
        assert_eq!(
            of(r#"{ "dependencies": { "slug": "file:../tierup/slug" } }"#, "").manifests,
            ["package.json", ".npmrc"]
        );
        let private = of("{}", "//npm.example/:_authToken=s3cret");
        assert_eq!((private.manifests, private.secret), (vec!["package.json".to_owned()], Some(("npmrc", ".npmrc"))));
        assert!(private.install[0].starts_with("--mount=type=secret,id=npmrc,"), "{:?}", private.install);
    }
}
