//! What the operator adds to nginx's configuration.

use tierup_rollout::{NginxSettings, Sticky};

use super::{NGINX, split::Split, status};
use crate::{
    Result,
    actuator::{Piece, check_path, check_sticky},
};

pub(super) fn check(settings: &NginxSettings) -> Result<()> {
    // In the name of nginx's variable, a header's hyphens become underscores; cookies with hyphens have no variable.
    check_sticky(&settings.sticky, NGINX, matches!(settings.sticky, Sticky::Header(_)))?;
    [&settings.split, &settings.log].into_iter().try_for_each(|path| check_path(path, NGINX))
}

pub(super) fn pieces(settings: &NginxSettings) -> Vec<Piece> {
    let client = match &settings.sticky {
        Sticky::Cookie(name) => format!("$cookie_{name}"),
        Sticky::Header(name) => format!("$http_{}", name.to_ascii_lowercase().replace('-', "_")),
        Sticky::Address => "$remote_addr".to_owned(),
    };
    let requests = status::REQUESTS;
    let (split, log, status) = (settings.split.display(), settings.log.display(), settings.status);
    vec![
        Piece {
            place: format!("the file {split}: with it, nginx starts with control only; tierup writes it later"),
            text: Split::closed().to_file(),
        },
        Piece {
            place: "nginx.conf, section http: the servers' addresses are yours to fill in. SHADOW is that of `tierup \
                    shadow`; while it does not run, control is asked directly. Without a twin, give control's for it. \
                    Other requests than GET and HEAD are not given away"
                .into(),
            text: format!(
                "\
    map $request_method $tierup_key {{
        default \"\";
        GET {client};
        HEAD {client};
    }}
    include {split};
    log_format tierup 'tierup=$tierup_side:$status:$tierup_weights:$tierup_client:$upstream_header_time|$upstream_response_time|$remote_addr';
    log_format tierup_status 'tierup-status=$arg_mark';
    upstream tierup-control {{ server SHADOW:PORT; server CONTROL:PORT backup; }}
    upstream tierup-candidate {{ server CANDIDATE:PORT; }}
    upstream tierup-twin {{ server TWIN:PORT; }}
    server {{
        listen {status};
        access_log {log} tierup_status;
        location / {{
            default_type text/plain;
            return 200 $tierup_in_force;
        }}
        location = {requests} {{
            stub_status;
        }}
    }}
"
            ),
        },
        Piece {
            place: "nginx.conf, the location whose requests are shared: repeat other `access_log` lines of yours beside this \
                    one, as it replaces those of outer sections, and repeat this one in each location that an `error_page` \
                    leads to, as nginx logs there. Without a `proxy_set_header Host` of yours, add one with the name that \
                    your servers got until now"
                .into(),
            text: format!(
                "        access_log {log} tierup;\n        proxy_pass http://tierup-$tierup_side;\n"
            ),
        },
    ]
}
