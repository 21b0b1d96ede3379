//! Makes PHP load tierup's code into every process of a server, before the server's own: adds a folder of settings to
//! the system's. The sensor (`profile`) and the witness (`witness`) use it.

use std::path::Path;

use tierup_codegen::Variable;

/// A file of settings in the private folder.
pub(crate) const SETTINGS: &str = "tierup.ini";

/// The private folder's path, if it can stand in quotes in PHP's settings.
///
/// # Errors
/// If it cannot.
pub(crate) fn folder(private: &Path) -> Result<String, String> {
    let folder = private.display().to_string();
    match folder.contains([':', '\'', '\n']) {
        true => {
            Err(format!("PHP cannot read settings from `{folder}`: set TMPDIR to a path without colons and quotes"))
        }
        false => Ok(folder),
    }
}

/// The variable that makes PHP read the settings in this folder.
pub(crate) fn variable(folder: &str) -> Variable {
    // The empty part before the first colon stands for the system's folder.
    Variable { name: "PHP_INI_SCAN_DIR", value: format!(":{folder}"), joined_by: Some(""), asked_by: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_folder_is_added_to_the_users_own() {
        let variable = variable(&folder(Path::new("/tmp/a b")).unwrap());
        assert_eq!(variable.beside(None), ":/tmp/a b");
        assert_eq!(variable.beside(Some("/etc/own")), "/etc/own:/tmp/a b");
        assert!(folder(Path::new("/tmp/a:b")).unwrap_err().contains("TMPDIR"));
    }
}
