//! Servers that run already, by their addresses.

use std::net::ToSocketAddrs as _;

use tierup_bench::{plan::PlannedRow, record::Role, subject::Standing};

use crate::failure::{Failure, Result};

/// One row or two, and the path and query of the first address.
pub(crate) fn standing_rows(
    url: &str,
    pid: Option<u32>,
    vs: Option<&str>,
    vs_pid: Option<u32>,
) -> Result<(Vec<PlannedRow>, String)> {
    let (reference, target) = parse(url)?;
    let mut rows = vec![row(url, Standing { pid: running(pid)?, ..reference }, Role::Reference)];
    if let Some(vs) = vs {
        let (label, candidate) = other(url, vs, &target)?;
        rows.push(row(&label, Standing { pid: running(vs_pid)?, ..candidate }, Role::Candidate));
    }
    Ok((rows, target))
}

/// A server with its label.
pub(crate) type Labelled = (String, Standing);

/// Two servers, and the path and query of the first address.
pub(crate) fn addresses(url: &str, vs: &str) -> Result<(Labelled, Labelled, String)> {
    let (control, target) = parse(url)?;
    let candidate = other(url, vs, &target)?;
    Ok(((url.to_owned(), control), candidate, target))
}

fn other(url: &str, vs: &str, target: &str) -> Result<Labelled> {
    let (candidate, its_target) = parse(vs)?;
    if its_target != "/" && its_target != target {
        return Err(Failure::new(format!("--url and --vs must have the same path, not {target} and {its_target}"))
            .hint("give the path once, with --url, or use --requests".to_owned()));
    }
    // The same address twice is a test of the method: it must find no difference.
    let label = if vs == url { format!("{vs} (again)") } else { vs.to_owned() };
    Ok((label, candidate))
}

fn row(label: &str, subject: Standing, role: Role) -> PlannedRow {
    PlannedRow { label: label.to_owned(), group: String::new(), role, step: 0, subject: Box::new(subject) }
}

fn parse(url: &str) -> Result<(Standing, String)> {
    let wrong = |why: &str| {
        Failure::new(format!("cannot use `{url}`: {why}"))
            .hint("give an address such as http://127.0.0.1:3000/path?query".to_owned())
    };
    if url.starts_with("https://") {
        return Err(wrong(
            "https is not supported here, because TLS would dominate the measurement; give the http:// address behind it",
        ));
    }
    let rest = url.strip_prefix("http://").ok_or_else(|| wrong("it does not start with http://"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(end);
    let target = target.split('#').next().unwrap_or_default();
    let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
    if authority.is_empty() || authority.contains('@') {
        return Err(wrong("it names no server"));
    }
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let with_port = if has_port { authority.to_owned() } else { format!("{authority}:80") };
    let addresses = with_port.to_socket_addrs().map_err(|error| wrong(&error.to_string()))?;
    // The first that accepts: `localhost` is often two addresses of which one is served.
    let accepts = |address: &std::net::SocketAddr| {
        std::net::TcpStream::connect_timeout(address, std::time::Duration::from_secs(5)).is_ok()
    };
    let address = addresses.into_iter().find(accepts).ok_or_else(|| {
        Failure::new(format!("nothing listens at {with_port}")).hint("start the server first".to_owned())
    })?;
    Ok((Standing { address, authority: authority.to_owned(), pid: None }, target))
}

fn running(pid: Option<u32>) -> Result<Option<u32>> {
    match pid {
        Some(pid) if cfg!(target_os = "linux") && !std::path::Path::new(&format!("/proc/{pid}")).exists() => {
            Err(Failure::new(format!("there is no process {pid}")))
        }
        pid => Ok(pid),
    }
}
