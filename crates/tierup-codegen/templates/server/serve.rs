//! Connections: accepting them, their timeouts, and their end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;
use tower_service::Service as _;

use crate::access_log;
use crate::settings::Settings;

/// The most bytes in a request's line and headers; more is answered with 431 (or 414, where it is the line).
const HEAD: usize = 64 << 10;

/// How long requests in progress may take once the server was told to stop.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// How long a connection that has not said anything yet is kept then: its first request may be on its way.
const SHUTDOWN_UNUSED: Duration = Duration::from_millis(500);

/// Serves until `stopping` says so, then answers what was asked and closes what is idle.
pub async fn serve(listener: TcpListener, router: Router, settings: Settings, mut stopping: watch::Receiver<u32>) {
    let mut http = http1::Builder::new();
    // This timeout runs from when a connection could take a request, so it is that of idle connections too.
    http.timer(TokioTimer::new()).header_read_timeout(settings.idle_timeout).max_header_size(HEAD);

    // Each connection holds a receiver: it hears that it should end, and is counted by being there.
    let (end, _) = watch::channel(());
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            _ = stopping.changed() => break,
        };
        tokio::spawn(connection(stream, http.clone(), router.clone(), settings.access_log, end.subscribe()));
    }
    drop(listener);
    end.send_replace(());
    tokio::select! {
        () = end.closed() => {}
        () = sleep(SHUTDOWN) => {
            eprintln!("{} connections were still busy after {} s", end.receiver_count(), SHUTDOWN.as_secs());
        }
        // Told twice: at once.
        _ = stopping.changed() => {}
    }
}

/// Counts the requests to stop: SIGTERM and Ctrl-C.
pub fn signals() -> io::Result<watch::Receiver<u32>> {
    let (count, receiver) = watch::channel(0);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                count.send_modify(|count| *count += 1);
            }
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            count.send_modify(|count| *count += 1);
        }
    });
    Ok(receiver)
}

/// The next connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // The client went away while it waited.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                // Most likely there are too many open files; some will be closed.
                eprintln!("cannot accept a connection: {error}");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, http: http1::Builder, router: Router, log: bool, mut end: watch::Receiver<()>) {
    // Answers are written whole, so there is nothing to gain from waiting for more.
    let _ = stream.set_nodelay(true);
    let used = Arc::new(AtomicBool::new(false));
    let service = service_fn({
        let used = Arc::clone(&used);
        move |request: Request<Incoming>| {
            used.store(true, Ordering::Relaxed);
            let mut router = router.clone();
            async move { if log { access_log::logged(router, request).await } else { router.call(request).await } }
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    // A connection's errors are its client's: it went away, was too slow, or does not speak HTTP.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = end.changed() => connection.as_mut().graceful_shutdown(),
    }
    // hyper closes connections that are idle between requests, but waits for those that never had one.
    if !used.load(Ordering::Relaxed) {
        tokio::select! {
            _ = connection.as_mut() => return,
            () = sleep(SHUTDOWN_UNUSED) => {}
        }
        if !used.load(Ordering::Relaxed) {
            return;
        }
    }
    let _ = connection.await;
}
