//! The bill of materials: which crates are linked into a package, in CycloneDX's JSON
//! (<https://cyclonedx.org/docs/1.5/json/>). It has no time and no random number, so that a package that is made twice is
//! the same.

use serde_json::{Value, json};

use super::metadata::{Metadata, Package};

/// The bill of the crate `own`, into which the other crates are linked.
pub(super) fn sbom(own: &Package, linked: &[&Package], metadata: &Metadata) -> String {
    let known = |id: &str| linked.iter().find(|package| package.id == id).map(|package| reference(package));
    let dependencies = [own].into_iter().chain(linked.iter().copied()).map(|package| {
        let on: Vec<_> = metadata.linked_by(&package.id).filter_map(known).collect();
        json!({ "ref": reference(package), "dependsOn": on })
    });
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "tools": { "components": [{ "type": "application", "name": "tierup", "version": env!("CARGO_PKG_VERSION") }] },
            "component": component(own),
        },
        "components": linked.iter().map(|package| component(package)).collect::<Vec<_>>(),
        "dependencies": dependencies.collect::<Vec<_>>(),
    });
    format!("{bill:#}\n")
}

fn component(package: &Package) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
    });
    if let Some(license) = &package.license {
        // Old crates separate licences by a slash.
        component["licenses"] = match spdx::Expression::canonicalize(license) {
            Ok(canonical) => json!([{ "expression": canonical.as_deref().unwrap_or(license) }]),
            Err(_) => json!([{ "license": { "name": license } }]),
        };
    }
    if let Some(address) = package_url(package) {
        component["purl"] = json!(address);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

/// Unique in a bill, as two versions of a crate may be linked.
fn reference(package: &Package) -> String {
    format!("{}@{}", package.name, package.version)
}

/// The address of a crate that cargo's own registry has (<https://github.com/package-url/purl-spec>). Crates of the same
/// name may be elsewhere, so others have none.
fn package_url(package: &Package) -> Option<String> {
    let is_public = package.source.as_deref().is_some_and(|source| source.ends_with("/crates.io-index"));
    // A purl escapes the plus sign of a version's build.
    is_public.then(|| format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_names_crates_with_licences_addresses_and_dependencies() {
        let package = |name: &str, source: Value, license: &str| {
            json!({ "id": name, "name": name, "version": "1.0.0+b", "license": license, "authors": [], "description": null,
                "repository": "https://a.example/r", "manifest_path": "/x/Cargo.toml", "source": source, "targets": [] })
        };
        let public = json!("registry+https://github.com/rust-lang/crates.io-index");
        let dependency = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("own", Value::Null, "MIT"), package("old", public, "MIT/Apache-2.0"),
                package("theirs", json!("registry+https://a.example/index"), "as you like"),
            ],
            "resolve": { "nodes": [{ "id": "own", "deps": [dependency("old", Value::Null), dependency("theirs", json!("dev"))] }] },
        });
        let metadata = Metadata::read(&metadata.to_string()).unwrap();
        let [own, old, theirs] = ["own", "old", "theirs"].map(|id| metadata.package(id).unwrap());
        let bill: Value = serde_json::from_str(&sbom(own, &[old, theirs], &metadata)).unwrap();
        assert_eq!(bill["metadata"]["component"]["name"], "own");
        let [old, theirs] = [0, 1].map(|place| &bill["components"][place]);
        assert_eq!(old["licenses"], json!([{ "expression": "MIT OR Apache-2.0" }]));
        assert_eq!(theirs["licenses"], json!([{ "license": { "name": "as you like" } }]));
        assert_eq!((&old["purl"], &theirs["purl"]), (&json!("pkg:cargo/old@1.0.0%2Bb"), &Value::Null));
        assert_eq!(bill["dependencies"][0], json!({ "ref": "own@1.0.0+b", "dependsOn": ["old@1.0.0+b"] }));
    }
}
