//! A server's addresses, which are looked up again while it is in use: a restarted container may have another one.

use std::{
    io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use crate::settings::Address;

/// The time between two lookups. The system's resolver does not say how long its answer is valid. In Kubernetes that is
/// 5 s by default, and few names have less.
const EVERY: Duration = Duration::from_secs(5);
/// The time between two lookups while no address accepts connections.
const AGAIN: Duration = Duration::from_secs(1);

/// A server's addresses, which all threads share.
#[derive(Debug, Clone)]
pub(crate) struct Addresses(Arc<KnownAddresses>);

#[derive(Debug)]
struct KnownAddresses {
    known: RwLock<Vec<SocketAddr>>,
    /// Whether no connection was accepted since the last lookup.
    is_doubted: AtomicBool,
    /// The thread that looks the name up.
    looker: OnceLock<Thread>,
}

impl Addresses {
    pub(crate) fn only(address: SocketAddr) -> Addresses {
        Addresses::new(vec![address])
    }

    fn new(known: Vec<SocketAddr>) -> Addresses {
        Addresses(Arc::new(KnownAddresses {
            known: RwLock::new(known),
            is_doubted: AtomicBool::new(false),
            looker: OnceLock::new(),
        }))
    }

    pub(crate) fn get(&self) -> Vec<SocketAddr> {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that no connection is accepted. The name is looked up again at once, at most once a second.
    pub(crate) fn doubt(&self) {
        if !self.0.is_doubted.swap(true, Relaxed) {
            self.0.looker.get().into_iter().for_each(Thread::unpark);
        }
    }
}

/// The thread that looks a name up. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Names {
    stop: Arc<AtomicBool>,
    looker: Thread,
}

impl Names {
    /// A server's addresses; and, if it has a name, the thread that keeps them up to date.
    ///
    /// # Errors
    /// If it has no address.
    pub(crate) fn look_up(address: Address) -> io::Result<(Addresses, Option<Names>)> {
        if address.host.parse::<IpAddr>().is_ok() {
            return Ok((Addresses::new(resolve(&address)?), None));
        }
        let (addresses, names) = Names::keep(EVERY, move || resolve(&address))?;
        Ok((addresses, Some(names)))
    }

    fn keep(
        every: Duration,
        resolve: impl Fn() -> io::Result<Vec<SocketAddr>> + Send + 'static,
    ) -> io::Result<(Addresses, Names)> {
        let addresses = Addresses::new(resolve()?);
        let stop = Arc::<AtomicBool>::default();
        let (stopped, kept) = (Arc::clone(&stop), Arc::clone(&addresses.0));
        let look = move || {
            let mut looked = Instant::now();
            while !stopped.load(Relaxed) {
                let rest = if kept.is_doubted.load(Relaxed) { AGAIN } else { every };
                if looked.elapsed() < rest {
                    thread::park_timeout(rest.saturating_sub(looked.elapsed()));
                    continue;
                }
                looked = Instant::now();
                kept.is_doubted.store(false, Relaxed);
                // If the lookup fails, the old addresses are the best ones known.
                if let Ok(new) = resolve() {
                    *kept.known.write().unwrap_or_else(PoisonError::into_inner) = new;
                }
            }
        };
        let thread = thread::Builder::new().name("names".into()).spawn(look)?;
        let looker = addresses.0.looker.get_or_init(|| thread.thread().clone()).clone();
        Ok((addresses, Names { stop, looker }))
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        // The thread is not joined: a lookup can take long, and holds no resources.
        self.looker.unpark();
    }
}

fn resolve(address: &Address) -> io::Result<Vec<SocketAddr>> {
    let addresses: Vec<SocketAddr> = (address.host.as_str(), address.port).to_socket_addrs()?.collect();
    match addresses.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, format!("{address} has no address"))),
        false => Ok(addresses),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU16;

    use super::*;

    #[test]
    fn a_name_is_looked_up_again_soon_but_not_for_every_failed_connection() {
        static LOOKS: AtomicU16 = AtomicU16::new(0);
        let resolve = || Ok(vec![SocketAddr::from(([127, 0, 0, 1], LOOKS.fetch_add(1, Relaxed)))]);
        let (addresses, names) = Names::keep(Duration::from_secs(3600), resolve).expect("it has an address");
        let began = Instant::now();
        assert_eq!(addresses.get()[0].port(), 0);
        while addresses.get()[0].port() == 0 {
            addresses.doubt();
            thread::sleep(Duration::from_millis(1));
        }
        let took = began.elapsed();
        assert!(took >= AGAIN, "{took:?}");
        drop(names);
    }
}
