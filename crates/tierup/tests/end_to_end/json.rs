//! A server in Node that answers by `JSON.stringify` (like Express's `res.json`), and tier 4 with `keys = "camelCase"`,
//! give the same answers, byte for byte.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

use tierup_runner::port;

use crate::{Running, interrupt, passed, tierup, wait};

/// Also the name of one of the generated server's dependencies.
const NAME: &str = "axum";

/// The user's cargo settings must not affect tierup's builds.
const CARGO_SETTINGS: &str = "[build]\ntarget = \"wasm32-unknown-unknown\"\n";

const LIBRARY: &str = r#"
//! Everything that JSON carries in Node, too: no 64-bit integers, bytes and maps.

pub struct Order {
    pub order_id: u32,
    pub due_date: Option<String>,
    pub order_lines: Vec<OrderLine>,
    pub delivery: Delivery,
    pub payment_kind: PaymentKind,
    pub ratio_32: f32,
}

pub struct OrderLine {
    pub unit_price: f64,
    pub item_count: i32,
    pub is_gift: bool,
    pub r#type: PaymentKind,
    pub get_url: Option<bool>,
    #[allow(non_snake_case)]
    pub getUrl: Option<bool>,
}

pub enum Delivery {
    PickUp,
    ByMail(String),
    Between(f64, f64),
    ToLocker { locker_number: u16, opening_hours: Vec<f64> },
}

pub enum PaymentKind {
    CreditCard,
    Invoice,
}

/// Gives an order back, with what cannot be written in JSON for a price that is negative.
pub fn echo_order(mut order: Order) -> Result<Order, String> {
    if order.order_id == 0 {
        return Err("an order has a number".into());
    }
    for line in &mut order.order_lines {
        if line.unit_price < 0.0 {
            line.unit_price = f64::NAN;
        }
    }
    Ok(order)
}
"#;

const SETTINGS: &str = r#"
[function]
crate = "."
export = ["echo_order"]

[[route]]
request = "POST /orders"
body = "order"
call = "echo_order"
keys = "camelCase"

[host.node]
start = ["node", "server.js"]

[host.node.baseline]
"0" = "baseline.js"
"0:next" = "next.js"

[health]
request = "POST /orders"
body = '''
{"orderId":1,"orderLines":[],"delivery":{"type":"ToLocker","value":{"lockerNumber":7,"openingHours":[8]}},
"paymentKind":"Invoice","ratio32":0.5}'''
"#;

const BASELINE: &str = "exports.echoOrder = (order) => order;";
/// A changed baseline, whose answer to the golden call has another hash.
const NEXT: &str = "exports.echoOrder = (order) => ({ ...order, orderId: order.orderId + 1 });";

const SERVER: &str = r#"
const { echoOrder } = require('axum');
const server = require('node:http').createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    response.end(JSON.stringify(await echoOrder(JSON.parse(body))));
  } catch (error) {
    response.statusCode = 400;
    response.end(error.message);
  }
});
server.listen(process.env.PORT);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
"#;

const LINES: &str = r#"[
    {"unitPrice":4.0,"itemCount":-1,"isGift":true,"type":"Invoice"},
    {"unitPrice":0.1,"itemCount":2147483647,"isGift":false,"type":"CreditCard","get_url":true,"getUrl":null},
    {"unitPrice":-1,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":-0.0,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":1e20,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":1e21,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":0.000001,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":1.5e-7,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":5e-324,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":1.7976931348623157e308,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":9007199254740993,"itemCount":0,"isGift":false,"type":"Invoice"},
    {"unitPrice":0.30000000000000004,"itemCount":0,"isGift":false,"type":"Invoice"}
]"#;

#[test]
fn node_and_tier_4_give_the_same_json() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join(NAME);
    passed("new", &tierup(folder.path(), &["new", NAME, "--host", "node"]).output().unwrap());
    let node = [("node/server.js", SERVER), ("node/baseline.js", BASELINE), ("node/next.js", NEXT)];
    let rust = [("src/lib.rs", LIBRARY), ("tierup.toml", SETTINGS), (".cargo/config.toml", CARGO_SETTINGS)];
    fs::create_dir(project.join(".cargo")).unwrap();
    for (name, text) in rust.into_iter().chain(node) {
        fs::write(project.join(name), text).unwrap();
    }
    golden_answer(&project);
    let orders = [
        order(1, r#""1 May \u2028 \u007f \"\\\/\b\f\n\r\t\u0001 é 😀""#, LINES, r#"{"type":"PickUp"}"#, "0.1"),
        order(2, "null", "[]", r#"{"type":"ByMail","value":"fast"}"#, "16777216"),
        order(4_294_967_295, "null", "[]", r#"{"type":"Between","value":[8,12.5]}"#, "1e-10"),
        order(3, "null", "[]", r#"{"type":"ToLocker","value":{"lockerNumber":7,"openingHours":[8,20.25]}}"#, "3e38"),
        order(0, "null", "[]", r#"{"type":"PickUp"}"#, "1"),
    ];
    let node = answers(&project, "1", &orders);
    assert!(node[0].contains("\"unitPrice\":4,") && node[0].contains("\"unitPrice\":1e+21,"), "{}", node[0]);
    assert!(node[3].contains("\"openingHours\":[8,20.25]"), "{}", node[3]);
    assert_eq!(node[4], "400 an order has a number");
    assert_eq!(answers(&project, "4", &orders), node);

    passed("eject", &tierup(&project, &["eject", "server"]).output().unwrap());
    assert_eq!(answers(&project, "4", &orders), node);
}

/// Without its hash, `tierup build` refuses, and `tierup health` finds it.
fn golden_answer(project: &Path) {
    let build = tierup(project, &["build"]).output().unwrap();
    assert!(String::from_utf8_lossy(&build.stderr).contains("hint: `tierup health --write`"), "{build:?}");
    let said = passed("health", &tierup(project, &["health", "--write"]).output().unwrap());
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[1].ends_with("\", # node 0, node 1:pool") && lines[2].ends_with("\", # node 0:next"), "{said}");
    assert!(fs::read_to_string(project.join("tierup.toml")).unwrap().contains(&said));
    let listed: serde_json::Value =
        serde_json::from_str(&passed("health", &tierup(project, &["health", "--json"]).output().unwrap())).unwrap();
    assert!(listed["answers"].as_array().unwrap().iter().all(|answer| answer["listed"] == true), "{listed}");
}

fn order(number: u32, due_date: &str, lines: &str, delivery: &str, ratio: &str) -> String {
    format!(
        r#"{{"orderId":{number},"dueDate":{due_date},"orderLines":{lines},"delivery":{delivery},"paymentKind":"Invoice","ratio32":{ratio}}}"#
    )
}

/// The answers of a tier's server, as `status body`.
fn answers(project: &Path, tier: &str, bodies: &[String]) -> Vec<String> {
    let port = port::free().unwrap();
    let arguments = ["serve", "--tier", tier, "--port", &port.to_string()];
    let mut server = Running(tierup(project, &arguments).spawn().unwrap());
    wait("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    if tier == "4" {
        let ready = ask(port, "GET /readyz", "");
        assert!(ready.starts_with("200"), "{ready}");
    }
    let answers = bodies.iter().map(|body| ask(port, "POST /orders", body)).collect();
    interrupt(&server.0);
    assert!(server.0.wait().unwrap().success());
    answers
}

fn ask(port: u16, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!(
        "{request} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    format!("{} {body}", head.split_whitespace().nth(1).unwrap())
}
