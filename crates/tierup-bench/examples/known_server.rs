//! A server with known costs, to check load generators and the benchmark itself.
//!
//! `known_server [PORT [SLOWNESS]]` prints its address and answers `GET /` with 373 bytes, `GET /wait?ms=N` with the same
//! after N milliseconds, and `GET /work?rounds=N` after N times SLOWNESS rounds of arithmetic, a fixed number of
//! instructions. So `known_server 0 1.05` differs only in that its work takes 5 % longer.

use std::{hint::black_box, time::Duration};

use axum::{
    Router,
    extract::{RawQuery, State},
    http::header::CONTENT_TYPE,
    response::IntoResponse,
    routing::get,
};

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

async fn work(State(slowness): State<f64>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let rounds = (number(query) as f64 * slowness) as u64;
    // A linear congruential generator (Knuth's MMIX): each round depends on the one before.
    let state = (0..rounds).fold(1_u64, |state, _| {
        black_box(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    });
    black_box(state);
    answer().await
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let port: u16 = arguments.next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let slowness: f64 = arguments.next().and_then(|slowness| slowness.parse().ok()).unwrap_or(1.0);
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        println!("http://{}", listener.local_addr()?);
        let router = Router::new().route("/", get(answer)).route("/wait", get(wait)).route("/work", get(work));
        axum::serve(listener, router.with_state(slowness)).await
    })
}
