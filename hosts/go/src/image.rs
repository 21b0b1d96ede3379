//! Go's part of a server's Dockerfile.

use tierup_codegen::{Image, Libc, ServerFolder, System, Tier, pinned};

/// The image of a server, which has everything in its program.
///
/// # Errors
/// If the tier is not for this system, as the object files and programs of a package need glibc; or if the server has a
/// copy of the package.
pub(crate) fn image(name: &str, folder: &dyn ServerFolder, system: System, tier: Tier) -> Result<Image, String> {
    if system == System::Alpine && tier != Tier::Wasm {
        return Err("on Alpine, Go's package has tier 2 only, as its object files need glibc: add --tier 2".to_owned());
    }
    if folder.exists("vendor/modules.txt") {
        return Err("its vendor/ has the function without its compiled files, and Go would take that: remove vendor/"
            .to_owned());
    }
    let is_version = |line: &&str| line.starts_with("go ");
    let asked = folder.read("go.mod").and_then(|text| text.lines().find(is_version).map(str::to_owned));
    let go = pinned(&[asked], 2, GO);
    // Without a C compiler, as on Alpine, Go compiles without cgo.
    let run = if system == System::Alpine { "alpine:3.22" } else { "debian:bookworm-slim" };
    Ok(Image {
        build: format!("golang:{go}-{}", system.tag()),
        run: run.to_owned(),
        libc: Libc::Gnu,
        manifests: folder.names("").into_iter().filter(|name| ["go.mod", "go.sum"].contains(&&**name)).collect(),
        install: vec!["go mod download".to_owned()],
        unpack: format!("tar -xzf $PACKAGE -C tierup/{name}/go"),
        is_alone: true,
        ..Image::of(system)
    })
}

/// The version for a module that names none.
const GO: &str = "1.25";
