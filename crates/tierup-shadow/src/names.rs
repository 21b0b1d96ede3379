//! The addresses of a server, looked up again while it is in use: a container that is started anew may have another.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::settings::Address;

/// Between two looks. The resolver does not tell how long an answer holds; most that move hold for this or less.
const EVERY: Duration = Duration::from_secs(30);

/// The addresses of a server, which all threads share.
#[derive(Debug, Clone)]
pub(crate) struct Addresses(Arc<RwLock<Vec<SocketAddr>>>);

impl Addresses {
    pub(crate) fn only(address: SocketAddr) -> Addresses {
        Addresses(Arc::new(RwLock::new(vec![address])))
    }

    pub(crate) fn get(&self) -> Vec<SocketAddr> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The thread that looks a name up. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Names {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Names {
    /// The addresses of a server, and what keeps them up to date, where it has a name.
    ///
    /// # Errors
    /// It has none.
    pub(crate) fn look_up(address: Address) -> io::Result<(Addresses, Option<Names>)> {
        let addresses = Addresses(Arc::new(RwLock::new(resolve(&address)?)));
        if address.host.parse::<IpAddr>().is_ok() {
            return Ok((addresses, None));
        }
        let stop = Arc::<AtomicBool>::default();
        let (stopped, kept) = (Arc::clone(&stop), addresses.clone());
        let look = move || {
            let mut looked = Instant::now();
            while !stopped.load(Relaxed) {
                thread::park_timeout(EVERY.saturating_sub(looked.elapsed()));
                if looked.elapsed() < EVERY {
                    continue;
                }
                looked = Instant::now();
                // Where nobody answers, the old addresses are the best there are.
                if let Ok(new) = resolve(&address) {
                    *kept.0.write().unwrap_or_else(PoisonError::into_inner) = new;
                }
            }
        };
        let thread = thread::Builder::new().name("names".into()).spawn(look)?;
        Ok((addresses, Some(Names { stop, thread: Some(thread) })))
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        // It is not waited for: a resolver may take long, and holds nothing.
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
        }
    }
}

fn resolve(address: &Address) -> io::Result<Vec<SocketAddr>> {
    let addresses: Vec<SocketAddr> = (address.host.as_str(), address.port).to_socket_addrs()?.collect();
    match addresses.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, format!("{address} has no address"))),
        false => Ok(addresses),
    }
}
