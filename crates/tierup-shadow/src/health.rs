//! What an orchestrator asks a proxy: does it live, and may it have clients.

use std::{net::TcpStream, time::Duration};

use tokio::sync::watch;

use crate::{ledger::View, metrics::metrics, metrics_server::Page, names::Addresses};

/// How long each of control's addresses may take to accept a connection: probes wait for a second as a rule.
const CONNECT: Duration = Duration::from_millis(800);

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
        let accepts = |address| TcpStream::connect_timeout(address, CONNECT).is_ok();
        if self.control.get().iter().any(accepts) { Ok(()) } else { Err("the control cannot be reached") }
    }
}

/// What is at each path beside the proxy.
pub fn pages(view: View, health: Health) -> impl Fn(&str) -> Option<Page> {
    move |path| match path {
        "/metrics" => Some(Page::metrics(metrics(&view.summary(), view.connections(), view.trouble().is_none()))),
        "/livez" => Some(Page::health(Ok(()))),
        "/readyz" => Some(Page::health(health.ready())),
        _ => None,
    }
}
