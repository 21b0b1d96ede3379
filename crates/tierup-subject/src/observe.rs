//! Asks a server one question after the other, each on a connection of its own, and keeps what came back.
//!
//! In: questions, good and hostile. Out: an [`Observation`] for each, also where nothing came back.

use std::{
    cell::{Cell, RefCell},
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::{
    Request,
    body::{Body, Frame, SizeHint},
    client::conn::http1,
    header::{CONTENT_TYPE, HeaderValue},
};
use hyper_util::rt::TokioIo;
use tierup_bench::load::{InvalidRequest, Prepared, side_by_side};
use tierup_parity::{Answer, Framing, Observation, Seen};
use tokio::{net::TcpStream, task::LocalSet, time::timeout};

use super::questions::Question;
use crate::downstream::{Behaviour, Downstream};

/// Whom to ask, and how.
pub(super) struct Asking<'a> {
    pub(super) address: SocketAddr,
    /// The `Host` header's value where a question has none.
    pub(super) authority: &'a str,
    /// How many questions are under way at a time; one where downstream calls have to be told apart.
    pub(super) width: usize,
    /// For each answer.
    pub(super) patience: Duration,
    pub(super) downstream: Option<&'a Downstream>,
    /// How long to wait behind an answer for calls that the server still makes.
    pub(super) settle: Duration,
    pub(super) interrupted: &'a dyn Fn() -> bool,
}

/// The largest answer that is read.
const ANSWER_LIMIT: usize = 64 << 20;
/// So often a question is asked whose answer may be lost by luck. Any other that nothing came back to is asked once: a
/// server that drops every second connection is wrong.
const ATTEMPTS: usize = 3;
/// Why nothing came back to a question that had all its time.
pub(super) const TIMEOUT: &str = "it does not answer in time";
/// Why nothing came back where nobody listens.
pub(super) const REFUSES: &str = "it refuses connections";
const LOOK_UP: Duration = Duration::from_millis(50);

/// Asks everything once. What was not asked, as the user interrupted, is skipped.
pub(super) fn ask(asking: &Asking<'_>, questions: &[&Question]) -> io::Result<Vec<Observation>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let next = Cell::new(0);
    let found = RefCell::new(vec![Observation::of(Seen::Skipped("interrupted".into())); questions.len()]);
    let lane = || async {
        loop {
            let index = next.replace(next.get() + 1);
            let Some(question) = questions.get(index) else { return };
            let observation = observe(asking, question).await;
            found.borrow_mut()[index] = observation;
        }
    };
    let given_up = async {
        while !(asking.interrupted)() {
            tokio::time::sleep(LOOK_UP).await;
        }
    };
    let local = LocalSet::new();
    runtime.block_on(local.run_until(async {
        tokio::select! {
            () = side_by_side((0..asking.width.max(1)).map(|_| lane())) => {}
            () = given_up => {}
        }
    }));
    drop(local);
    Ok(found.into_inner())
}

async fn observe(asking: &Asking<'_>, question: &Question) -> Observation {
    let began = Instant::now();
    asking.downstream.inspect(|downstream| downstream.behave(question.behaviour));
    let mut seen = Seen::Nothing(String::new());
    for _ in 0..if question.may_break_off() { ATTEMPTS } else { 1 } {
        seen = match timeout(asking.patience, exchange(asking, question)).await {
            Ok(seen) => seen,
            // It had its time: it is not asked again.
            Err(_) => {
                seen = Seen::Nothing(TIMEOUT.to_owned());
                break;
            }
        };
        let is_luck = matches!(seen, Seen::Nothing(_));
        if !is_luck {
            break;
        }
    }
    let took = Some(began.elapsed());
    let Some(downstream) = asking.downstream else { return Observation { seen, downstream: Vec::new(), took } };
    if !asking.settle.is_zero() {
        tokio::time::sleep(asking.settle).await;
    }
    downstream.behave(Behaviour::Answers);
    Observation { seen, downstream: downstream.take(), took }
}

async fn exchange(asking: &Asking<'_>, question: &Question) -> Seen {
    let request = match request(question, asking.authority) {
        Ok(request) => request,
        Err(why) => return Seen::Skipped(why.to_string()),
    };
    let url = format!("http://{}{}", own_name(question, asking.authority), question.request.target);
    let nothing = |why: &str| Seen::Nothing(why.to_owned());
    let Ok(stream) = TcpStream::connect(asking.address).await else { return nothing(REFUSES) };
    // Without it the last part of a large request may wait for 40 ms.
    let _ = stream.set_nodelay(true);
    let Ok((mut sender, connection)) = http1::handshake(TokioIo::new(stream)).await else {
        return nothing("the connection cannot be used");
    };
    // What ends it is told to whoever waits for the answer.
    let driver = tokio::task::spawn_local(connection);
    let seen = match sender.send_request(request).await {
        Ok(response) => {
            let status = response.status().as_u16();
            let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
            let content_type = response.headers().get(CONTENT_TYPE).map(text);
            let headers =
                response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
            match Limited::new(response.into_body(), ANSWER_LIMIT).collect().await {
                Ok(body) => {
                    let body = body.to_bytes().to_vec();
                    Seen::Answer(Answer { url, status, headers, content_type, body, meaning: None })
                }
                Err(_) => nothing("its answer is incomplete or too large"),
            }
        }
        Err(error) if error.is_parse() => nothing("its answer is not HTTP"),
        Err(_) => nothing("it closed the connection without an answer"),
    };
    driver.abort();
    seen
}

/// What the server is told that it is called: it may say so in its answers.
fn own_name<'a>(question: &'a Question, authority: &'a str) -> &'a str {
    let host = question.request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
    host.map_or(authority, |(_, host)| host)
}

fn request(question: &Question, authority: &str) -> Result<Request<Framed>, InvalidRequest> {
    let asked = &question.request;
    let prepared = Prepared::new(&asked.method, &asked.target, &asked.headers, &asked.body, authority)?;
    let content = Some(Bytes::copy_from_slice(&asked.body));
    Ok(prepared.request().map(|_| Framed { content, framing: question.framing }))
}

/// A body that says its length, or does not: hyper then sends chunks.
struct Framed {
    content: Option<Bytes>,
    framing: Framing,
}

impl Body for Framed {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let content = self.content.take().filter(|content| !content.is_empty());
        // Two chunks where there can be two: a reader that takes the first for all is found out.
        let first = content.map(|mut content| match (self.framing, content.len()) {
            (Framing::Chunked, 2..) => {
                let first = content.split_to(content.len() / 2);
                self.content = Some(content);
                self.framing = Framing::Length;
                first
            }
            _ => content,
        });
        Poll::Ready(first.map(|data| Ok(Frame::data(data))))
    }

    fn size_hint(&self) -> SizeHint {
        match (self.framing, &self.content) {
            (Framing::Length, Some(content)) => SizeHint::with_exact(content.len() as u64),
            (Framing::Length, None) => SizeHint::with_exact(0),
            (Framing::Chunked, _) => SizeHint::default(),
        }
    }
}
