//! Asks the candidate what control was asked.

use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use hyper::{
    HeaderMap,
    header::{HOST, HeaderValue},
};
use tierup_parity::{Answer, Observation, Seen, Silence};
use tierup_subject::{Arriving, Connection, Keeping, Prepared};
use tokio::{sync::mpsc::UnboundedReceiver, task::JoinSet, time::timeout};

use crate::{
    copy::Copied,
    names::{Addresses, Names},
    proxy::SHADOW,
    settings::Address,
};

/// How long each address may take to accept.
const CONNECT: Duration = Duration::from_secs(5);
/// How many connections are kept.
const RESTED: usize = 64;

/// Where copies are sent, and how.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub address: Address,
    /// For each answer, from the copy's arrival to the answer's last byte.
    pub patience: Duration,
    /// The largest answer that is read, in bytes.
    pub answer_bytes: usize,
}

/// Both answers to a request.
pub(super) struct Pair {
    pub(super) copied: Copied,
    pub(super) control: Observation,
    pub(super) candidate: Observation,
}

/// A candidate that has an address.
pub(super) struct Asker {
    candidate: Candidate,
    addresses: Addresses,
    /// Keeps them up to date.
    _names: Option<Names>,
}

impl Asker {
    pub(super) fn new(candidate: Candidate) -> io::Result<Asker> {
        let (addresses, names) = Names::look_up(candidate.address.clone())?;
        Ok(Asker { candidate, addresses, _names: names })
    }

    /// Asks until there are no more copies. How many are under way is bounded by their permits.
    pub(super) async fn ask_all(self, mut copied: UnboundedReceiver<Copied>, answered: Sender<Pair>) {
        let lane = Rc::new(Lane { asker: self, rested: RefCell::default(), keeping: Rc::default() });
        let mut under_way = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = under_way.join_next() => {}
                copy = copied.recv() => {
                    let Some(copy) = copy else { break };
                    let (lane, answered) = (Rc::clone(&lane), answered.clone());
                    under_way.spawn_local(async move {
                        // Nobody compares any more: the proxy is about to end.
                        let _ = answered.send(lane.ask(copy).await);
                    });
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }
}

/// The asking thread's connections.
struct Lane {
    asker: Asker,
    rested: RefCell<Vec<Connection>>,
    keeping: Rc<Keeping>,
}

impl Lane {
    async fn ask(&self, copied: Copied) -> Pair {
        let mut headers = copied.headers.clone();
        headers.insert(SHADOW, HeaderValue::from_static("1"));
        let request = Prepared::copied(copied.method.clone(), copied.target.clone(), headers, copied.body.clone());
        let began = Instant::now();
        // A connection that was kept may have been closed, and the request then is sent again: only one that may be is.
        let kept = if copied.method.is_safe() { self.rested.borrow_mut().pop() } else { None };
        let limit = self.asker.candidate.answer_bytes;
        let url = url(&copied.headers, copied.target.path_and_query().map_or("/", |target| target.as_str()));
        let head_took = Cell::new(None);
        let answer = async {
            let mut connection = match kept {
                Some(kept) => kept,
                None => self.connection().await?,
            };
            let read = async |arriving: Arriving| {
                head_took.set(Some(began.elapsed()));
                arriving.whole(limit).await
            };
            let answer = connection.ask(&request, read).await?;
            Ok::<_, Silence>((answer, connection))
        };
        let seen = match timeout(self.asker.candidate.patience, answer).await {
            Ok(Ok((answer, connection))) => {
                let mut rested = self.rested.borrow_mut();
                if rested.len() < RESTED {
                    rested.push(connection);
                }
                Seen::Answer(answer.observed(url.clone()))
            }
            Ok(Err(silence)) => Seen::Nothing(silence),
            Err(_) => Seen::Nothing(Silence::TimedOut),
        };
        let candidate = Observation { seen, downstream: Vec::new(), took: head_took.get() };
        let control = control(&copied, url);
        Pair { copied, control, candidate }
    }

    /// A connection to the first address that accepts.
    async fn connection(&self) -> Result<Connection, Silence> {
        let mut silence = Silence::Refused;
        for address in self.asker.addresses.get() {
            let mut connection = Connection::new(address, Some(CONNECT), Rc::clone(&self.keeping));
            match connection.connect().await {
                Ok(()) => return Ok(connection),
                Err(why) => silence = why,
            }
        }
        Err(silence)
    }
}

/// What control answered, as it is compared.
fn control(copied: &Copied, url: String) -> Observation {
    let answer = &copied.answer;
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers: Vec<_> = answer.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let content_type = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let answer = Answer {
        url,
        status: answer.status.as_u16(),
        headers,
        content_type,
        body: answer.body.to_vec(),
        meaning: None,
    };
    Observation { seen: Seen::Answer(answer), downstream: Vec::new(), took: Some(copied.answer.took) }
}

/// What was asked, as both servers know it.
fn url(headers: &HeaderMap, target: &str) -> String {
    let host = headers.get(HOST).map_or("localhost".into(), |host| String::from_utf8_lossy(host.as_bytes()));
    format!("http://{host}{target}")
}
