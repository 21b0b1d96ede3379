//! A server of ours on a thread of its own, at a free port of this machine.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{
    net::{TcpSocket, TcpStream},
    sync::oneshot,
};

/// Maximum number of connections that wait to be accepted: a server under load may open hundreds at once.
const BACKLOG: u32 = 4096;
/// How long to wait where no connection can be accepted: no file descriptor is left for the moment.
const BREATH: Duration = Duration::from_millis(10);

/// It ends where this is dropped, and its connections with it.
#[derive(Debug)]
pub(super) struct Listening {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Serves each connection by `serve`.
    ///
    /// # Errors
    /// There is no port or no thread to be had.
    pub(super) fn start<F>(name: &str, serve: impl Fn(TcpStream) -> F + Send + 'static) -> io::Result<Listening>
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
        let accept = async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(BREATH).await;
                    continue;
                };
                // Small answers must not wait for more to come.
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(stream));
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

    /// Without a slash at its end.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to say at its end.
            let _ = thread.join();
        }
    }
}
