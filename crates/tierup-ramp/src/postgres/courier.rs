//! Keeps a proxy's state folder in step with the database, once a second, on a thread of its own: writes the control
//! file as the judge wrote it, and sends the evidence files.
//!
//! The proxy knows only its folder. While the database is away, evidence stays in the files, and the control file grows
//! old until control answers all requests.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tierup_rollout::{StoreUrl, files::Position};
use tokio_postgres::types::Type;

use super::{
    check_form, control, get,
    link::{Link, is_away},
};
use crate::{
    Actuator as _, Clock as _, Error, Machine, Own, Result, State,
    evidence_files::{files, next},
    state::Held,
};

const EVERY: Duration = Duration::from_secs(1);
/// How long the last lines may take at the end.
const LAST: Duration = Duration::from_secs(12);
/// The most lines of a file in the database that no judge has taken in. More wait in the file.
const MOST_WAITING: i64 = 1_000;
/// The most lines of one statement.
const MOST_AT_ONCE: usize = 500;

/// The thread. Dropping it sends what is left.
#[derive(Debug)]
pub struct Courier {
    stop: Arc<AtomicBool>,
    trouble: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Courier {
    /// # Errors
    /// If Postgres lets nobody in or lacks tierup's tables, or the folder cannot be written. If Postgres is away, this
    /// is only a trouble: the proxy must be able to start.
    pub fn start(url: &StoreUrl, state: State) -> Result<Courier> {
        state.make()?;
        let (rollout, own) = (url.rollout.clone(), Own::new(state.control()));
        let link = Link::new(url)?;
        let mut carrying =
            Carrying { link, rollout, state, own, held: None, beat: None, sent: BTreeMap::new(), sure: None };
        // Evidence waits, so that the start does not.
        let at_once = || true;
        let first = match carrying.carry(at_once) {
            Err(error) if is_away(&error) => Some(error.to_string()),
            carried => carried.map(|()| None)?,
        };
        let stop = Arc::<AtomicBool>::default();
        let trouble = Arc::new(Mutex::new(first));
        let (stopped, told) = (Arc::clone(&stop), Arc::clone(&trouble));
        let run = move || {
            loop {
                // What was written until now is sent before the end.
                let is_last = stopped.load(Relaxed);
                let carried = carrying.carry(|| stopped.load(Relaxed) && !is_last);
                *told.lock().unwrap_or_else(PoisonError::into_inner) = carried.err().map(|error| error.to_string());
                if is_last {
                    break;
                }
                thread::park_timeout(EVERY);
            }
        };
        let thread = thread::Builder::new().name("store".into()).spawn(run);
        let thread = thread.map_err(Error::file("start a thread for", std::path::Path::new("the store")))?;
        Ok(Courier { stop, trouble, thread: Some(thread) })
    }

    /// Why control is not read or evidence not sent now.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        let Some(thread) = self.thread.take() else { return };
        thread.thread().unpark();
        let began = Instant::now();
        // The database may hang, but the end must not.
        while !thread.is_finished() && began.elapsed() < LAST {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

struct Carrying {
    link: Link,
    rollout: String,
    state: State,
    own: Own,
    /// The lock of the folder: of several proxies there, one carries for all.
    held: Option<Held>,
    /// The beat of the control file that was written last.
    beat: Option<i64>,
    /// How far each evidence file was sent.
    sent: BTreeMap<String, Position>,
    /// The connection whose database has what `sent` says. Another one may be to a server that lacks the last seconds.
    sure: Option<u64>,
}

impl Carrying {
    /// Reads control, and sends what is new, until `ends`.
    fn carry(&mut self, ends: impl Fn() -> bool) -> Result<()> {
        if self.held.is_none() {
            match self.state.hold_courier() {
                Ok(held) => self.held = Some(held),
                Err(Error::Judged { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        let carried = self.control().and_then(|()| self.evidence(ends));
        self.sure = self.sure.filter(|_| carried.is_ok());
        carried
    }

    fn control(&mut self) -> Result<()> {
        let rows = self.link.ask(control::READ, &[(&self.rollout, Type::TEXT)])?;
        check_form(&rows)?;
        match control::read(&rows, Machine::default().since_1970().as_secs())? {
            None => self.own.release().map(|()| self.beat = None),
            Some((beat, _)) if self.beat == Some(beat) => Ok(()),
            Some((beat, control)) => self.own.set(&control).map(|()| self.beat = Some(beat)),
        }
    }

    fn evidence(&mut self, ends: impl Fn() -> bool) -> Result<()> {
        let files = files(&self.state.evidence())?;
        if self.sure != Some(self.link.connections) {
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            let sql = "SELECT file, sent FROM tierup.stream WHERE rollout = $1 AND file = ANY($2)";
            let rows = self.link.ask(sql, &[(&self.rollout, Type::TEXT), (&names, Type::TEXT_ARRAY)])?;
            let has = rows.iter().map(|row| Ok((get(row, 0)?, get::<i64>(row, 1)?.cast_unsigned())));
            let has: BTreeMap<String, u64> = has.collect::<Result<_>>()?;
            self.sent.retain(|file, sent| has.get(file).is_some_and(|number| *number >= sent.number));
            for (file, number) in has {
                self.sent.entry(file).or_insert(Position { number, ..Position::default() });
            }
            self.sure = Some(self.link.connections);
        }
        self.sent.retain(|file, _| files.iter().any(|(name, _)| name == file));
        // The judge may have decided meanwhile, so the rest waits until control was read again.
        let (began, mut is_full) = (Instant::now(), false);
        'files: for (name, path) in files {
            let mut position = self.sent.get(&name).copied().unwrap_or_default();
            while !ends()
                && began.elapsed() < EVERY
                && let Some((lines, after)) = next(&path, position)?
            {
                let is_all = after == position;
                let texts = lines.iter().map(|line| line.to_text().map(|text| (line.number.cast_signed(), text)));
                let texts: Vec<_> =
                    texts.collect::<Result<_, _>>().map_err(|error| Error::Damaged(error.to_string()))?;
                if is_all {
                    break;
                }
                for some in texts.chunks(MOST_AT_ONCE) {
                    if !self.send(&name, some)? {
                        is_full = true;
                        continue 'files;
                    }
                    // Lines up to this number are not sent again, wherever they are in the file.
                    let number = some.last().map_or(position.number, |(number, _)| number.cast_unsigned());
                    self.sent.insert(name.clone(), Position { number, ..position });
                }
                position = after;
                self.sent.insert(name.clone(), position);
            }
        }
        let what = "too many lines wait in the database for a judge: further ones wait in the files".to_owned();
        if is_full { Err(Error::Postgres { code: None, what, hint: None }) } else { Ok(()) }
    }

    /// Sends lines, which count once, however often they are sent. `false` if too many wait there. It makes no new
    /// connection after the look at what the database has, as the line after a gap would hide the gap.
    fn send(&mut self, file: &str, lines: &[(i64, String)]) -> Result<bool> {
        let (numbers, texts): (Vec<i64>, Vec<&str>) =
            lines.iter().map(|(number, text)| (*number, text.trim_end())).unzip();
        let last = numbers.last().copied().unwrap_or_default();
        let sql = "WITH room AS (SELECT 1 WHERE NOT EXISTS (SELECT FROM tierup.stream \
                   WHERE rollout = $1 AND file = $2 AND sent - taken >= $6)), \
                   sent AS (INSERT INTO tierup.stream (rollout, file, sent) SELECT $1, $2, $5 FROM room \
                   ON CONFLICT (rollout, file) DO UPDATE SET sent = greatest(stream.sent, excluded.sent), at = now() \
                   RETURNING 1), \
                   lines AS (INSERT INTO tierup.evidence SELECT $1, $2, number, line \
                   FROM sent, unnest($3, $4) new (number, line) ORDER BY number ON CONFLICT DO NOTHING) SELECT 1 FROM sent";
        let rows = self.link.ask_once(
            sql,
            &[
                (&self.rollout, Type::TEXT),
                (&file, Type::TEXT),
                (&numbers, Type::INT8_ARRAY),
                (&texts, Type::TEXT_ARRAY),
                (&last, Type::INT8),
                (&MOST_WAITING, Type::INT8),
            ],
        )?;
        Ok(!rows.is_empty())
    }
}
