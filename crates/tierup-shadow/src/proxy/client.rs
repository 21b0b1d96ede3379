//! One client's connection: recognises its protocol, and serves one request after another.

use std::{convert::Infallible, pin::pin, rc::Rc, sync::Arc, time::Duration};

use hyper::{
    StatusCode,
    header::{CONNECTION, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioTimer;
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    sync::watch,
    time::{sleep, timeout},
};

use super::{
    exchange::{Serving, Tunnel, exchange},
    forwarded::Peer,
    gather::Gathering,
    mirrored,
    places::{Place, UnderWay},
    stream::{ClientStream, has_unread},
};
use crate::settings::Limits;

/// The first bytes of HTTP/2 (RFC 9113, section 3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2.0";
/// SETTINGS, and GOAWAY with `HTTP_1_1_REQUIRED` and a text, 60 octets (RFC 9113, sections 6.5, 6.8 and 7).
const GO_AWAY: &[u8] =
    b"\0\0\0\x04\0\0\0\0\0\0\0\x3c\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0dHTTP/2 is not supported; put nginx or Envoy in front";
/// TLS's first byte: a handshake record (RFC 8446, section 5.1).
const TLS: u8 = 0x16;
/// A fatal alert, `protocol_version` (RFC 8446, section 6).
const ALERT: &[u8] = &[0x15, 0x03, 0x01, 0, 2, 2, 70];

/// How long an idle connection stays open once the proxy stops. A request that the client sends meanwhile is answered;
/// if the connection were closed at once, it could be lost.
const REST: Duration = Duration::from_secs(1);

async fn resting(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
    sleep(REST).await;
}

/// Serves a client until it or the proxy ends, or until it must leave its place to another.
pub(crate) async fn serve(
    mut tcp: TcpStream,
    serving: Rc<Serving>,
    peer: Peer,
    limits: &Limits,
    mut stop: watch::Receiver<bool>,
    place: &Place,
) {
    let mut first = [0; HTTP2.len()];
    let length = tokio::select! {
        biased;
        peeked = timeout(limits.head, tcp.peek(&mut first)) => match peeked {
            Ok(Ok(length)) => length,
            _ => return,
        },
        () = resting(&mut stop) => return,
        () = place.has_to_leave(|| !has_unread(&tcp)) => return,
    };
    let refusal = match &first[..length] {
        [TLS, ..] => Some(ALERT),
        first if first == HTTP2 => Some(GO_AWAY),
        _ => None,
    };
    if let Some(refusal) = refusal {
        // A client that has left does not learn the reason.
        let _ = tcp.write_all(refusal).await;
        let _ = tcp.shutdown().await;
        return;
    }
    let mut http = http1::Builder::new();
    http.preserve_header_case(true)
        .auto_date_header(false)
        .half_close(false)
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes.max(64 << 10));
    let tunnel = Tunnel::default();
    let stopping = stop.clone();
    let service = service_fn(|request| {
        let (serving, peer, tunnel, stopping) = (&serving, &peer, &tunnel, &stopping);
        async move {
            let under_way = UnderWay::new(place.seat());
            let mut response = match &serving.mirrored {
                Some(mirrored) => mirrored::take(request, serving, mirrored, peer, under_way).await,
                None => exchange(request, serving, peer, tunnel, under_way).await,
            };
            if *stopping.borrow() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
                // The client must send its next request to another proxy.
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let (stream, presence) = ClientStream::new(tcp, limits.progress, Arc::clone(place.seat()));
    let connection = http.serve_connection(Gathering(stream), service).with_upgrades();
    let mut connection = pin!(connection);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            biased;
            // Comes first, so that the client sees how its connection ends.
            _ = connection.as_mut() => break,
            () = presence.left() => return,
            // Returning closes the connection at once. The client is owed nothing, and no byte is unread.
            () = place.has_to_leave(|| presence.is_quiet()) => return,
            () = resting(&mut stop), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
    place.seat().becomes_tunnel();
    tokio::select! {
        () = tunnel.run() => {}
        () = place.has_to_leave(|| true) => {}
    }
}
