//! Whole runs in which one row fails: the record says how, that row never wins, and the other row is measured as usual.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::{Analysis, Figure, Verdict, analyse},
    record::{Check, Record, Trouble},
};
use tierup_runner::port;
use tierup_subject::{Running, Starting, Subject};

use crate::{
    benchmark::{kinds, measured, plan, requests, standing},
    server::{BODY, Conversation, Server, ok, with},
};

/// How many requests a server answers well before it misbehaves: more than the check and the start of the first block
/// send.
const GOOD_FOR: usize = 10;

/// Measures a row beside a good one, which is the reference.
fn check(subject: Box<dyn Subject>, expected: Expect) {
    let good = Server::good();
    let record =
        measured(&mut plan(vec![("good", standing(good.address)), ("bad", subject)], requests("GET /"))).unwrap();
    let analysis = analyse(&record);
    let sound = &analysis.rows[0];
    assert_eq!(sound.failures.total(), 0, "{:?}", sound.failures);
    let throughput = analysis.cell(0, Figure::Throughput).and_then(|cell| cell.value);
    assert!(sound.troubles.is_empty() && throughput.is_some_and(|throughput| throughput > 0.0));
    for block in &record.blocks {
        assert_eq!((block.rows[0].closed.len(), block.rows[0].open.len()), (1, 1));
    }
    let sentence = &analysis.groups[0].verdicts[0];
    assert_eq!((sentence.row, sentence.verdict), (1, Verdict::Failed), "{}", sentence.text);
    let recommendation = analysis.groups[0].recommendation.as_deref().unwrap_or_default();
    assert!(recommendation.starts_with("Stay at good"), "{recommendation}");
    expected.assert_eq(&shown(&record, &analysis));
}

/// What the record says about the second row. Numbers that depend on the machine are shown as `N`.
fn shown(record: &Record, analysis: &Analysis) -> String {
    let mut lines = Vec::new();
    lines.push(match &record.rows[1].check {
        Check::Failed { trouble } => format!("check: failed: {}", trouble.what),
        Check::Different { different, compared, .. } => format!("check: {different} of {compared} differ"),
        Check::Same { .. } | Check::Alone => "check: same".to_owned(),
    });
    for block in &record.blocks {
        let row = &block.rows[1];
        let trouble = row.trouble.as_ref().map_or("none".to_owned(), |trouble| {
            let log = if trouble.log.is_empty() { String::new() } else { format!(" | {}", trouble.log.join(" | ")) };
            format!("{}{log}", trouble.what)
        });
        lines.push(format!("trouble: {trouble}"));
    }
    // The number of answers before a server's end depends on the machine.
    let has_ended = |trouble: &Trouble| trouble.what.starts_with("it ended");
    let rows =
        record.blocks.iter().map(|block| &block.rows[1]).filter(|row| !row.trouble.as_ref().is_some_and(has_ended));
    let answered = rows.flat_map(|row| &row.closed).map(|slice| slice.answered).sum();
    lines.push(format!("under load: {}", kinds(answered, &analysis.rows[1].failures)));
    numbers_hidden(&lines.join("\n"))
}

fn numbers_hidden(text: &str) -> String {
    let mut hidden = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_digit() && hidden.ends_with('N') => {}
            '.' if hidden.ends_with('N') => {}
            c if c.is_ascii_digit() => hidden.push('N'),
            c => hidden.push(c),
        }
    }
    hidden
}

/// A good server that starts to behave like this under load.
fn turning(converse: impl Fn(&mut Conversation) -> Option<()> + Send + Sync + 'static) -> Server {
    Server::start(move |conversation| {
        while let Some(asked) = conversation.next() {
            let went_on = if asked.number < GOOD_FOR { conversation.send(&ok(BODY)) } else { converse(conversation) };
            if went_on.is_none() {
                return;
            }
        }
    })
}

#[test]
fn nobody_listens() {
    check(
        standing((Ipv4Addr::LOCALHOST, port::free().unwrap()).into()),
        expect![[r#"
            check: failed: it did not answer GET / within Ns: it refused the connection
            trouble: it did not answer GET / within Ns: it refused the connection
            trouble: it did not answer GET / within Ns: it refused the connection
            under load: no right answer; no failure"#]],
    );
}

#[test]
fn it_never_answers() {
    let server = Server::start(|conversation| while conversation.next().is_some() {});
    check(
        standing(server.address),
        expect![[r#"
            check: failed: it did not answer GET / within Ns: it did not answer in time
            trouble: it did not answer GET / within Ns: it did not answer in time
            trouble: it did not answer GET / within Ns: it did not answer in time
            under load: no right answer; no failure"#]],
    );
}

#[test]
fn it_speaks_something_else() {
    let server = Server::answering(|_| b"220 mail ESMTP\r\n".to_vec());
    check(
        standing(server.address),
        expect![[r#"
            check: failed: it did not answer GET / within Ns: its answer is not HTTP, or too large
            trouble: it did not answer GET / within Ns: its answer is not HTTP, or too large
            trouble: it did not answer GET / within Ns: its answer is not HTTP, or too large
            under load: no right answer; no failure"#]],
    );
}

#[test]
fn it_hangs_under_load() {
    let server = turning(|_| Some(()));
    check(
        standing(server.address),
        expect![[r#"
            check: same
            trouble: it gave no correct answer within N s: N timeouts
            trouble: it did not answer GET / within Ns: it did not answer in time
            under load: no right answer; timeouts"#]],
    );
}

#[test]
fn some_requests_are_never_answered() {
    let server = Server::start(|conversation| {
        while let Some(asked) = conversation.next() {
            if asked.number > GOOD_FOR && asked.number % 10 == 0 {
                // It answers nothing after that either, so this connection is lost.
                continue;
            }
            if conversation.send(&ok(BODY)).is_none() {
                return;
            }
        }
    });
    check(
        standing(server.address),
        expect![[r#"
            check: same
            trouble: requests took longer than N s in N slices, so it was not measured further
            trouble: requests took longer than N s in N slices, so it was not measured further
            under load: right answers; timeouts"#]],
    );
}

#[test]
fn it_answers_500_under_load() {
    let server = turning(|conversation| conversation.send(&with("500 Internal Server Error", &[], "oh")));
    check(
        standing(server.address),
        expect![[r#"
        check: same
        trouble: it gave no correct answer within N s: N answers with a wrong status
        trouble: it gave no correct answer within N s: N answers with a wrong status
        under load: no right answer; answers with a wrong status"#]],
    );
}

/// A cold server may be slow, but not wrong.
#[test]
fn it_answers_500_while_it_warms_up() {
    let server = Server::answering(|asked| match asked.number {
        GOOD_FOR..13 => with("500 Internal Server Error", &[], "oh"),
        _ => ok(BODY),
    });
    check(
        standing(server.address),
        expect![[r#"
            check: same
            trouble: none
            trouble: none
            under load: right answers; answers with a wrong status"#]],
    );
}

#[test]
fn now_and_then_it_answers_wrongly() {
    let server = Server::answering(|asked| match asked.number {
        number if number > GOOD_FOR && number % 20 == 0 => ok("wrong"),
        _ => ok(BODY),
    });
    check(
        standing(server.address),
        expect![[r#"
        check: same
        trouble: none
        trouble: none
        under load: right answers; answers with a wrong body"#]],
    );
}

#[test]
fn it_closes_connections_under_load() {
    let server = turning(|_| None);
    check(
        standing(server.address),
        expect![[r#"
            check: same
            trouble: it gave no correct answer within N s: N connections closed before the answer
            trouble: it did not answer GET / within Ns: it closed the connection before its answer was complete
            under load: no right answer; connections closed before the answer"#]],
    );
}

/// A client that does not resend would see this failure, although the benchmark's own client could resend.
#[test]
fn now_and_then_it_closes_a_connection_with_a_request_on_it() {
    let server = Server::start(|conversation| {
        while let Some(asked) = conversation.next() {
            let lost = asked.number > GOOD_FOR && asked.number % 20 == 0;
            if lost || conversation.send(&ok(BODY)).is_none() {
                return;
            }
        }
    });
    check(
        standing(server.address),
        expect![[r#"
            check: same
            trouble: none
            trouble: none
            under load: right answers; connections closed before the answer"#]],
    );
}

#[test]
fn its_answers_differ_from_the_reference_s() {
    let server = Server::answering(|_| ok("something else"));
    check(
        standing(server.address),
        expect![[r#"
        check: N of N differ
        trouble: none
        trouble: none
        under load: right answers; no failure"#]],
    );
}

/// A server with a simulated process, which ends after a number of requests and takes its socket along.
struct Mortal;

struct MortalRunning {
    server: Server,
    left: Arc<AtomicBool>,
}

impl Subject for Mortal {
    fn start(&self, _: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        let left = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&left);
        let server = Server::start(move |conversation| {
            while let Some(asked) = conversation.next() {
                if asked.number > GOOD_FOR {
                    told.store(true, SeqCst);
                    return;
                }
                if conversation.send(&ok(BODY)).is_none() {
                    return;
                }
            }
        });
        Ok(Box::new(MortalRunning { server, left }))
    }
}

impl Running for MortalRunning {
    fn address(&self) -> SocketAddr {
        self.server.address
    }

    fn authority(&self) -> String {
        self.server.address.to_string()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn log(&self) -> Vec<String> {
        vec!["out of memory".into()]
    }

    fn ended(&mut self) -> Option<String> {
        self.left.load(SeqCst).then(|| "signal 9".to_owned())
    }

    fn stop(self: Box<Self>) {}
}

#[test]
fn it_dies_under_load() {
    check(
        Box::new(Mortal),
        expect![[r#"
        check: same
        trouble: it ended under load: signal N | out of memory
        trouble: it ended under load: signal N | out of memory
        under load: no right answer; connections closed before the answer"#]],
    );
}

/// The reference fails, so no row can be compared with it.
#[test]
fn a_reference_that_fails_makes_no_winner() {
    let (bad, good) = (turning(|_| None), Server::good());
    let rows = vec![("bad", standing(bad.address)), ("good", standing(good.address))];
    let record = measured(&mut plan(rows, requests("GET /"))).unwrap();
    let analysis = analyse(&record);
    assert_eq!(analysis.groups[0].verdicts[0].verdict, Verdict::CannotTell);
    let recommendation = analysis.groups[0].recommendation.clone().unwrap();
    assert!(recommendation.starts_with("No verdict: bad, "), "{recommendation}");
    let sentence = &analysis.groups[0].verdicts[0].text;
    assert_eq!(sentence, "good: cannot tell, because bad failed");
}
