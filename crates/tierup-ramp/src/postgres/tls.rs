//! TLS to Postgres. The server's certificate is always checked, with its name: by the certificates of a file, or by those
//! of the system.

use std::{
    env, io,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

/// Where systems keep certificates: Debian, Arch and Alpine; Fedora; SUSE; macOS.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// What a certificate must be signed by.
#[derive(Clone)]
pub(super) struct Tls(TlsConnector);

impl Tls {
    /// # Errors
    /// If there are no certificates.
    pub(super) fn new(root: Option<&str>) -> io::Result<Tls> {
        let system = || SYSTEM.into_iter().find(|file| Path::new(file).exists()).map(str::to_owned);
        let file = root.map(str::to_owned).or_else(|| env::var("SSL_CERT_FILE").ok()).or_else(system);
        let wrong = |why: &str| {
            let what =
                format!("`{}` has no certificates to check the server by: {why}", file.as_deref().unwrap_or("/etc"));
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        let read = CertificateDer::pem_file_iter(file.as_deref().unwrap_or_default());
        let found: Result<Vec<_>, _> = read.and_then(Iterator::collect);
        let mut trusted = RootCertStore::empty();
        if trusted.add_parsable_certificates(found.map_err(|error| wrong(&error.to_string()))?).0 == 0 {
            return Err(wrong("name a file in `sslrootcert`"));
        }
        let config = ClientConfig::builder().with_root_certificates(trusted).with_no_client_auth();
        Ok(Tls(Arc::new(config).into()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Ok(Handshake(self.0.clone(), name))
    }
}

pub(super) struct Handshake(TlsConnector, ServerName<'static>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, stream).await.map(Encrypted) })
    }
}

pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    /// The password is checked without binding it to this connection: the certificate was checked already.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
