//! A server that runs already, and goes on running: it belongs to somebody else.

use std::{
    net::{SocketAddr, TcpStream, ToSocketAddrs as _},
    path::Path,
    time::Duration,
};

use crate::subject::{Running, Starting, Subject, Trouble};

/// A server that runs already, by its address.
#[derive(Debug, Clone)]
pub struct Standing {
    pub address: SocketAddr,
    /// The value of the `Host` header.
    pub authority: String,
    pub pid: Option<u32>,
}

/// Why there is no server to ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error("cannot use `{url}`: {why}")]
    Address { url: String, why: String },
    #[error("nothing listens at {0}")]
    Nobody(String),
    #[error("there is no process {0}")]
    NoProcess(u32),
}

/// Time limit for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

impl Unreachable {
    /// The user's next step.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Unreachable::Address { .. } => Some("give an address such as http://127.0.0.1:3000/path?query"),
            Unreachable::Nobody(_) => Some("start the server first"),
            Unreachable::NoProcess(_) => None,
        }
    }
}

impl Standing {
    /// The server at a URL, which must accept connections, with the path and query of the URL.
    ///
    /// # Errors
    /// If the URL is not that of a plain HTTP server, or nobody listens there.
    pub fn at(url: &str) -> Result<(Standing, String), Unreachable> {
        let wrong = |why: &str| Unreachable::Address { url: url.to_owned(), why: why.to_owned() };
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
        // The first that accepts: `localhost` is often two addresses, and a server listens at one of them.
        let accepts = |address: &SocketAddr| TcpStream::connect_timeout(address, PATIENCE).is_ok();
        let address = addresses.into_iter().find(accepts).ok_or(Unreachable::Nobody(with_port))?;
        Ok((Standing { address, authority: authority.to_owned(), pid: None }, target))
    }

    /// The same server, with its known process.
    ///
    /// # Errors
    /// If there is no such process.
    pub fn with_process(self, pid: Option<u32>) -> Result<Standing, Unreachable> {
        match pid {
            Some(pid) if cfg!(target_os = "linux") && !Path::new(&format!("/proc/{pid}")).exists() => {
                Err(Unreachable::NoProcess(pid))
            }
            pid => Ok(Standing { pid, ..self }),
        }
    }
}

impl Subject for Standing {
    fn start(&self, _starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        Ok(Box::new(self.clone()))
    }

    fn starts_processes(&self) -> bool {
        false
    }
}

impl Running for Standing {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn authority(&self) -> String {
        self.authority.clone()
    }

    fn pid(&self) -> Option<u32> {
        self.pid
    }

    fn log(&self) -> Vec<String> {
        Vec::new()
    }

    fn ended(&mut self) -> Option<String> {
        None
    }

    fn stop(self: Box<Self>) {}
}
