//! Which proxy shares requests between the servers, as `[rollout]` says it: for its reader, and for the judge.

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
}

/// Where HAProxy is, and its names for things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaProxySettings {
    /// The stats socket, with `level admin`.
    pub socket: PathBuf,
    /// The backend whose servers are `control`, `candidate` and, if there is one, `twin`.
    pub backend: String,
    /// The file of the map that has the weights. HAProxy reads it as it starts, and tierup never writes it.
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
    /// The loopback address at which nginx tells what is in force.
    pub status: SocketAddr,
    pub sticky: Sticky,
    /// Tests the configuration: `nginx -t`.
    pub test: Vec<String>,
    /// Puts it into force: `nginx -s reload`.
    pub reload: Vec<String>,
}
