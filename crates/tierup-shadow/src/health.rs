//! What an orchestrator asks a proxy: does it live, and may it have clients.

use std::{
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use tokio::sync::watch;

use crate::{ledger::View, metrics::metrics, metrics_server::Page, names::Addresses};

/// How long all of control's addresses together may take to accept a connection: probes wait for a second as a rule.
const CONNECT: Duration = Duration::from_millis(400);

/// Whether a proxy may have clients, for another thread.
#[derive(Debug, Clone)]
pub struct Health {
    pub(crate) control: Addresses,
    /// Whether the proxy accepts no more clients.
    pub(crate) stopped: watch::Receiver<bool>,
}

impl Health {
    /// Makes a connection to control.
    ///
    /// # Errors
    /// Why no client should come now.
    pub fn ready(&self) -> Result<(), &'static str> {
        if *self.stopped.borrow() {
            return Err("draining");
        }
        let (addresses, until) = (self.control.get(), Instant::now() + CONNECT);
        let accepts = |(tried, address): (usize, &SocketAddr)| {
            // Each has an equal part of the time that is left, so that one that is silent does not hide another.
            let share = until.saturating_duration_since(Instant::now()) / (addresses.len() - tried) as u32;
            !share.is_zero() && TcpStream::connect_timeout(address, share).is_ok()
        };
        let is_reached = addresses.iter().enumerate().any(accepts);
        if is_reached { Ok(()) } else { Err("the control cannot be reached") }
    }
}

/// What is at each path beside the proxy.
pub fn pages(view: View, health: Health) -> impl Fn(&str) -> Option<Page> + Send + Sync {
    move |path| match path {
        "/metrics" => Some(Page::metrics(metrics(&view.summary(), view.connections(), view.trouble().is_none()))),
        "/livez" => Some(Page::health(Ok(()))),
        "/readyz" => Some(Page::health(health.ready())),
        _ => None,
    }
}
