//! Which proxy shares requests between the servers, as `[rollout]` names it.

use std::{net::SocketAddr, path::PathBuf};

use crate::sticky::Sticky;

/// Which proxy shares requests between the servers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Through {
    /// `tierup shadow`.
    #[default]
    Tierup,
    HaProxy(HaProxySettings),
    Nginx(NginxSettings),
    Envoy(EnvoySettings),
}

/// Where HAProxy is, and the names that its configuration uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaProxySettings {
    /// The path of the stats socket, which needs `level admin`.
    pub socket: PathBuf,
    /// The backend whose servers are `control`, `candidate` and, if there is one, `twin`.
    pub backend: String,
    /// The map file that has the weights. HAProxy reads it when it starts, and tierup never writes it.
    pub map: PathBuf,
    pub sticky: Sticky,
}

/// Where nginx's files are, and how it is reloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NginxSettings {
    /// The file with `split_clients` that nginx includes and tierup writes.
    pub split: PathBuf,
    /// The access log in tierup's format.
    pub log: PathBuf,
    /// The loopback address at which nginx reports what is in force.
    pub status: SocketAddr,
    pub sticky: Sticky,
    /// Tests the configuration: `nginx -t`.
    pub test: Vec<String>,
    /// Puts it into force: `nginx -s reload`.
    pub reload: Vec<String>,
}

/// Where Envoy is, and where it finds its weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvoySettings {
    /// The loopback address at which tierup serves the weights.
    pub listen: SocketAddr,
    /// The loopback address of Envoy's admin interface.
    pub admin: SocketAddr,
    /// The access log in tierup's format.
    pub log: PathBuf,
    pub sticky: Sticky,
}
