//! An HTTP server that answers requests with functions of `sample`: `routes.rs` says which.
//!
//! The rest is what any such server needs: `serve` has connections, timeouts and shutdown, `call` panics and long
//! calls, `problem` the answers to bad requests, `health` is `/livez` and `/readyz`, which
//! `admin` answers on a port of their own.

mod access_log;
mod admin;
mod bodies;
mod body;
mod call;
mod health;
mod json_body;
mod memory;
mod problem;
mod ready;
mod routes;
mod serve;
mod settings;
mod stderr;
mod stream;
mod target;
mod text;
mod unsent;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

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
            stderr::line(format!("error: {problem}\nhint: `--help` lists what can be set"));
            return ExitCode::from(2);
        }
    };
    memory::share(settings.workers);
    let outcome = stderr::start().and_then(|()| match settings.asks {
        true => ready::ask(&settings.host, settings.port),
        false => start(settings),
    });
    if let Err(error) = &outcome {
        stderr::line(format!("error: {error}"));
    }
    stderr::flush(Duration::from_secs(1));
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn start(settings: Settings) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        // One more than may be in a call at a time, so that one is always free for connections: see `call`.
        .worker_threads(settings.workers.get() + 1)
        .max_blocking_threads(settings.workers.get())
        .thread_stack_size(STACK)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(run(settings));
    // A call that outlives the shutdown's deadline does not hold the process.
    runtime.shutdown_background();
    outcome
}

async fn run(settings: Settings) -> io::Result<()> {
    let listener = listen(&settings.host, settings.port, MAIN).await?;
    let admin = match settings.admin_port {
        Some(port) => Some(listen(&settings.admin_host, port, ADMIN).await?),
        None => None,
    };
    call::prepare(settings.workers, settings.queue);
    unsent::prepare(settings.unsent_limit);
    let router = routes::router(settings.limits);
    let stopping = serve::signals()?;
    // The parent may have closed the pipe: no reason to stop.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "listening on http://{} (tier 4:server)", listener.local_addr()?);
    if let Some(admin) = admin {
        let _ = writeln!(stdout, "/livez and /readyz on http://{}", admin.local_addr()?);
        tokio::spawn(admin::serve(admin));
    }
    serve::serve(listener, router, settings.connections, stopping).await;
    Ok(())
}

/// The setting of an address.
struct Names {
    port: &'static str,
    host: &'static str,
}

const MAIN: Names = Names { port: "--port or PORT", host: "--host or HOST" };
const ADMIN: Names = Names { port: "TIERUP_ADMIN_PORT", host: "TIERUP_ADMIN_HOST" };

async fn listen(host: &str, port: u16, names: Names) -> io::Result<TcpListener> {
    TcpListener::bind((host, port)).await.map_err(|error| {
        let Names { port: set_port, host: set_host } = names;
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!("something else listens there; stop it, or choose another with {set_port}")
            }
            io::ErrorKind::PermissionDenied => {
                format!("ports below 1024 need privileges; choose another with {set_port}")
            }
            _ => format!("choose another address with {set_host}"),
        };
        io::Error::new(error.kind(), format!("cannot listen on {host}, port {port}: {error}\nhint: {hint}"))
    })
}
