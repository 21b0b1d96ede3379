//! Experiments over HTTP: the API with nothing but Rust in it.
//!
//! `api` is what is answered, `settings` what the environment says; here is the process: its threads, its socket, its end.

mod api;
mod settings;

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    process::ExitCode,
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, lookup_host},
    time::sleep,
};

use crate::settings::Settings;

/// How many connections may wait to be accepted: thousands of clients may connect at the same moment. The system cuts it
/// to its own limit.
const BACKLOG: u32 = 4096;

/// How long requests in flight may take once the server was told to stop.
const GRACE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let settings = Settings::from_environment()?;
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    threads.enable_all();
    if let Some(workers) = settings.workers {
        threads.worker_threads(workers.get().into());
    }
    let runtime = threads.build().map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(serve(&settings))?;
    // Connections that are still busy after their time do not keep the process.
    runtime.shutdown_background();
    Ok(())
}

async fn serve(settings: &Settings) -> Result<(), String> {
    let Settings { host, port, .. } = settings;
    let cannot = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => "the port is in use; choose another with PORT".to_owned(),
            _ => error.to_string(),
        };
        format!("cannot listen on {host}:{port}: {reason}")
    };
    let listener = listen(host, *port).await.map_err(cannot)?;
    // Whoever started this may have closed the pipe: no reason to stop.
    let _ = writeln!(io::stdout(), "listening on http://{} (tier 4)", listener.local_addr().map_err(cannot)?);

    let (told, is_told) = tokio::sync::oneshot::channel();
    let server = axum::serve(listener, api::router(settings.clock)).with_graceful_shutdown(async {
        stop_signal().await;
        let _ = told.send(());
    });
    tokio::select! {
        ended = server => ended.map_err(|error| format!("the server failed: {error}")),
        () = async {
            let _ = is_told.await;
            sleep(GRACE).await;
        } => Ok(()),
    }
}

async fn listen(host: &str, port: u16) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in lookup_host((host, port)).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts anew need not wait for connections of the last one to be forgotten.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// SIGTERM, as from an init system, or Ctrl-C.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
