//! Connections: accepting them, their bounds and timeouts, and their end.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{StatusCode, Version};
use axum::response::IntoResponse as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use tower_service::Service as _;

use crate::problem::Problem;
use crate::settings::Connections;
use crate::stream::Stream;
use crate::{access_log, stderr, unsent};

/// hyper's own minimum.
const LEAST_BUFFER: usize = 8 << 10;

/// How long requests in progress may take once the server was told to stop.
const SHUTDOWN: Duration = Duration::from_secs(9);

/// How long a connection without any request is then kept: its first request may be on its way.
const SHUTDOWN_UNUSED: Duration = Duration::from_millis(500);

/// How long a client may then leave its answer waiting.
const SHUTDOWN_STALLED: Duration = Duration::from_secs(2);

/// Serves until `stopping` changes. Then it answers pending requests and closes idle connections.
pub async fn serve(listener: TcpListener, router: Router, bounds: Connections, mut stopping: watch::Receiver<u32>) {
    let mut http = http1::Builder::new();
    // This timeout runs from when a connection could take a request, so it is that of idle connections too.
    http.timer(TokioTimer::new()).header_read_timeout(bounds.idle_timeout);
    http.max_header_size(bounds.head).max_buf_size(bounds.head.max(LEAST_BUFFER));

    let room = Arc::new(Semaphore::new(bounds.most));
    // Each connection holds a receiver, which tells it to end. The number of receivers is the number of connections.
    let (end, _) = watch::channel(());
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            _ = stopping.changed() => break,
        };
        tokio::spawn(connection(stream, place, http.clone(), router.clone(), bounds, end.subscribe()));
    }
    drop(listener);
    end.send_replace(());
    tokio::select! {
        () = end.closed() => {}
        () = sleep(SHUTDOWN) => {
            let (busy, seconds) = (end.receiver_count(), SHUTDOWN.as_secs());
            stderr::line(format!("{busy} connections were still busy after {seconds} s"));
        }
        // A second request to stop ends the server at once.
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

/// The next connection, once there is room for one. Until then, connections wait in the operating system's queue.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    // The semaphore is never closed.
    let Ok(place) = Arc::clone(room).acquire_owned().await else { return pending().await };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // The client went away while it waited.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                // Most likely there are too many open files; some will be closed.
                stderr::line(format!("cannot accept a connection: {error}"));
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Serves one connection to its end, which gives its place to the next.
async fn connection(
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
    http: http1::Builder,
    router: Router,
    bounds: Connections,
    mut end: watch::Receiver<()>,
) {
    // Answers are written whole, so there is nothing to gain from waiting for more.
    let _ = stream.set_nodelay(true);
    let (stream, client) = Stream::new(stream);
    let used = Arc::new(AtomicBool::new(false));
    let service = service_fn({
        let (used, client) = (Arc::clone(&used), Arc::clone(&client));
        move |request: Request<Incoming>| {
            used.store(true, Ordering::Relaxed);
            let (mut router, client) = (router.clone(), Arc::clone(&client));
            async move {
                let answer = async {
                    if !names_its_host(&request) {
                        let problem = Problem::new(StatusCode::BAD_REQUEST, "the request must name one host");
                        return Ok(problem.into_response());
                    }
                    if bounds.log { access_log::logged(router, request).await } else { router.call(request).await }
                };
                let (answer, held) = unsent::counted(answer).await;
                client.answered(held);
                answer
            }
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    // A connection's errors are its client's: it went away, was too slow, or does not speak HTTP.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = client.given_up(bounds.write_timeout) => return,
        _ = end.changed() => connection.as_mut().graceful_shutdown(),
    }
    // hyper closes connections that are idle between requests, but waits for those that never had one.
    let unused = async {
        sleep(SHUTDOWN_UNUSED).await;
        if used.load(Ordering::Relaxed) {
            pending().await
        }
    };
    tokio::select! {
        _ = connection => {}
        () = client.given_up(SHUTDOWN_STALLED) => {}
        () = unused => {}
    }
}

/// HTTP/1.1 demands one `Host` (RFC 9112, section 3.2). With two, a proxy in front may have read the other one.
fn names_its_host(request: &Request<Incoming>) -> bool {
    match request.headers().get_all(HOST).iter().count() {
        0 => request.version() < Version::HTTP_11,
        1 => true,
        _ => false,
    }
}
