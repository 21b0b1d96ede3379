//! What the operator adds to Envoy's configuration.

use std::net::SocketAddr;

use tierup_rollout::{EnvoySettings, Sticky, Weights};

use super::ENVOY;
use crate::{
    Error, Result,
    actuator::{Piece, check_path, check_sticky},
};

/// The name of the layer and of RTDS' resource.
pub(super) const LAYER: &str = "tierup";
/// What the servers' clusters begin with.
pub(super) const SERVER: &str = "tierup-";
/// How late a line may reach the log, in seconds. Envoy's default is ten.
pub(super) const FLUSH: f64 = 1.0;

/// The runtime keys in the order of the route's clusters: the candidate's clients come first and the twin's last, as in
/// [`Bucket::side`](tierup_rollout::Bucket::side). So nobody moves between servers while weights rise.
pub(super) fn keys(weights: Weights) -> [(&'static str, u16); 3] {
    let Weights { candidate, twin } = weights;
    let control = twin.rest().ten_thousandths().saturating_sub(candidate.ten_thousandths());
    [
        ("tierup.weight.tierup-candidate", candidate.ten_thousandths()),
        ("tierup.weight.tierup-control", control),
        ("tierup.weight.tierup-twin", twin.ten_thousandths()),
    ]
}

pub(super) fn check(settings: &EnvoySettings) -> Result<()> {
    if settings.sticky == Sticky::Address {
        let what = "`sticky = \"address\"` is not possible: its configuration cannot tell an address' network".into();
        let hint = "choose a cookie or a header".to_owned();
        return Err(Error::NotSetUp { program: ENVOY, what, hint });
    }
    check_sticky(&settings.sticky, ENVOY, true)?;
    check_path(&settings.log, ENVOY)
}

pub(super) fn pieces(settings: &EnvoySettings) -> Vec<Piece> {
    let client = match &settings.sticky {
        Sticky::Cookie(name) => {
            // A hyphen means something in Lua's patterns.
            let name = name.replace('-', "%-");
            format!("string.match(\";\" .. (headers:get(\"cookie\") or \"\"), \";%s*{name}=([^;]+)\")")
        }
        Sticky::Header(name) => format!("headers:get(\"{}\")", name.to_ascii_lowercase()),
        Sticky::Address => String::new(),
    };
    let salt: u64 = rand::random();
    let log = settings.log.display();
    let piece = |place: &str, text: String| Piece { place: place.to_owned(), text };
    vec![
        piece(
            "Envoy's command line: without it, a line of the log comes up to ten seconds late",
            "--file-flush-interval-msec 200\n".into(),
        ),
        piece(
            "envoy.yaml: the weights. A layer of yours that sets nothing of tierup's may stand before or after it. Leave \
             your `node` as it is, and name one if there is none",
            format!(
                "\
node: {{ id: NODE, cluster: NODE }}
layered_runtime:
  layers:
  - name: {LAYER}
    rtds_layer:
      name: {LAYER}
      rtds_config:
        resource_api_version: V3
        initial_fetch_timeout: 1s
        api_config_source:
          api_type: GRPC
          transport_api_version: V3
          set_node_on_first_message_only: true
          grpc_services:
          - envoy_grpc:
              cluster_name: tierup-judge
              retry_policy: {{ retry_back_off: {{ base_interval: 0.5s, max_interval: 5s }} }}
"
            ),
        ),
        piece(
            "envoy.yaml, static_resources.clusters: the servers' addresses and ports are yours to fill in. SHADOW is that of \
             `tierup shadow`; while it does not run, control is asked directly. Without a twin, give control's for it. Add \
             what your clusters had, such as TLS",
            [
                judge(settings.listen),
                server("control", "SHADOW", "CONTROL"),
                server("candidate", "CANDIDATE", "CONTROL"),
                server("twin", "TWIN", "CONTROL"),
                server("rest", "SHADOW", "CONTROL"),
            ]
            .concat(),
        ),
        piece(
            "envoy.yaml, http_connection_manager, access_log: beside yours",
            format!(
                "\
- name: envoy.access_loggers.file
  filter:
    metadata_filter:
      matcher: {{ filter: tierup, path: [ {{ key: client }} ], value: {{ present_match: true }} }}
      match_if_key_not_found: false
  typed_config:
    \"@type\": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: {log}
    log_format:
      text_format_source:
        inline_string: \"tierup=%UPSTREAM_CLUSTER%:%RESPONSE_CODE%:%RESPONSE_FLAGS%:%UPSTREAM_REQUEST_ATTEMPT_COUNT%:\\
          %START_TIME(%s%3f)%:%DYNAMIC_METADATA(tierup:routed)%:%DYNAMIC_METADATA(tierup:client)%:\\
          %COMMON_DURATION(US_TX_BEG:US_RX_BEG:us)%:%DURATION%:%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%\\n\"
"
            ),
        ),
        piece(
            "envoy.yaml, http_connection_manager, http_filters: before the router. It names the client by 32 bits of a hash, \
             which do not tell who it is. The number in it is a new one each time that this is printed: with a new one, \
             other clients are the candidate's first",
            format!(
                "\
- name: tierup
  typed_config:
    \"@type\": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
    default_source_code:
      inline_string: |
        function envoy_on_request(request)
          local headers = request:headers()
          headers:remove(\"x-tierup-client\")
          local method = headers:get(\":method\")
          if method ~= \"GET\" and method ~= \"HEAD\" then return end
          local client = {client}
          if not client or client == \"\" then return end
          -- FNV-1a, 32 bits; 16777619 is 2^24 + 403.
          local key, hash = \"{salt:016x}\" .. client, bit.tobit(2166136261)
          for place = 1, #key do
            hash = bit.bxor(hash, string.byte(key, place))
            hash = bit.tobit(bit.lshift(hash, 24) + hash * 403)
          end
          headers:add(\"x-tierup-client\", bit.tohex(hash))
          local metadata = request:streamInfo():dynamicMetadata()
          metadata:set(\"tierup\", \"client\", bit.tohex(hash))
          -- Not when the request began: a client may begin it at other weights.
          metadata:set(\"tierup\", \"routed\", string.format(\"%.0f\", request:timestamp()))
        end
"
            ),
        ),
        piece(
            "envoy.yaml, the virtual host, routes: instead of the route whose requests are shared. Both keep its `match` and \
             what else it had, such as `timeout`, but no other `retry_on`: a retry counts as a bad answer. Other requests \
             than GET and HEAD, and clients that cannot be told apart, take the second",
            routes(),
        ),
    ]
}

fn judge(address: SocketAddr) -> String {
    let (ip, port) = (address.ip(), address.port());
    format!(
        "\
- name: tierup-judge
  type: STATIC
  connect_timeout: 1s
  typed_extension_protocol_options:
    envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
      \"@type\": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      explicit_http_config: {{ http2_protocol_options: {{}} }}
  load_assignment:
    cluster_name: tierup-judge
    endpoints: [ {{ lb_endpoints: [ {{ endpoint: {{ address: {{ socket_address: {{ address: \"{ip}\", port_value: {port} }} }} }} }} ] }} ]
"
    )
}

/// A server's cluster. Its second endpoint is asked if the first refuses the connection; each such request is a retry,
/// and by default Envoy would make no more than three at a time.
fn server(name: &str, first: &str, second: &str) -> String {
    let endpoint = |priority: u8, name: &str| {
        format!(
            "    - {{ priority: {priority}, lb_endpoints: [ {{ endpoint: {{ address: {{ socket_address: {{ address: {name}, \
             port_value: {name}_PORT }} }} }} }} ] }}\n"
        )
    };
    format!(
        "\
- name: {SERVER}{name}
  type: STATIC
  connect_timeout: 1s
  circuit_breakers: {{ thresholds: [ {{ max_retries: 100000 }} ] }}
  load_assignment:
    cluster_name: {SERVER}{name}
    endpoints:
{}{}",
        endpoint(0, first),
        endpoint(1, second)
    )
}

fn routes() -> String {
    let retry = "    retry_policy:
      retry_on: connect-failure
      retry_priority:
        name: envoy.retry_priorities.previous_priorities
        typed_config:
          \"@type\": type.googleapis.com/envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig
          update_frequency: 1
";
    format!(
        "\
- match: {{ prefix: \"/\", headers: [ {{ name: x-tierup-client, present_match: true }} ] }}
  stat_prefix: tierup
  request_headers_to_remove: [ x-tierup-client ]
  route:
    hash_policy: [ {{ header: {{ header_name: x-tierup-client }} }} ]
    weighted_clusters:
      use_hash_policy: true
      runtime_key_prefix: tierup.weight
      clusters:
      - {{ name: tierup-candidate, weight: 0 }}
      - {{ name: tierup-control, weight: 10000 }}
      - {{ name: tierup-twin, weight: 0 }}
{retry}- match: {{ prefix: \"/\" }}
  route:
    cluster: tierup-rest
{retry}"
    )
}
