//! The user's `[profile.release]`, so that the tiers compute as in the user's own release build: `overflow-checks`
//! turns a wrong number into a panic, `opt-level` and `lto` decide the speed.
//!
//! In: the generated manifest, and the user's. Out: the generated manifest with the copied settings, and the names of
//! the other settings.

use toml_edit::{DocumentMut, Item, TableLike};

/// The settings that are copied. The others do not change the code (`debug`, `strip`), or would keep tierup from
/// turning a panic into an answer (`panic`).
const TAKEN: &[&str] = &["opt-level", "overflow-checks", "debug-assertions", "lto", "codegen-units"];
/// Profiles within a profile: for single packages by name, and for build scripts and macros.
const PACKAGES: &str = "package";
const BUILD: &str = "build-override";

/// Copies the user's profile into the generated manifest. Returns the names of the settings that were left out.
pub(crate) fn add(own: &mut DocumentMut, users: &DocumentMut) -> Vec<String> {
    let mut left_out = Vec::new();
    let Some(theirs) = users.get("profile").and_then(|profiles| profiles.get("release")?.as_table_like()) else {
        return left_out;
    };
    let ours = &mut own["profile"]["release"];
    for (key, value) in theirs.iter() {
        match (key, value.as_table_like()) {
            (PACKAGES, Some(packages)) => {
                for (package, settings) in packages.iter() {
                    let Some(settings) = settings.as_table_like() else { continue };
                    take(&mut ours[PACKAGES][package], settings, &format!("{PACKAGES}.{package}."), &mut left_out);
                }
            }
            (BUILD, Some(settings)) => take(&mut ours[BUILD], settings, &format!("{BUILD}."), &mut left_out),
            _ => take_one(ours, key, value, "", &mut left_out),
        }
    }
    left_out
}

fn take(ours: &mut Item, theirs: &dyn TableLike, place: &str, left_out: &mut Vec<String>) {
    for (key, value) in theirs.iter() {
        take_one(ours, key, value, place, left_out);
    }
}

fn take_one(ours: &mut Item, key: &str, value: &Item, place: &str, left_out: &mut Vec<String>) {
    if TAKEN.contains(&key) {
        ours[key] = value.clone();
    } else if (key, value.as_str()) != ("panic", Some("unwind")) {
        left_out.push(format!("{place}{key}"));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(users: &str, expected: Expect) {
        let mut own: DocumentMut =
            "[profile.release]\nlto = \"fat\"\npanic = \"unwind\"\n".parse().expect("it is TOML");
        let left_out = add(&mut own, &users.parse().expect("it is TOML"));
        expected.assert_eq(&format!("{own}left out: {}\n", left_out.join(", ")));
    }

    #[test]
    fn settings_that_change_the_code_are_copied_and_panics_unwind() {
        check(
            "[profile.release]\noverflow-checks = true\nlto = false\nopt-level = \"s\"\ncodegen-units = 4\npanic = \"abort\"\nstrip = true\n",
            expect![[r#"
                [profile.release]
                lto = false
                panic = "unwind"
                overflow-checks = true
                opt-level = "s"
                codegen-units = 4
                left out: panic, strip
            "#]],
        );
    }

    #[test]
    fn profiles_of_single_packages_are_copied() {
        check(
            "[profile.release.package.image]\nopt-level = 3\ndebug = 1\n[profile.release.package.\"*\"]\noverflow-checks = true\n\
             [profile.release.build-override]\nopt-level = 0\n",
            expect![[r#"
                [profile.release]
                lto = "fat"
                panic = "unwind"
                package = { image = { opt-level = 3}, "*" = { overflow-checks = true} }
                build-override = { opt-level = 0}
                left out: package.image.debug
            "#]],
        );
    }

    #[test]
    fn only_profile_release_is_copied() {
        check(
            "[profile.dev]\nopt-level = 1\n[profile.release]\npanic = \"unwind\"\n",
            expect![[r#"
                [profile.release]
                lto = "fat"
                panic = "unwind"
                left out: 
            "#]],
        );
    }
}
