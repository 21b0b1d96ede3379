//! The password, as other programs for Postgres find it: `PGPASSWORD`, or a file of lines
//! `HOST:PORT:DATABASE:USER:PASSWORD`, which `PGPASSFILE` names or which is `~/.pgpass`.

use std::{env, fs, io, os::unix::fs::PermissionsExt as _, path::PathBuf};

use tokio_postgres::{Config, config::Host};

use crate::{Error, Result};

/// `None` if there is none: the server may not need one.
///
/// # Errors
/// If the file cannot be read, or others can read it.
pub(super) fn password(config: &Config) -> Result<Option<String>> {
    if let Some(password) = env::var_os("PGPASSWORD") {
        return Ok(password.into_string().ok());
    }
    let named = env::var_os("PGPASSFILE").map(PathBuf::from);
    let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(".pgpass"));
    let is_named = named.is_some();
    let Some(path) = named.or_else(usual) else { return Ok(None) };
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => return Ok(None),
        read => read.map_err(Error::file("read", &path))?,
    };
    let mode = fs::metadata(&path).map_or(0, |file| file.permissions().mode());
    if mode & 0o077 != 0 {
        let why = io::Error::new(io::ErrorKind::PermissionDenied, "others can read it: `chmod 600` makes it yours");
        return Err(Error::file("trust", &path)(why));
    }
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let place = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    Ok(text.lines().find_map(|line| matching(line, &place)))
}

/// The password of a line, if the line is for this place.
fn matching(line: &str, place: &[&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let (mut fields, mut escaped) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            ':' if !escaped && fields.len() < 5 => fields.push(String::new()),
            c => {
                escaped = false;
                fields.last_mut()?.push(c);
            }
        }
    }
    let password = fields.pop().filter(|_| fields.len() == 4)?;
    fields.iter().zip(place).all(|(field, value)| field == "*" || field == value).then_some(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_for_the_place_has_the_password() {
        let place = ["db.internal", "5432", "app", "tierup"];
        let of = |line: &str| matching(line, &place);
        assert_eq!(of("db.internal:5432:app:tierup:s3:cret"), Some("s3:cret".into()));
        assert_eq!(of(r"*:*:*:tierup:a\:b\\c"), Some(r"a:b\c".into()));
        for line in ["", "# *:*:*:*:x", "*:*:*:x", "*:5433:*:*:x", "other:*:*:*:x"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
