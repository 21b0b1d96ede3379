//! A server that ends while it is asked: its unanswered questions report the end, and it is started again.

use std::{
    io::Write as _,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tierup_parity::{Observation, Seen};
use tierup_runner::Interrupts;
use tierup_subject::{Ask, Behaviour, Framing, Running, Session, Starting, Subject, Trouble};

use crate::server::{head, requests, server};

/// Starts servers that end when they are asked for `/end`.
#[derive(Default)]
struct Mortal {
    starts: AtomicUsize,
}

struct Started {
    address: SocketAddr,
    gone: Arc<AtomicBool>,
}

impl Subject for Mortal {
    fn start(&self, _: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        self.starts.fetch_add(1, SeqCst);
        let gone = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&gone);
        let address = server(move |stream| {
            if head(stream).starts_with("get /end ") {
                told.store(true, SeqCst);
            } else {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        });
        Ok(Box::new(Started { address, gone }))
    }
}

impl Running for Started {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn authority(&self) -> String {
        self.address.to_string()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn log(&self) -> Vec<String> {
        vec!["out of memory".to_owned()]
    }

    fn ended(&mut self) -> Option<String> {
        self.gone.load(SeqCst).then(|| "signal 9".to_owned())
    }

    fn stop(self: Box<Self>) {}
}

fn said(observations: &[Observation]) -> Vec<String> {
    let each = observations.iter().map(|one| match &one.seen {
        Seen::Answer(answer) => answer.status.to_string(),
        Seen::Nothing(silence) => silence.to_string(),
        other => format!("{other:?}"),
    });
    each.collect()
}

#[test]
fn an_end_is_noticed_and_the_server_started_again() {
    let requests = requests("GET /a\n\n###\nGET /end\n");
    let ask = |index: usize| Ask {
        request: &requests[index],
        framing: Framing::Length,
        behaviour: Behaviour::Answers,
        may_break_off: false,
        may_go_unanswered: false,
    };
    let (mortal, interrupts) = (Mortal::default(), Interrupts::watch());
    let mut session = Session::start(&mortal, None, &interrupts, ()).unwrap();
    assert_eq!(said(&session.ask(&[ask(0)], Duration::ZERO).unwrap()), ["200"]);
    let ended = "it closed the connection without an answer; the server ended (signal 9)";
    for starts in 2..=6 {
        assert_eq!(said(&session.ask(&[ask(0), ask(1)], Duration::ZERO).unwrap()), ["200", ended]);
        assert!(session.trouble().is_none());
        assert_eq!(mortal.starts.load(SeqCst), starts);
    }
    // The server is not started for ever.
    assert_eq!(said(&session.ask(&[ask(1)], Duration::ZERO).unwrap()), [ended]);
    let trouble = session.trouble().unwrap();
    assert_eq!(trouble.what, "it ended 6 times, the last time with signal 9");
    assert_eq!(trouble.log, ["out of memory"]);
    assert_eq!(said(&session.pass(&[ask(0)]).unwrap().seen), ["the server is not running"]);
    session.stop();
    assert_eq!(mortal.starts.load(SeqCst), 6);
}
