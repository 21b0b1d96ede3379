//! How PHP loads our own code into every process of a server, before the server's own: a folder of settings beside those of the
//! system. For the sensor (`profile`) and the witness (`witness`).

use std::path::Path;

use tierup_codegen::Variable;

/// A file of settings in the private folder.
pub(crate) const SETTINGS: &str = "tierup.ini";

/// The private folder's path, as it can stand in quotes in PHP's settings.
///
/// # Errors
/// It cannot.
pub(crate) fn folder(private: &Path) -> Result<String, String> {
    let folder = private.display().to_string();
    match folder.contains([':', '\'', '\n']) {
        true => {
            Err(format!("PHP cannot read settings from `{folder}`: set TMPDIR to a path without colons and quotes"))
        }
        false => Ok(folder),
    }
}

/// The variable that has PHP read the settings in this folder.
pub(crate) fn variable(folder: &str) -> Variable {
    // The part before the first colon is the folder of the system.
    Variable { name: "PHP_INI_SCAN_DIR", value: format!(":{folder}"), joined_by: Some(""), asked_by: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_folder_joins_the_settings() {
        let variable = variable(&folder(Path::new("/tmp/a b")).unwrap());
        assert_eq!(variable.beside(None), ":/tmp/a b");
        assert_eq!(variable.beside(Some("/etc/own")), "/etc/own:/tmp/a b");
        assert!(folder(Path::new("/tmp/a:b")).unwrap_err().contains("TMPDIR"));
    }
}
