//! `/livez` and `/readyz` on a listener of their own: probes are answered although clients hold
//! every connection that it may have.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::settings::Connections;
use crate::{health, problem, serve};

/// Few ask, and briefly.
const BOUNDS: Connections = Connections {
    most: 16,
    head: 8 << 10,
    idle_timeout: Duration::from_secs(5),
    write_timeout: Duration::from_secs(5),
    log: false,
};

/// Serves until the process ends: a server that is stopping is still alive.
pub async fn serve(listener: TcpListener) {
    let router = Router::new()
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .fallback(problem::not_found);
    let (_never, stopping) = watch::channel(0);
    serve::serve(listener, router, BOUNDS, stopping).await;
}
