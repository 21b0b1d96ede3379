//! Tier 4: the service whole, in Rust. It answers as the Node server in `../node` does; the contract is in `../README.md`.
//!
//! `app` has the routes, `body` reads a request's body, `downstream` posts the sum, `serve` has connections and their end,
//! `settings` what the environment says, `problem` the answers to requests that cannot be served.

mod app;
mod body;
mod downstream;
mod problem;
mod serve;
mod settings;

use std::io::{self, Write as _};
use std::process::ExitCode;

use downstream::Downstream;
use settings::Settings;
use tokio::net::TcpListener;

fn main() -> ExitCode {
    let settings = match Settings::from_environment() {
        Ok(settings) => settings,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(settings.workers.get()).enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(run(settings))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(settings: Settings) -> io::Result<()> {
    let Settings { host, port, .. } = &settings;
    let listener = TcpListener::bind((host.as_str(), *port)).await.map_err(|error| {
        let hint = "stop what listens there, or choose another address with HOST and PORT";
        io::Error::new(error.kind(), format!("cannot listen on {host}, port {port}: {error}\nhint: {hint}"))
    })?;
    let address = listener.local_addr()?;
    let stop = serve::signals()?;
    // Whoever started this may have closed the pipe: no reason to stop.
    let _ = writeln!(io::stdout(), "listening on http://{address} (tier 4:server)");
    serve::serve(listener, app::router(Downstream::new(&settings.downstream)), stop).await;
    Ok(())
}
