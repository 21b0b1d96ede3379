//! Evaluates one expression in Node's inspector: SIGUSR1 opens it, it evaluates, and it is closed again. In: a process
//! and an expression. Out: that it was evaluated, or why not.
//!
//! Meanwhile, the server goes on with its other work. It writes to its standard error output that the inspector was
//! opened and closed.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use procfs::{
    ProcError,
    net::{TcpNetEntry, TcpState},
    process::{FDTarget, Process},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::client_with_config, protocol::WebSocketConfig};

/// Node's port for the inspector.
const PORT: u16 = 9229;
/// How long the inspector may take to open, to answer, and to close.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time between two checks of the process's sockets.
const STEP: Duration = Duration::from_millis(10);
/// The longest list of targets that is read, in bytes. Real ones are short.
const LONGEST_LIST: u64 = 1 << 20;
/// The longest message that is read, in bytes. The longest real one is an error.
const LONGEST_MESSAGE: usize = 1 << 20;

/// The reason why the expression was not evaluated.
pub(super) enum Refusal {
    /// The process does not handle the signal. If it is starting, it may do so later.
    NotYet(String),
    Ever(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Ever(why)
    }
}

/// Evaluates an expression in a process; `require` in it is Node's. Returns notes for the user.
pub(super) fn evaluate(pid: u32, expression: &str) -> Result<Vec<String>, Refusal> {
    let opened = open(pid)?;
    // An inspector that was open before belongs to somebody else, so it stays open.
    let closing = if opened.by_us { CLOSING } else { "" };
    let done = connect(opened.port).and_then(|mut socket| {
        let done = asked(&mut socket, &format!("(() => {{ {closing}; return {expression} }})()"), PATIENCE);
        // The inspector closes after its last client has disconnected.
        let _ = socket.close(None);
        let _ = socket.flush();
        done
    });
    if let (Err(_), true) = (&done, opened.by_us) {
        // The expression may have failed before its part that closes the inspector, so close it separately.
        let _ = connect(opened.port)
            .and_then(|mut socket| asked(&mut socket, &format!("(() => {{ {CLOSING} }})()"), PATIENCE));
    }
    done?;
    Ok(if opened.by_us && !is_closed(pid, opened.port) {
        vec![format!("its inspector is still open on port {}: it closes when the process is less busy", opened.port)]
    } else {
        Vec::new()
    })
}

/// Node's `close` blocks its thread until all clients have disconnected. The delay gives ours the time to do so.
const CLOSING: &str = "const { close } = require('node:inspector'); setTimeout(close, 100)";

struct Opened {
    port: u16,
    by_us: bool,
}

fn open(pid: u32) -> Result<Opened, Refusal> {
    let before = listening(pid)?;
    if before.of_process.contains(&PORT) {
        return Ok(Opened { port: PORT, by_us: false });
    }
    if before.of_others.contains(&PORT) && !has_port_of_its_own(pid) {
        return Err(format!("another program listens on port {PORT}, which Node's inspector needs").into());
    }
    same_network(pid)?;
    if !takes_signal(pid)? {
        return Err(Refusal::NotYet("it does not open its inspector on SIGUSR1".to_owned()));
    }
    let number = Pid::from_raw(pid as i32).ok_or_else(|| "it is no process".to_owned())?;
    kill_process(number, Signal::USR1).map_err(|error| format!("it cannot be sent a signal: {error}"))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        thread::sleep(STEP);
        if let Some(port) = listening(pid)?.of_process.difference(&before.of_process).next() {
            return Ok(Opened { port: *port, by_us: true });
        }
        if Instant::now() >= deadline {
            let seconds = PATIENCE.as_secs();
            return Err(format!(
                "it did not open its inspector within {seconds} s: it may use SIGUSR1 for something of its own"
            )
            .into());
        }
    }
}

/// Whether the process was started with another port for its inspector.
fn has_port_of_its_own(pid: u32) -> bool {
    const OPTIONS: &[&[u8]] = &[b"--inspect-port", b"--debug-port"];
    let of = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let texts = [of("cmdline"), of("environ")];
    OPTIONS.iter().any(|option| texts.iter().any(|text| text.windows(option.len()).any(|part| part == *option)))
}

/// The signal would kill a process that does not handle it.
fn takes_signal(pid: u32) -> Result<bool, String> {
    let bit = 1_u64 << (Signal::USR1.as_raw() - 1);
    let status = Process::new(pid as i32).and_then(|process| process.status());
    let status = status.map_err(|error| format!("cannot see its signals: {error}"))?;
    Ok(status.sigcgt & bit != 0 && status.sigign & bit == 0)
}

/// In a container with its own network, the port would be another one.
fn same_network(pid: u32) -> Result<(), String> {
    let network = |who: &str| std::fs::read_link(format!("/proc/{who}/ns/net"));
    match (network("self"), network(&pid.to_string())) {
        (Ok(own), Ok(other)) if own != other => {
            Err("it is in a network of its own: run tierup in the server's container".to_owned())
        }
        _ => Ok(()),
    }
}

fn is_closed(pid: u32, port: u16) -> bool {
    let deadline = Instant::now() + PATIENCE;
    // If the sockets can no longer be seen, the process has ended.
    while listening(pid).is_ok_and(|listening| listening.of_process.contains(&port)) {
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(STEP);
    }
    true
}

fn connect(port: u16) -> Result<WebSocket<TcpStream>, String> {
    let target = target(port).map_err(|why| format!("its inspector does not answer: {why}"))?;
    let stream = stream(port).map_err(|error| format!("its inspector does not answer: {error}"))?;
    let limits = WebSocketConfig::default().max_message_size(Some(LONGEST_MESSAGE));
    let (socket, _) =
        client_with_config(target, stream, Some(limits)).map_err(|error| format!("its inspector refuses: {error}"))?;
    Ok(socket)
}

fn stream(port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// The address of the process's own target, not of one of its worker threads.
fn target(port: u16) -> Result<String, String> {
    let answer = || -> std::io::Result<String> {
        let mut stream = stream(port)?;
        write!(stream, "GET /json/list HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
        let mut answer = Vec::new();
        let mut stream = stream.take(LONGEST_LIST);
        let mut buffer = [0; 4096];
        // The server keeps the connection open after its answer.
        while body(&answer).is_none() {
            match stream.read(&mut buffer)? {
                0 => break,
                count => answer.extend_from_slice(&buffer[..count]),
            }
        }
        Ok(body(&answer).unwrap_or_default())
    };
    let list: Value = serde_json::from_str(&answer().map_err(|error| error.to_string())?)
        .map_err(|error| format!("it has no list of targets: {error}"))?;
    let of_node = list.as_array().and_then(|targets| targets.iter().find(|target| target["type"] == "node"));
    let url = of_node.and_then(|target| target["webSocketDebuggerUrl"].as_str());
    url.map(str::to_owned).ok_or_else(|| "it lists no target".to_owned())
}

/// The body of an HTTP answer, if it has arrived whole.
fn body(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
    })?;
    body.get(..length).map(str::to_owned)
}

/// Evaluates an expression, and waits for the answer.
fn asked(socket: &mut WebSocket<TcpStream>, expression: &str, patience: Duration) -> Result<(), String> {
    let deadline = Instant::now() + patience;
    let parameters = json!({ "expression": expression, "includeCommandLineAPI": true, "returnByValue": true });
    let question = json!({ "id": 1, "method": "Runtime.evaluate", "params": parameters });
    let broken = |error: tungstenite::Error| format!("its inspector does not answer: {error}");
    socket.send(Message::text(question.to_string())).map_err(broken)?;
    loop {
        // Each read has its own timeout. The deadline stops an inspector that sends messages without end.
        if Instant::now() >= deadline {
            return Err(format!("its inspector did not answer within {} s", patience.as_secs()));
        }
        let Message::Text(text) = socket.read().map_err(broken)? else { continue };
        let answer: Value = serde_json::from_str(&text).map_err(|error| format!("its inspector is odd: {error}"))?;
        if answer["id"] != 1 {
            continue;
        }
        let thrown = &answer["result"]["exceptionDetails"];
        return match (thrown.is_null(), answer["error"].is_null()) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("the agent failed: {}", thrown["exception"]["description"])),
            (_, false) => Err(format!("its inspector refuses: {}", answer["error"]["message"])),
        };
    }
}

/// Ports with a listener in the network of a process.
struct Listening {
    pub(super) of_process: BTreeSet<u16>,
    pub(super) of_others: BTreeSet<u16>,
}

/// The listening sockets in the process's network, from `/proc`: another server would count a connection as a request.
fn listening(pid: u32) -> Result<Listening, String> {
    seen(pid).map_err(|error| format!("cannot see its sockets: {error}"))
}

fn seen(pid: u32) -> Result<Listening, ProcError> {
    let process = Process::new(pid as i32)?;
    let own: BTreeSet<u64> = process
        .fd()?
        .flatten()
        .filter_map(|descriptor| match descriptor.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect();
    // Without IPv6, the file is missing.
    let entries = process.tcp()?.into_iter().chain(process.tcp6().unwrap_or_default());
    let listens = |entry: &TcpNetEntry| entry.state == TcpState::Listen;
    let (own, others): (Vec<_>, Vec<_>) =
        entries.filter(listens).partition(|entry: &TcpNetEntry| own.contains(&entry.inode));
    let ports = |entries: Vec<TcpNetEntry>| entries.iter().map(|entry| entry.local_address.port()).collect();
    Ok(Listening { of_process: ports(own), of_others: ports(others) })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// The result of a question to an inspector that sends `message` without end.
    fn flooded(message: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let message = Message::text(message);
        let inspector = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            while socket.send(message.clone()).is_ok() {}
        });
        let limits = WebSocketConfig::default().max_message_size(Some(LONGEST_MESSAGE));
        let url = format!("ws://127.0.0.1:{port}/");
        let (mut socket, _) = client_with_config(url, stream(port).unwrap(), Some(limits)).unwrap();
        let answer = asked(&mut socket, "1", Duration::from_secs(1)).unwrap_err();
        drop(socket);
        inspector.join().unwrap();
        answer
    }

    #[test]
    fn an_inspector_that_floods_is_given_up() {
        assert_eq!(flooded("{}"), "its inspector did not answer within 1 s");
        assert!(flooded(&" ".repeat(2 << 20)).contains("Space limit exceeded"));
    }
}
