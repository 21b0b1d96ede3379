//! New clients without a free place: the longest idle connection leaves, and clients that wait for an answer stay.

use std::{
    io::{Read as _, Write as _},
    sync::{Mutex, atomic::Ordering::Relaxed, mpsc},
    thread,
    time::Duration,
};

use tierup_shadow::{
    Limits,
    parts::{Collector, Proxy, Settings},
};

use crate::support::{Client, Recorder, limits, proxy_of, settings};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const UPGRADE: &str = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
/// Longer than a connection must have been idle to be closed.
const LONG: Duration = Duration::from_millis(1500);

/// A proxy with this many places, whose clients leave for no other reason.
fn crowded(control: &Recorder, connections: usize, collector: &Collector) -> Proxy {
    let hours = Duration::from_secs(3600);
    let limits = Limits { head: hours, progress: Duration::from_secs(1), connections, ..limits() };
    proxy_of(&Settings { limits, ..settings(control.address) }, None, collector)
}

fn proxy(control: &Recorder, connections: usize) -> Proxy {
    crowded(control, connections, &Collector::new(&[]).0)
}

fn answer(client: &mut Client) {
    assert!(client.head().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(client.bytes(2), "ok");
}

fn ask(client: &mut Client) {
    answer(client.send(GET));
}

/// A server that answers the first request when it is told to, and others at once.
fn holding() -> (Recorder, mpsc::Sender<()>) {
    let (tell, told) = mpsc::channel();
    let told = Mutex::new(Some(told));
    let control = Recorder::start(move |_, stream| {
        let first = told.lock().expect("no test panics here").take();
        let _ = first.map(|told| told.recv());
        stream.write_all(OK.as_bytes()).is_ok()
    });
    (control, tell)
}

#[test]
fn a_new_client_gets_the_place_of_the_longest_idle_one() {
    let control = Recorder::answering(OK);
    let (collector, _notes) = Collector::new(&[]);
    let proxy = crowded(&control, 3, &collector);
    let [mut first, mut second, mut third] = [(); 3].map(|()| Client::new(&proxy));
    [&mut first, &mut second, &mut third].into_iter().for_each(ask);
    ask(&mut first);
    let mut new = Client::new(&proxy);
    ask(&mut new);
    assert_eq!(second.rest(), "");
    [&mut first, &mut third, &mut new].into_iter().for_each(ask);
    let counted = collector.connections();
    assert_eq!([&counted.open, &counted.limit, &counted.closed].map(|count| count.load(Relaxed)), [3, 3, 1]);
}

#[test]
fn many_new_clients_get_their_places_one_after_another() {
    let control = Recorder::answering(OK);
    let proxy = proxy(&control, 4);
    let mut clients: Vec<_> = (0..16).map(|_| Client::new(&proxy)).collect();
    // A connection that sends nothing for a second is closed.
    for client in &mut clients {
        client.send(GET);
    }
    // They get answers in the order in which they connected, and none of them leaves.
    clients.iter_mut().for_each(answer);
}

#[test]
fn half_a_head_or_nothing_at_all_keeps_no_place() {
    let control = Recorder::answering(OK);
    for sent in ["", "G", "GET / HTTP/1.1\r\nHost: a\r\nX: "] {
        let proxy = proxy(&control, 1);
        let mut first = Client::new(&proxy);
        first.send(sent);
        ask(&mut Client::new(&proxy));
        assert_eq!(first.rest(), "", "{sent:?}");

        let mut third = Client::new(&proxy);
        ask(&mut third);
        third.send(sent);
        ask(&mut Client::new(&proxy));
        assert_eq!(third.rest(), "", "{sent:?} after an answer");
    }
}

#[test]
fn a_head_that_trickles_in_keeps_no_place() {
    let control = Recorder::answering(OK);
    let proxy = proxy(&control, 1);
    let mut slow = Client::new(&proxy);
    slow.send("GET / HTTP/1.1\r\nX: ");
    let new = thread::spawn({
        let mut new = Client::new(&proxy);
        move || ask(&mut new)
    });
    while !new.is_finished() {
        slow.send("y");
        thread::sleep(Duration::from_millis(50));
    }
    new.join().expect("it is answered");
    assert_eq!(slow.rest(), "");
}

#[test]
fn waiting_for_an_answer_keeps_a_place_and_waiting_for_a_place_is_counted() {
    let (control, tell) = holding();
    let (collector, _notes) = Collector::new(&[]);
    let proxy = crowded(&control, 1, &collector);
    let mut first = Client::new(&proxy);
    first.send(GET);
    while control.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let mut second = Client::new(&proxy);
    second.send(GET);
    let counted = collector.connections();
    while counted.waited.load(Relaxed) == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((control.asked().len(), counted.closed.load(Relaxed)), (1, 0), "there is no place");
    let warnings: Vec<_> = counted.warnings().collect();
    assert!(matches!(&warnings[..], [only] if only.contains("all 1 places for clients are in use")), "{warnings:?}");
    tell.send(()).expect("control waits");
    answer(&mut first);
    answer(&mut second);
    assert_eq!(first.rest(), "");
}

#[test]
fn a_client_that_sends_its_body_stays() {
    let control = Recorder::answering(OK);
    let limits = Limits { connections: 1, ..limits() };
    let proxy = proxy_of(&Settings { limits, ..settings(control.address) }, None, &Collector::new(&[]).0);
    let mut first = Client::new(&proxy);
    first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo");
    let mut second = Client::new(&proxy);
    second.send(GET);
    thread::sleep(LONG);
    answer(first.send("dy"));
    answer(&mut second);
}

#[test]
fn a_client_that_reads_its_answer_slowly_stays() {
    const LENGTH: usize = 30 << 20;
    let control = Recorder::start(|_, stream| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n");
        stream.write_all(head.as_bytes()).is_ok() && stream.write_all(&vec![b'x'; LENGTH]).is_ok()
    });
    let limits = Limits { connections: 1, ..limits() };
    let proxy = proxy_of(&Settings { limits, ..settings(control.address) }, None, &Collector::new(&[]).0);
    let mut first = Client::new(&proxy);
    first.send(GET).head();
    let mut second = Client::new(&proxy);
    second.send(GET);
    thread::sleep(LONG);
    assert_eq!(first.bytes(LENGTH).len(), LENGTH);
    assert!(second.head().starts_with("HTTP/1.1 200 OK\r\n"));
}

/// A server that switches protocols on request, and reports when that connection ends.
fn switching() -> (Recorder, mpsc::Receiver<()>) {
    let (tell, told) = mpsc::channel();
    let control = Recorder::start(move |asked, stream| {
        if asked.value("upgrade").is_none() {
            return stream.write_all(OK.as_bytes()).is_ok();
        }
        let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        let mut bytes = [0; 100];
        let mut is_open = stream.write_all(answer.as_bytes()).is_ok();
        while is_open {
            is_open =
                stream.read(&mut bytes).is_ok_and(|length| length > 0 && stream.write_all(&bytes[..length]).is_ok());
        }
        let _ = tell.send(());
        false
    });
    (control, told)
}

#[test]
fn an_idle_tunnel_leaves_if_no_other_connection_can() {
    let (control, ended) = switching();
    let proxy = proxy(&control, 2);
    let mut tunnel = Client::new(&proxy);
    assert!(tunnel.send(UPGRADE).head().starts_with("HTTP/1.1 101 "));
    let mut other = Client::new(&proxy);
    ask(&mut other);
    thread::sleep(LONG);
    let mut new = Client::new(&proxy);
    ask(&mut new);
    assert_eq!(other.rest(), "", "the tunnel rested longer, and it stays");
    assert_eq!(tunnel.send("hi").bytes(2), "hi");

    let proxy = self::proxy(&control, 1);
    let mut tunnel = Client::new(&proxy);
    assert!(tunnel.send(UPGRADE).head().starts_with("HTTP/1.1 101 "));
    ask(&mut Client::new(&proxy));
    assert_eq!(tunnel.rest(), "");
    ended.recv_timeout(Duration::from_secs(60)).expect("control's side ends, too");
}

#[test]
fn clients_waiting_for_a_place_are_answered_when_the_proxy_stops() {
    let (control, tell) = holding();
    let proxy = proxy(&control, 1);
    let mut first = Client::new(&proxy);
    first.send(GET);
    while control.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let mut others = [(); 3].map(|()| Client::new(&proxy));
    for other in &mut others {
        other.send(GET);
    }
    let stopping = thread::spawn(move || proxy.stop(Duration::from_secs(60)));
    others.iter_mut().for_each(answer);
    tell.send(()).expect("control waits");
    answer(&mut first);
    stopping.join().expect("it stops");
}
