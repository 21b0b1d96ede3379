//! `/livez` and `/readyz` on a listener of their own, so that probes are answered even when clients hold all
//! connections of the server.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::settings::Connections;
use crate::{health, problem, serve};

/// Probes are few and short.
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
