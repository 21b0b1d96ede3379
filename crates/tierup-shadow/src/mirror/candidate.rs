//! Asks the candidate what control was asked.

use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use hyper::header::{HOST, HeaderValue};
use tierup_parity::{Answer, Observation, Seen, Silence};
use tierup_subject::{Arriving, Connection, Keeping, Prepared};
use tokio::{sync::mpsc::UnboundedReceiver, task::JoinSet, time::timeout};

use crate::{
    copy::Copied,
    lanes::{Doubles, Seats, Taken, wait_for_late_calls},
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
    /// The processes that are asked instead of the one at the address, where calls to other services are compared.
    pub doubles: Option<Doubles>,
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
    addresses: Vec<Addresses>,
    /// Keeps them up to date.
    _names: Option<Names>,
}

impl Asker {
    pub(super) fn new(candidate: Candidate) -> io::Result<Asker> {
        if let Some(doubles) = &candidate.doubles {
            let addresses = doubles.addresses().map(Addresses::only).collect();
            return Ok(Asker { candidate, addresses, _names: None });
        }
        let (addresses, names) = Names::look_up(candidate.address.clone())?;
        Ok(Asker { candidate, addresses: vec![addresses], _names: names })
    }

    /// Asks until there are no more copies. How many are under way is bounded by their permits.
    pub(super) async fn ask_all(self, mut copied: UnboundedReceiver<Copied>, answered: Sender<Pair>) {
        let processes = self.addresses.iter().map(|addresses| Process::new(addresses.clone())).collect();
        let seats = self.candidate.doubles.clone().map(Seats::new);
        let asking = Rc::new(Asking { candidate: self.candidate, processes, seats, keeping: Rc::default() });
        let mut under_way = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = under_way.join_next() => {}
                copy = copied.recv() => {
                    let Some(copy) = copy else { break };
                    let (asking, answered) = (Rc::clone(&asking), answered.clone());
                    under_way.spawn_local(async move {
                        // Nobody compares any more: the proxy is about to end.
                        let _ = answered.send(asking.pair(copy).await);
                    });
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }
}

/// The asking thread.
struct Asking {
    candidate: Candidate,
    processes: Vec<Process>,
    seats: Option<Rc<Seats>>,
    keeping: Rc<Keeping>,
}

/// One of the candidate's processes.
struct Process {
    addresses: Addresses,
    rested: RefCell<Vec<Connection>>,
}

impl Asking {
    async fn pair(&self, mut copied: Copied) -> Pair {
        let mut control = control(&copied);
        let candidate = match (copied.taken.take(), &self.seats) {
            (Some(taken), Some(seats)) => match self.ask_in_lane(&copied, taken, seats, &mut control).await {
                Ok(candidate) => candidate,
                Err(why) => Observation::of(Seen::Skipped(why.to_owned())),
            },
            _ => self.ask(&copied, &self.processes[0]).await,
        };
        Pair { copied, control, candidate }
    }

    /// Asks when control's calls have ended, and waits until the candidate's have; or says why there is nothing to compare.
    async fn ask_in_lane(
        &self,
        copied: &Copied,
        mut taken: Taken,
        seats: &Rc<Seats>,
        control: &mut Observation,
    ) -> Result<Observation, &'static str> {
        let record = taken.settled().await?;
        let seat = seats.take(&copied.headers, target(copied), record).await;
        let mut seat = seat.ok_or("the copy's calls to other services cannot be told from another's")?;
        let mut candidate = self.ask(copied, &self.processes[seat.number()]).await;
        if matches!(candidate.seen, Seen::Answer(_)) {
            if !seat.settled(taken.settle()).await {
                return Err("the candidate's calls to other services go on and on");
            }
            wait_for_late_calls(&taken, &seat).await;
            control.downstream = taken.close()?.calls.into_iter().map(|recorded| recorded.call).collect();
            candidate.downstream = seat.close();
        }
        Ok(candidate)
    }

    async fn ask(&self, copied: &Copied, process: &Process) -> Observation {
        let mut headers = copied.headers.clone();
        headers.insert(SHADOW, HeaderValue::from_static("1"));
        let request = Prepared::copied(copied.method.clone(), copied.target.clone(), headers, copied.body.clone());
        let began = Instant::now();
        // A connection that was kept may have been closed, and the request then is sent again: only one that may be is.
        let kept = if copied.method.is_safe() { process.rested.borrow_mut().pop() } else { None };
        let limit = self.candidate.answer_bytes;
        let head_took = Cell::new(None);
        let answer = async {
            let mut connection = match kept {
                Some(kept) => kept,
                None => process.connection(&self.keeping).await?,
            };
            let read = async |arriving: Arriving| {
                head_took.set(Some(began.elapsed()));
                arriving.whole(limit).await
            };
            let answer = connection.ask(&request, read).await?;
            Ok::<_, Silence>((answer, connection))
        };
        let seen = match timeout(self.candidate.patience, answer).await {
            Ok(Ok((answer, connection))) => {
                let mut rested = process.rested.borrow_mut();
                if rested.len() < RESTED {
                    rested.push(connection);
                }
                Seen::Answer(answer.observed(url(copied)))
            }
            Ok(Err(silence)) => Seen::Nothing(silence),
            Err(_) => Seen::Nothing(Silence::TimedOut),
        };
        Observation { seen, downstream: Vec::new(), took: head_took.get() }
    }
}

impl Process {
    fn new(addresses: Addresses) -> Process {
        Process { addresses, rested: RefCell::default() }
    }

    /// A connection to the first address that accepts.
    async fn connection(&self, keeping: &Rc<Keeping>) -> Result<Connection, Silence> {
        let mut silence = Silence::Refused;
        for address in self.addresses.get() {
            let mut connection = Connection::new(address, Some(CONNECT), Rc::clone(keeping));
            match connection.connect().await {
                Ok(()) => return Ok(connection),
                Err(why) => silence = why,
            }
        }
        Err(silence)
    }
}

/// What control answered, as it is compared.
fn control(copied: &Copied) -> Observation {
    let answer = &copied.answer;
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers: Vec<_> = answer.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let content_type = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let answer = Answer {
        url: url(copied),
        status: answer.status.as_u16(),
        headers,
        content_type,
        body: answer.body.to_vec(),
        meaning: None,
    };
    Observation { seen: Seen::Answer(answer), downstream: Vec::new(), took: Some(copied.answer.took) }
}

/// What was asked, as both servers know it.
fn url(copied: &Copied) -> String {
    let host = copied.headers.get(HOST).map_or("localhost".into(), |host| String::from_utf8_lossy(host.as_bytes()));
    format!("http://{host}{}", target(copied))
}

fn target(copied: &Copied) -> &str {
    copied.target.path_and_query().map_or("/", |target| target.as_str())
}
