//! A proxy's settings: where its servers are, which proxies it trusts, and how long it waits.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use ipnet::IpNet;

use crate::listening::Port;

use crate::steer::Steering;

/// A proxy's settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server that answers clients.
    pub control: Address,
    /// The servers that answer in control's place, if there are any.
    pub sharing: Option<Sharing>,
    /// Proxies before this one. Only their statements about a client (`X-Forwarded-For` and its kind) are believed.
    pub trusted_proxies: Vec<IpNet>,
    pub limits: Limits,
    /// If a load balancer only mirrors its requests to this proxy: the most that are under way at control.
    pub mirrored: Option<usize>,
    /// Whether another proxy may take over the address while this one ends.
    pub port: Port,
    /// The number of threads that serve clients.
    pub threads: usize,
}

/// Servers that answer clients in control's place, and what decides when they do.
#[derive(Debug, Clone)]
pub struct Sharing {
    pub candidate: Option<Address>,
    /// A second process of control.
    pub twin: Option<Address>,
    pub steering: Arc<Steering>,
}

/// Limits of times and sizes. They bound what a client can hold, never control's work: a server may take as long as it
/// likes, as it may without a proxy.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a request's head, counted from the connection's last answer; so it also ends idle connections.
    pub head: Duration,
    /// For a client to send the next part of a body, or to take the next part of an answer. A tunnel that passed
    /// nothing for so long may be closed for a new client.
    pub progress: Duration,
    /// For connecting to a server.
    pub connect: Duration,
    /// How long a connection to a server is not reused after an answer that never has a body (to HEAD, or 204 or 304).
    /// Bytes of a body that come meanwhile close the connection.
    pub quiet: Duration,
    /// For an answer to begin, if chance assigned the request to a side. Later answers are still waited for, but count
    /// as bad.
    pub answer: Duration,
    /// The most connections of clients, over all threads. A further one gets the place of the longest idle one.
    pub connections: usize,
    /// The largest head of a request, in bytes.
    pub head_bytes: usize,
    /// The largest body of a request or an answer that is copied, in bytes. A larger one is passed on without a copy.
    pub copy_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: Duration::from_secs(60),
            progress: Duration::from_secs(60),
            connect: Duration::from_secs(5),
            quiet: Duration::from_millis(100),
            answer: Duration::from_secs(30),
            connections: 4096,
            head_bytes: 64 << 10,
            copy_bytes: 1 << 20,
        }
    }
}

/// Where a server is: `http://name:port`, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name or an IP address.
    pub host: String,
    pub port: u16,
}

/// Why a text is not an [`Address`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error(
        "https is not supported; put the proxy behind the one that ends TLS, and give the http:// address of the server"
    )]
    Encrypted,
    #[error("it must start with http://")]
    Scheme,
    #[error("it must be an address without a path, such as http://127.0.0.1:3000")]
    Path,
    #[error("it must name a server, and may name a port from 1 to 65535")]
    Server,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        if text.starts_with("https://") {
            return Err(AddressError::Encrypted);
        }
        let rest = text.strip_prefix("http://").ok_or(AddressError::Scheme)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) {
            return Err(AddressError::Path);
        }
        let authority: hyper::http::uri::Authority = rest.parse().map_err(|_| AddressError::Server)?;
        let is_plain = !rest.contains('@') && !authority.host().is_empty();
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("") => Some(80),
            Some(port) => port.strip_prefix(':').and_then(|port| port.parse().ok()).filter(|port| *port > 0),
            None => None,
        };
        let port = port.filter(|_| is_plain).ok_or(AddressError::Server)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Address { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "http://[{}]:{}", self.host, self.port),
            false => write!(f, "http://{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_name_and_a_port() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        assert_eq!(read("http://app"), Ok("http://app:80".to_owned()));
        assert_eq!(read("http://127.0.0.1:3000/"), Ok("http://127.0.0.1:3000".to_owned()));
        assert_eq!(read("http://[::1]:3000"), Ok("http://[::1]:3000".to_owned()));
        assert_eq!(read("https://app"), Err(AddressError::Encrypted));
        assert_eq!(read("app:3000"), Err(AddressError::Scheme));
        assert_eq!(read("http://app/path"), Err(AddressError::Path));
        for wrong in ["http://", "http://:3000", "http://app:", "http://app:0", "http://app:70000", "http://a@b"] {
            assert_eq!(read(wrong), Err(AddressError::Server), "{wrong}");
        }
    }
}
