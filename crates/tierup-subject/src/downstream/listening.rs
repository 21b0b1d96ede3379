//! A server on a thread of its own, at a free port of this machine.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{
    net::{TcpSocket, TcpStream},
    sync::{Semaphore, oneshot},
};

/// Maximum number of connections that wait to be accepted: a server under load may open hundreds at once.
const BACKLOG: u32 = 4096;
/// The pause when no connection can be accepted because no file descriptor is left.
const BREATH: Duration = Duration::from_millis(10);

/// No limit to the number of connections.
pub(super) const ANY: usize = Semaphore::MAX_PERMITS;

/// A listening server. Dropping it ends it and its connections.
#[derive(Debug)]
pub(super) struct Listening {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Serves each connection by `serve`, at most `most` at a time; others wait to be accepted.
    ///
    /// # Errors
    /// If there is no free port or no thread.
    pub(super) fn start<F>(
        name: &str,
        most: usize,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> io::Result<Listening>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
            socket.listen(BACKLOG)
        })?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let room = Arc::new(Semaphore::new(most));
        let accept = async move {
            while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(BREATH).await;
                    continue;
                };
                // Small answers must not wait for more to come.
                let _ = stream.set_nodelay(true);
                let serving = serve(stream);
                tokio::spawn(async move {
                    serving.await;
                    drop(permit);
                });
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Listening { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Its URL, without a slash at the end.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread's result does not matter.
            let _ = thread.join();
        }
    }
}
