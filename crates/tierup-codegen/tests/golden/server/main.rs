//! An HTTP server that answers requests with functions of `sample`: `routes.rs` says which.
//!
//! The rest is what any such server needs: `serve` has connections, timeouts and shutdown, `call` panics and long
//! calls, `problem` the answers to bad requests, `health` is `/livez` and `/readyz`.

mod access_log;
mod body;
mod call;
mod health;
mod json_body;
mod memory;
mod problem;
mod routes;
mod serve;
mod settings;
mod target;
mod text;

use std::io::{self, Write as _};
use std::process::ExitCode;

use settings::Settings;
use tierup_json as json;
use tokio::net::TcpListener;

/// A function may recurse as deep as it could on a program's main thread.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let settings = match Settings::from_process() {
        Ok(Some(settings)) => settings,
        Ok(None) => return ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}\nhint: `--help` lists what can be set");
            return ExitCode::from(2);
        }
    };
    memory::share(settings.workers);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        // One more than may be in a call at a time, so that one is always free for connections: see `call`.
        .worker_threads(settings.workers.get() + 1)
        .max_blocking_threads(settings.workers.get())
        .thread_stack_size(STACK)
        .enable_all()
        .build();
    let outcome = runtime.and_then(|runtime| {
        let outcome = runtime.block_on(run(settings));
        // A call that outlives the shutdown's deadline does not hold the process.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: Settings) -> io::Result<()> {
    let listener = listen(&settings).await?;
    call::prepare(settings.workers);
    let router = routes::router(settings.limits);
    let address = listener.local_addr()?;
    let stopping = serve::signals()?;
    // Whoever started this may have closed the pipe: no reason to stop.
    let _ = writeln!(io::stdout(), "listening on http://{address} (tier 4:server)");
    serve::serve(listener, router, settings, stopping).await;
    Ok(())
}

async fn listen(settings: &Settings) -> io::Result<TcpListener> {
    let Settings { host, port, .. } = settings;
    TcpListener::bind((host.as_str(), *port)).await.map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => "something else listens there; stop it, or choose another with --port or PORT",
            io::ErrorKind::PermissionDenied => "ports below 1024 need privileges; choose another with --port or PORT",
            _ => "choose another address with --host or HOST",
        };
        io::Error::new(error.kind(), format!("cannot listen on {host}, port {port}: {error}\nhint: {hint}"))
    })
}
