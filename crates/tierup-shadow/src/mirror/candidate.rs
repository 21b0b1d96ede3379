//! Sends copies to the servers that did not answer the client: the candidate, its twin, or control.

use std::{
    cell::{Cell, RefCell},
    io, mem,
    rc::Rc,
    sync::mpsc::Sender,
    time::{Duration, Instant},
};

use hyper::{
    Method,
    header::{HOST, HeaderValue},
};
use tierup_parity::{Answer, Observation, Seen, Silence};
use tierup_rollout::{
    Side,
    evidence::{self, CONFIRMATIONS},
};
use tierup_subject::{Arriving, Connection, Keeping, Prepared};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    NO_MEMORY,
    doubts::{Again, Doubt},
    has_room,
};
use crate::{
    copy::{Copied, of_headers},
    lanes::{Doubles, Seats, Taken, wait_for_late_calls},
    names::{Addresses, Names},
    proxy::SHADOW,
    settings::Address,
    shares::Held,
};

/// How long each address may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// The most idle connections to a server that are kept.
pub(crate) const MOST_AT_REST: usize = 64;

/// The servers that get copies, and the limits.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub address: Address,
    /// A second process of control, which gets copies of [`evidence::Pair::Second`].
    pub twin: Option<Address>,
    /// Control, which gets copies of requests that another server answered, and is asked again about mismatches.
    pub control: Option<Address>,
    /// How long each answer may take, from the copy's arrival to the answer's last byte.
    pub patience: Duration,
    /// How long after the previous answer both servers are asked again about a mismatch.
    pub again_after: [Duration; CONFIRMATIONS as usize],
    /// The most bytes of an answer that are read.
    pub answer_bytes: usize,
    /// The processes that are asked instead of the one at the address, if calls to other services are compared.
    pub doubles: Option<Doubles>,
    /// The twin's. If calls are compared, only these twin processes get copies: others would call the real service.
    pub twin_doubles: Option<Doubles>,
}

/// Input for the comparing thread.
pub(super) enum Comparable {
    Pair(Box<Pair>),
    Again(Box<Again>),
}

/// Both answers to a request, in the order of comparison: the first is what the second should be like.
pub(super) struct Pair {
    pub(super) copied: Copied,
    pub(super) control: Observation,
    pub(super) candidate: Observation,
    /// Whether the copy made more calls than are kept. That counts as a difference, as all of control's calls are kept.
    pub(super) has_too_many_calls: bool,
    /// The memory of the copy's answer, and of comparing.
    pub(super) memory: Option<Held>,
}

/// The servers with their addresses.
pub(super) struct Asker {
    candidate: Candidate,
    address: Option<Addresses>,
    twin: Option<Addresses>,
    control: Option<Addresses>,
    /// Keeps the addresses up to date.
    _names: Vec<Names>,
}

impl Asker {
    pub(super) fn new(candidate: Candidate) -> io::Result<Asker> {
        let mut names = Vec::new();
        let mut look_up = |address: &Address| {
            let (addresses, looking) = Names::look_up(address.clone())?;
            names.extend(looking);
            io::Result::Ok(addresses)
        };
        let address = match &candidate.doubles {
            Some(_) => None,
            None => Some(look_up(&candidate.address)?),
        };
        let twin = candidate.twin.as_ref().map(&mut look_up).transpose()?;
        let control = candidate.control.as_ref().map(&mut look_up).transpose()?;
        Ok(Asker { candidate, address, twin, control, _names: names })
    }

    /// Whether both servers can be asked again. A double answers calls for one copy only, so it rules that out.
    pub(super) fn can_ask_again(&self) -> bool {
        self.control.is_some() && self.candidate.doubles.is_none()
    }

    /// Asks until there are no more copies. Their permits bound how many are under way.
    pub(super) async fn ask_all(
        self,
        mut copied: UnboundedReceiver<Copied>,
        mut doubts: UnboundedReceiver<Doubt>,
        answered: Sender<Comparable>,
    ) {
        let asking = Rc::new(Asking {
            process: self.address.map(Process::new),
            twin: self.twin.map(Process::new),
            control: self.control.map(Process::new),
            lanes: self.candidate.doubles.clone().map(Lanes::new),
            twin_lanes: self.candidate.twin_doubles.clone().map(Lanes::new),
            candidate: self.candidate,
            keeping: Rc::default(),
        });
        let mut under_way = JoinSet::new();
        // At the end, requests that ask again are not waited for.
        let mut doubted = JoinSet::new();
        loop {
            let (asking, answered) = (Rc::clone(&asking), answered.clone());
            // Sending fails only if the comparing thread has ended, because the proxy is about to end.
            tokio::select! {
                Some(_) = under_way.join_next() => {}
                Some(_) = doubted.join_next() => {}
                copy = copied.recv() => {
                    let Some(copy) = copy else { break };
                    under_way.spawn_local(async move {
                        let _ = answered.send(Comparable::Pair(Box::new(asking.pair(copy).await)));
                    });
                }
                Some(doubt) = doubts.recv() => {
                    doubted.spawn_local(async move {
                        let _ = answered.send(Comparable::Again(Box::new(asking.again(doubt).await)));
                    });
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }
}

/// The state of the asking thread.
struct Asking {
    candidate: Candidate,
    /// The candidate's process.
    process: Option<Process>,
    twin: Option<Process>,
    control: Option<Process>,
    lanes: Option<Lanes>,
    twin_lanes: Option<Lanes>,
    keeping: Rc<Keeping>,
}

/// A server's processes whose calls are answered from control's record.
struct Lanes {
    seats: Rc<Seats>,
    processes: Vec<Process>,
}

impl Lanes {
    fn new(doubles: Doubles) -> Lanes {
        let processes = doubles.addresses().map(Addresses::only).map(Process::new).collect();
        Lanes { seats: Seats::new(doubles), processes }
    }
}

/// A server's process, and the idle connections to it.
struct Process {
    addresses: Addresses,
    rested: RefCell<Vec<Connection>>,
}

impl Asking {
    async fn pair(&self, mut copied: Copied) -> Pair {
        let mut client = answered(&mut copied);
        let memory = copied.memory();
        let (copy, has_too_many_calls) = match copied.taken.take() {
            Some(taken) => match self.ask_in_lane(&copied, taken, &mut client, memory.as_ref()).await {
                Ok(copy) => copy,
                Err(why) => (Observation::new(Seen::Skipped(why.to_owned())), false),
            },
            None => (self.ask_one(&copied, self.process(&copied), memory.as_ref()).await, false),
        };
        let (control, candidate) = match copied.pair {
            evidence::Pair::Verify => (copy, client),
            _ => (client, copy),
        };
        Pair { copied, control, candidate, has_too_many_calls, memory }
    }

    /// The process that gets a copy.
    fn process(&self, copied: &Copied) -> Option<&Process> {
        match copied.pair {
            evidence::Pair::Candidate => self.process.as_ref(),
            // A twin cannot be compared with itself, so control, another process of the same server, is asked.
            evidence::Pair::Second if copied.by != Side::Twin => self.twin.as_ref(),
            evidence::Pair::Second | evidence::Pair::Verify => self.control.as_ref(),
        }
    }

    /// Asks both servers once more after a while, control first.
    async fn again(&self, doubt: Doubt) -> Again {
        sleep(self.candidate.again_after[doubt.times as usize]).await;
        let other = if doubt.copied.pair == evidence::Pair::Second { &self.twin } else { &self.process };
        let memory = doubt.copied.memory();
        let control = self.ask_one(&doubt.copied, self.control.as_ref(), memory.as_ref()).await;
        let other = self.ask_one(&doubt.copied, other.as_ref(), memory.as_ref()).await;
        Again { doubt, control, other, memory }
    }

    async fn ask_one(&self, copied: &Copied, process: Option<&Process>, memory: Option<&Held>) -> Observation {
        match process {
            Some(process) => self.ask(copied, process, memory).await,
            None => Observation::new(Seen::Skipped("there is no server to ask".to_owned())),
        }
    }

    /// Asks once control's calls have ended, and waits until the candidate's have; or says why there is nothing to
    /// compare. Returns the answer, and whether there were too many calls.
    async fn ask_in_lane(
        &self,
        copied: &Copied,
        mut taken: Taken,
        control: &mut Observation,
        memory: Option<&Held>,
    ) -> Result<(Observation, bool), &'static str> {
        let lanes = match copied.pair {
            evidence::Pair::Candidate => self.lanes.as_ref(),
            evidence::Pair::Second => self.twin_lanes.as_ref(),
            evidence::Pair::Verify => None,
        };
        let Lanes { seats, processes } = lanes.ok_or("there is no server to ask")?;
        let record = taken.settled().await?;
        let seat = seats.take(&copied.headers, target(copied), record).await;
        let mut seat = seat.ok_or("the copy's calls to other services cannot be told from another's")?;
        let mut candidate = self.ask(copied, &processes[seat.number()], memory).await;
        let is_answered = matches!(candidate.seen, Seen::Answer(_));
        if is_answered && !seat.settled(taken.settle()).await && !seat.are_too_many() {
            return Err("the candidate's calls to other services go on and on");
        }
        // A server that makes calls endlessly may never answer.
        let mut has_too_many_calls = seat.are_too_many();
        if is_answered && !has_too_many_calls {
            wait_for_late_calls(&taken, &seat).await;
        }
        if is_answered || has_too_many_calls {
            control.downstream = taken.close()?.calls.into_iter().map(|recorded| recorded.call).collect();
            let made = seat.close()?;
            (candidate.downstream, has_too_many_calls) = (made.calls, made.are_too_many);
        }
        Ok((candidate, has_too_many_calls))
    }

    async fn ask(&self, copied: &Copied, process: &Process, memory: Option<&Held>) -> Observation {
        let mut headers = copied.headers.clone();
        headers.insert(SHADOW, HeaderValue::from_static("1"));
        let request = Prepared::copied(copied.method.clone(), copied.target.clone(), headers, copied.body.clone());
        let began = Instant::now();
        // A kept connection may have been closed; then the request is sent again. So only safe requests use one.
        let kept = if copied.is_safe { process.rested.borrow_mut().pop() } else { None };
        let limit = self.candidate.answer_bytes;
        let (head_took, is_full) = (Cell::new(None), Cell::new(false));
        let may_grow = |bytes| {
            is_full.set(!has_room(memory, bytes));
            !is_full.get()
        };
        let answer = async {
            let mut connection = match kept {
                Some(kept) => kept,
                None => process.connection(&self.keeping).await?,
            };
            let read = async |arriving: Arriving| {
                head_took.set(Some(began.elapsed()));
                if !may_grow(of_headers(arriving.headers())) {
                    return Err(Silence::TooLarge);
                }
                // The buffer of a growing body may be twice as large as the body.
                arriving.whole_within(limit, |bytes| may_grow(2 * bytes)).await
            };
            let answer = connection.ask(&request, read).await?;
            Ok::<_, Silence>((answer, connection))
        };
        let seen = match timeout(self.candidate.patience, answer).await {
            Ok(Ok((answer, connection))) => {
                let mut rested = process.rested.borrow_mut();
                // If a server wrongly sends a body after HEAD, and late, it would be read as the next answer.
                if rested.len() < MOST_AT_REST && copied.method != Method::HEAD {
                    rested.push(connection);
                }
                Seen::Answer(answer.observed(url(copied)))
            }
            Ok(Err(_)) if is_full.get() => Seen::Skipped(NO_MEMORY.to_owned()),
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

    /// Makes a connection to the first address that accepts one.
    async fn connection(&self, keeping: &Rc<Keeping>) -> Result<Connection, Silence> {
        let mut silence = Silence::Refused;
        for address in self.addresses.get() {
            let mut connection = Connection::new(address, Some(CONNECT), Rc::clone(keeping));
            match connection.connect().await {
                Ok(()) => return Ok(connection),
                Err(why) => silence = why,
            }
        }
        self.addresses.doubt();
        Err(silence)
    }
}

/// The client's answer in the form that is compared. Moves the body out of the copy.
fn answered(copied: &mut Copied) -> Observation {
    let url = url(copied);
    let answer = &mut copied.answer;
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers: Vec<_> = answer.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let content_type = headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.clone());
    let took = Some(answer.took);
    let answer = Answer {
        url,
        status: answer.status.as_u16(),
        headers,
        content_type,
        body: mem::take(&mut answer.body).into(),
        ..Answer::default()
    };
    Observation { seen: Seen::Answer(answer), downstream: Vec::new(), took }
}

/// The URL that was asked for, as both servers know it.
fn url(copied: &Copied) -> String {
    let host = copied.headers.get(HOST).map_or("localhost".into(), |host| String::from_utf8_lossy(host.as_bytes()));
    format!("http://{host}{}", target(copied))
}

pub(super) fn target(copied: &Copied) -> &str {
    copied.target.path_and_query().map_or("/", |target| target.as_str())
}
