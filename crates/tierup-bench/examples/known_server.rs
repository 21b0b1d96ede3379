//! A server of which everything is known, to measure load generators against.
//!
//! `known_server PORT` answers `GET /` with 373 bytes, `GET /wait?ms=N` with the same after N milliseconds, and
//! `GET /spin?us=N` after N microseconds of work on the CPU.

use std::time::{Duration, Instant};

use axum::{Router, extract::RawQuery, http::header::CONTENT_TYPE, response::IntoResponse, routing::get};

const BODY: &[u8] = &[b'.'; 373];

fn number(query: Option<String>) -> u64 {
    query.as_deref().and_then(|query| query.split_once('=')).and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

async fn answer() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/octet-stream")], BODY)
}

async fn wait(RawQuery(query): RawQuery) -> impl IntoResponse {
    tokio::time::sleep(Duration::from_millis(number(query))).await;
    answer().await
}

async fn spin(RawQuery(query): RawQuery) -> impl IntoResponse {
    let until = Instant::now() + Duration::from_micros(number(query));
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    answer().await
}

fn main() -> std::io::Result<()> {
    let port: u16 = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        println!("http://{}", listener.local_addr()?);
        let router = Router::new().route("/", get(answer)).route("/wait", get(wait)).route("/spin", get(spin));
        axum::serve(listener, router).await
    })
}
