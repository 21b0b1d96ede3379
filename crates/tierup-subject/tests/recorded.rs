//! Calls of two servers: those of one are passed on and recorded, those of the other are answered from that record.

use std::{
    io::{BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use hyper::header::HeaderName;
use tierup_parity::{Comparator, DownstreamCall, JsonRules, Policy};
use tierup_subject::{Attribution, Case, Double, Record, RecordedAnswer, Relay, Service};

/// A service that answers with the number of the call, and keeps the head and body of each call.
struct Real {
    address: String,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl Real {
    fn start() -> Real {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::<Mutex<Vec<(String, String)>>>::default();
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || {
                    let mut writer = stream.try_clone().expect("a second handle");
                    let mut reader = BufReader::new(stream);
                    while let Some((head, body)) = message(&mut reader) {
                        if body == "close" {
                            return;
                        }
                        let number = {
                            let mut kept = kept.lock().expect("no test panics here");
                            kept.push((head, body));
                            kept.len().to_string()
                        };
                        let head = "HTTP/1.1 201 Created\r\nX-Own: yes\r\nContent-Type: text/plain\r\nContent-Length";
                        let _ = write!(writer, "{head}: {}\r\n\r\n{number}", number.len());
                    }
                });
            }
        });
        Real { address, asked }
    }

    fn bodies(&self) -> Vec<String> {
        self.asked.lock().expect("no test panics here").iter().map(|(_, body)| body.clone()).collect()
    }
}

/// Head and body of the next message.
fn message(reader: &mut impl std::io::BufRead) -> Option<(String, String)> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        if line == "\r\n" {
            break;
        }
        head += &line;
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8_lossy(&body).into_owned()))
}

/// A server's connection to the service that it calls.
struct Caller(BufReader<TcpStream>);

impl Caller {
    fn new((_, url): (String, String)) -> Caller {
        let stream = TcpStream::connect(url.trim_start_matches("http://")).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        Caller(BufReader::new(stream))
    }

    /// The answer to a call; `None` where the connection ends.
    fn post(&mut self, header: &str, body: &str) -> Option<(String, String)> {
        let length = body.len();
        let head = format!("POST /store?a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{header}");
        // In one write: with several, the second would wait for an acknowledgement of the first.
        self.0.get_mut().write_all(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes()).ok()?;
        loop {
            let (head, body) = message(&mut self.0)?;
            if !head.starts_with("HTTP/1.1 100 ") {
                return Some((head, body));
            }
        }
    }
}

fn service() -> Service {
    Service { variable: "STORE".into(), status: 200, content_type: "text/plain".into(), body: "here".into() }
}

fn json() -> Policy {
    Policy { bodies: Comparator::Json(JsonRules::default()), ..Policy::default() }
}

fn bodies(calls: &[DownstreamCall]) -> Vec<String> {
    calls.iter().map(|call| String::from_utf8_lossy(&call.body).into_owned()).collect()
}

fn recorded(record: &Record) -> Vec<String> {
    bodies(&record.calls.iter().map(|recorded| recorded.call.clone()).collect::<Vec<_>>())
}

/// Waits until no call is under way.
fn quiet(quiet_in: impl Fn() -> Option<Duration>) {
    let began = Instant::now();
    while quiet_in() != Some(Duration::ZERO) {
        assert!(began.elapsed() < Duration::from_secs(60), "a call is under way");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_relay_passes_calls_on_and_records_those_of_open_requests() {
    let real = Real::start();
    let relay = Relay::start("STORE", real.address.parse().expect("an address"), Attribution::Lane, 1000)
        .expect("the relay starts");
    assert_eq!(relay.environment().0, "STORE");
    let mut caller = Caller::new(relay.environment());
    assert_eq!(caller.post("", "before").expect("an answer").1, "1");
    assert!(relay.open("") && !relay.open(""));
    let (head, body) =
        caller.post("Expect: 100-continue\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n", "one").expect("one");
    assert!(head.starts_with("HTTP/1.1 201 Created\r\nX-Own: yes\r\n"), "{head}");
    assert_eq!(body, "2");
    caller.post("", "two").expect("an answer");
    let answered = Instant::now();
    quiet(|| relay.quiet_in("", Some(answered), Duration::from_millis(5)));
    let record = relay.close("");
    assert_eq!(caller.post("", "behind").expect("an answer").1, "4");

    assert_eq!((recorded(&record), record.is_cut), (vec!["one".to_owned(), "two".to_owned()], false));
    let call = &record.calls[0].call;
    assert_eq!((call.method.as_str(), call.target.as_str()), ("POST", "/store?a"));
    assert_eq!(call.content_type.as_deref(), Some("application/json"));
    match &record.calls[0].answer {
        RecordedAnswer::Whole { status, headers, body } => {
            assert_eq!((status.as_u16(), &body[..]), (201, &b"2"[..]));
            assert_eq!(headers["x-own"], "yes");
        }
        RecordedAnswer::Broken => panic!("it was answered"),
    }
    assert_eq!(real.bodies(), ["before", "one", "two", "behind"]);
    assert_eq!(relay.outside(), 2);
    let asked = real.asked.lock().expect("no test panics here")[1].0.to_lowercase();
    assert!(asked.contains(&format!("host: {}\r\n", real.address.trim_start_matches("http://"))), "{asked}");
    assert!(!asked.contains("upgrade"), "{asked}");
}

#[test]
fn a_service_that_breaks_off_or_is_missing_breaks_off_for_the_server_too() {
    let real = Real::start();
    let nobody = tierup_runner::port::free().expect("a port");
    for (address, body) in [(real.address.clone(), "close"), (format!("http://127.0.0.1:{nobody}"), "x")] {
        let relay = Relay::start("STORE", address.parse().expect("an address"), Attribution::Lane, 1000)
            .expect("the relay starts");
        relay.open("");
        assert_eq!(Caller::new(relay.environment()).post("", body), None);
        quiet(|| relay.quiet_in("", None, Duration::ZERO));
        let record = relay.close("");
        assert_eq!(recorded(&record), [body]);
        assert!(matches!(record.calls[0].answer, RecordedAnswer::Broken));

        let double = Double::start(&service(), Attribution::Lane, 1000).expect("the double starts");
        double.open("", Case { record, policy: json() });
        assert_eq!(Caller::new(double.environment()).post("", body), None);
        assert_eq!(bodies(&double.close("").calls), [body]);
    }
}

#[test]
fn a_record_without_room_is_cut_and_the_call_is_passed_on() {
    let real = Real::start();
    let relay = Relay::start("STORE", real.address.parse().expect("an address"), Attribution::Lane, 10)
        .expect("the relay starts");
    relay.open("");
    let large = "x".repeat(100_000);
    assert_eq!(Caller::new(relay.environment()).post("", &large).expect("an answer").1, "1");
    assert!(relay.close("").is_cut);
    assert_eq!(real.bodies(), [large]);
}

#[test]
fn a_header_tells_the_calls_of_overlapping_requests_apart() {
    let real = Real::start();
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let relay =
        Relay::start("STORE", real.address.parse().expect("an address"), by.clone(), 1000).expect("the relay starts");
    let mut caller = Caller::new(relay.environment());
    assert!(relay.open("a") && relay.open("b") && !relay.open("a"));
    for (id, body) in [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")] {
        caller.post(&format!("X-Request-Id: {id}\r\n"), body).expect("an answer");
    }
    let [of_a, of_b] = ["a", "b"].map(|key| relay.close(key));
    assert_eq!((recorded(&of_a), recorded(&of_b)), (vec!["1".into(), "3".into()], vec!["2".into()]));

    let double = Double::start(&service(), by, 1000).expect("the double starts");
    assert!(double.open("a", Case { record: of_a, policy: json() }));
    assert!(double.open("b", Case { record: of_b, policy: json() }));
    let mut candidate = Caller::new(double.environment());
    let mut status = |id: &str, body: &str| {
        let (head, _) = candidate.post(&format!("X-Request-Id: {id}\r\n"), body).expect("an answer");
        head.split(' ').nth(1).map(str::to_owned)
    };
    assert_eq!(status("a", "3").as_deref(), Some("201"));
    assert_eq!(status("b", "3").as_deref(), Some("502"), "a's call is not b's");
    assert_eq!(status("b", "2").as_deref(), Some("201"));
    assert_eq!(
        (bodies(&double.close("a").calls), bodies(&double.close("b").calls)),
        (vec!["3".into()], vec!["3".into(), "2".into()])
    );
    assert_eq!(real.bodies(), ["1", "2", "3", "4"], "nothing of the candidate's gets out");
}

#[test]
fn a_double_answers_in_any_order_and_refuses_calls_that_control_did_not_make() {
    let real = Real::start();
    let relay = Relay::start("STORE", real.address.parse().expect("an address"), Attribution::Lane, 1000)
        .expect("the relay starts");
    relay.open("");
    let mut caller = Caller::new(relay.environment());
    for body in ["[1, 2]", "[1,2]", "3"] {
        caller.post("", body).expect("an answer");
    }
    let double = Double::start(&service(), Attribution::Lane, 1000).expect("the double starts");
    let mut candidate = Caller::new(double.environment());
    assert_eq!(candidate.post("", "at its start").expect("an answer").1, "here");
    assert!(double.open("", Case { record: relay.close(""), policy: json() }));
    let mut ask = |body: &str| {
        let (head, body) = candidate.post("", body).expect("an answer");
        (head.split(' ').nth(1).unwrap_or_default().to_owned(), body)
    };
    let whole = |body: &str| ("201".to_owned(), body.to_owned());
    assert_eq!(ask("3"), whole("3"));
    assert_eq!(ask("[1,2]"), whole("2"), "the same to the byte comes first");
    assert_eq!(ask("[1 ,2]"), whole("1"), "the same by the rules");
    assert_eq!(ask("3"), whole("3"), "once more than control");
    let (status, body) = ask("4");
    assert_eq!(status, "502");
    assert_eq!(body, "tierup: control made no such call for this request: POST /store?a\n");
    assert_eq!(bodies(&double.close("").calls), ["3", "[1,2]", "[1 ,2]", "3", "4"]);
    assert_eq!(double.outside(), 1);
    assert_eq!(real.bodies().len(), 3);
}

#[test]
fn a_double_keeps_no_more_calls_than_it_has_room_for() {
    let many = 1000;
    for (room, fits, calls) in [(10, "7777777777", 1), (100_000, "7", many)] {
        let double = Double::start(&service(), Attribution::Lane, room).expect("the double starts");
        assert!(double.open("", Case { record: Record::default(), policy: json() }));
        let mut candidate = Caller::new(double.environment());
        let mut ask = |body: &str| candidate.post("", body).expect("an answer").1;
        for _ in 0..calls {
            assert!(ask(fits).contains("no such call"), "{room}");
        }
        assert_eq!((double.calls(""), double.are_too_many("")), (calls, false), "{room}");
        for _ in 0..2 {
            assert_eq!(ask("7"), "tierup: too many calls for this request\n", "{room}");
        }
        assert!(double.are_too_many(""), "{room}");
        let made = double.close("");
        assert_eq!((made.calls.len(), made.are_too_many), (0, true), "{room}");
    }
}

#[test]
fn the_address_of_a_service_is_a_name_and_a_port_without_a_path() {
    let read = |text: &str| text.parse::<tierup_subject::RealService>().map(|it| it.to_string()).ok();
    assert_eq!(read("http://payments.internal:8080/").as_deref(), Some("http://payments.internal:8080"));
    assert_eq!(read("http://[::1]:80").as_deref(), Some("http://[::1]:80"));
    for wrong in ["https://a", "a:80", "http://", "http://a/b", "http://a:x", "http://a:70000"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}
