//! What the operator adds to HAProxy's configuration.

use tierup_rollout::{HaProxySettings, Sticky};

use super::{
    HAPROXY,
    split::{self, Split},
};
use crate::{
    Error, Result,
    actuator::{Piece, check_sticky},
};

/// The name of the log's ring.
pub(super) const RING: &str = "tierup";

pub(super) fn check(settings: &HaProxySettings) -> Result<()> {
    check_sticky(&settings.sticky, HAPROXY, true)?;
    let plain = |text: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        !text.is_empty() && text.chars().all(fits)
    };
    let map = settings.map.to_str().unwrap_or_default();
    for (what, text) in [("the map's path", map), ("the backend's name", &settings.backend)] {
        if !plain(text) {
            let what = format!("{what} `{text}` cannot stand in its configuration");
            let hint = "choose one of letters, digits, `/`, `.`, `_` and `-`".to_owned();
            return Err(Error::NotSetUp { program: HAPROXY, what, hint });
        }
    }
    Ok(())
}

pub(super) fn pieces(settings: &HaProxySettings) -> Vec<Piece> {
    let HaProxySettings { socket, backend, map, sticky } = settings;
    let (socket, map) = (socket.display(), map.display());
    let client = match sticky {
        Sticky::Cookie(name) => format!("req.cook({name})"),
        Sticky::Header(name) => format!("req.fhdr({name},1)"),
        // As in tierup's own proxy: a client changes the rest of its IPv6 address now and then (RFC 8981).
        Sticky::Address => "src,ipmask(32,64),bytes(0,8)".to_owned(),
    };
    // A request without the cookie or header has no client, so it stays with control.
    let found = match sticky {
        Sticky::Address => String::new(),
        Sticky::Cookie(_) | Sticky::Header(_) => format!(" {{ {client} -m len gt 0 }}"),
    };
    let closed = Split::closed().to_value();
    let piece = |place: String, text: String| Piece { place, text };
    vec![
        piece(format!("the file {map}: with it, HAProxy starts with control only"), format!("{} {closed}\n", split::KEY)),
        piece("haproxy.cfg, section global".into(), format!("    stats socket {socket} mode 600 level admin\n")),
        piece(
            "haproxy.cfg: the answers' log, kept in memory".into(),
            // Longer than any line (`tune.http.logurilen` is 1024): a cut line could end in text that a client wrote.
            format!("ring {RING}\n    format raw\n    maxlen 8192\n    size 4194304\n"),
        ),
        piece(
            "haproxy.cfg, each frontend whose requests are shared: the second line ends your log format; without one of yours, \
             take it as it is. The third replaces your rule for these requests, with its condition if it has one"
                .into(),
            format!(
                "    log ring@{RING} len 8192 format raw local0\n    \
                 log-format \"%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc \
                 %sq/%bq %hr %hs %{{+Q}}r tierup=%b/%s:%ST:%TR/%Tw/%Tc/%Tr/%Ta:%ts:%[var(txn.tierup_candidate)]:\
                 %[var(txn.tierup_twin)]:%[var(txn.tierup_client),hex]:%ci\"\n    \
                 use_backend {backend}\n"
            ),
        ),
        piece(
            "haproxy.cfg: the servers' addresses are yours to fill in. SHADOW is that of `tierup shadow`; while it does not run, \
             control is asked directly. Without a twin, leave out its two lines. Other requests than GET and HEAD stay with \
             control, and so do clients that cannot be told apart"
                .into(),
            format!(
                "\
backend {backend}
    # 500:9500:END:KEY: places below 500 are the candidate's, those from 9500 on the twin's, until END
    http-request set-var(txn.tierup) str({key}),map_str({map},{closed})
    http-request set-var(txn.tierup_until) var(txn.tierup),field(3,:)
    http-request set-var(txn.tierup) str({closed}) unless {{ date,sub(txn.tierup_until) lt 0 }}
    http-request set-var(txn.tierup_candidate) var(txn.tierup),field(1,:)
    http-request set-var(txn.tierup_twin) var(txn.tierup),field(2,:)
    http-request set-var(txn.tierup_key) var(txn.tierup),field(4,:)
    http-request set-var(txn.tierup_client) {client},hmac(sha256,txn.tierup_key),bytes(0,8) if {{ method GET HEAD }}{found}
    http-request set-var(txn.tierup_place) \"var(txn.tierup_client),bytes(0,4),be2dec(,4),mul(10000),div(4294967296)\"
    use-server candidate if {{ var(txn.tierup_place),sub(txn.tierup_candidate) lt 0 }}
    use-server twin if {{ var(txn.tierup_place),sub(txn.tierup_twin) ge 0 }}
    # A server that cannot be connected: control answers instead, after a second or the time-out of connections, whichever
    # is shorter. Once the health check has found it down, at once.
    option redispatch 1
    retries 1
    server control SHADOW:PORT check
    server direct CONTROL:PORT backup
    server candidate CANDIDATE:PORT weight 0 check
    server twin TWIN:PORT weight 0 check
",
                key = split::KEY
            ),
        ),
    ]
}
