//! Connections: accepting them, their limits, and their end.

use std::io::{self, Write as _};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// The most bytes in a request's line and headers, as in Node; more is answered with 431.
const HEAD: usize = 16 << 10;

/// How long the next request's headers may take, on an idle connection too. Longer than the 60 seconds after which common
/// load balancers close one: were it shorter, connections would be closed under requests that are on their way.
const IDLE: Duration = Duration::from_secs(65);

/// How long requests in progress may take once the server was told to stop.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// Serves until `stop` says so, then answers what was asked.
pub async fn serve(listener: TcpListener, router: Router, mut stop: watch::Receiver<u32>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE).max_header_size(HEAD);
    let connections = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            _ = stop.changed() => break,
        };
        // Answers are written whole, so there is nothing to gain from waiting for more.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        // A connection's errors are its client's: it went away, was too slow, or does not speak HTTP.
        tokio::spawn(connections.watch(http.serve_connection(TokioIo::new(stream), service)));
    }
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = sleep(SHUTDOWN) => {}
        // Told twice: at once.
        _ = stop.changed() => {}
    }
}

/// Counts the requests to stop: SIGTERM and Ctrl-C.
pub fn signals() -> io::Result<watch::Receiver<u32>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (count, receiver) = watch::channel(0);
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
                // Nobody may be reading, and that is no reason to end.
                let _ = writeln!(io::stderr(), "cannot accept a connection: {error}");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}
