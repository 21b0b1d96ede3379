//! The thinnest supervisor that could stand between a server and its workers: one process that keeps them and gives each
//! call to one that is free. In: `supervisor PROGRAM ABI WORKERS`, and calls on standard input. Out: answers on standard
//! output. It restarts nothing and limits nothing, so that it is quicker than one that did.
//!
//! Both pipes carry pieces: the call's number, the piece's length with the highest bit set on the call's last piece, the
//! bytes. What is long comes in several, so that what is short need not wait for all of it.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

const PIECE: usize = (64 << 10) - 8;
const LAST: u32 = 1 << 31;
/// What an idle worker's empty pipe surely takes: writing so much never waits.
const AT_ONCE: usize = 32 << 10;

#[derive(Default)]
struct Desk {
    free: Vec<usize>,
    waiting: VecDeque<(u32, Vec<u8>)>,
    /// Whose call each worker has.
    calls: Vec<u32>,
}

struct Inputs {
    pipes: Vec<Mutex<ChildStdin>>,
    writers: Vec<mpsc::Sender<Vec<u8>>>,
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = arguments[2].parse().expect("a number of workers");
    let desk = Arc::new(Mutex::new(Desk { free: (0..count).collect(), calls: vec![0; count], ..Desk::default() }));
    let (mut outputs, mut pipes, mut writers, mut queues) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let line = ["--tierup-worker", &arguments[1]];
        let mut worker = Command::new(&arguments[0]).args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        outputs.push(worker.stdout.take().expect("a pipe"));
        pipes.push(Mutex::new(worker.stdin.take().expect("a pipe")));
        let (writer, queue) = mpsc::channel();
        writers.push(writer);
        queues.push(queue);
    }
    let inputs = Arc::new(Inputs { pipes, writers });
    // The descriptor itself: the library's standard output would look for the ends of lines.
    let to = Arc::new(Mutex::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)));
    for (worker, queue) in queues.into_iter().enumerate() {
        let inputs = inputs.clone();
        thread::spawn(move || queue.iter().for_each(|frame: Vec<u8>| inputs.write(worker, &frame)));
    }
    for (worker, output) in outputs.into_iter().enumerate() {
        let (desk, inputs, to) = (desk.clone(), inputs.clone(), to.clone());
        thread::spawn(move || answers(worker, output, &to, &desk, &inputs));
    }
    calls(&desk, &inputs)
}

impl Inputs {
    fn write(&self, worker: usize, frame: &[u8]) {
        self.pipes[worker].lock().expect("no panic").write_all(frame).expect("the worker lives");
    }

    fn send(&self, worker: usize, frame: Vec<u8>) {
        if frame.len() <= AT_ONCE {
            self.write(worker, &frame);
        } else {
            self.writers[worker].send(frame).expect("its thread lives");
        }
    }
}

/// Reads calls, and gives each to a free worker or lets it wait.
fn calls(desk: &Mutex<Desk>, inputs: &Inputs) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 << 10, io::stdin().lock());
    let mut begun: HashMap<u32, Vec<u8>> = HashMap::new();
    let mut head = [0; 8];
    while input.read_exact(&mut head).is_ok() {
        let id = u32::from_le_bytes(head[..4].try_into().expect("four bytes"));
        let length = u32::from_le_bytes(head[4..].try_into().expect("four bytes"));
        let mut frame = begun.remove(&id).unwrap_or_else(|| vec![0; 4]);
        (&mut input).take(u64::from(length & !LAST)).read_to_end(&mut frame)?;
        if length & LAST == 0 {
            begun.insert(id, frame);
            continue;
        }
        let count = (frame.len() - 4) as u32;
        frame[..4].copy_from_slice(&count.to_le_bytes());
        let mut desk = desk.lock().expect("no panic");
        if let Some(worker) = desk.free.pop() {
            desk.calls[worker] = id;
            drop(desk);
            inputs.send(worker, frame);
        } else {
            desk.waiting.push_back((id, frame));
        }
    }
    Ok(())
}

/// Passes a worker's answers on, and gives it the next call.
fn answers(worker: usize, output: ChildStdout, to: &Mutex<File>, desk: &Mutex<Desk>, inputs: &Inputs) {
    let mut output = BufReader::with_capacity(64 << 10, output);
    output.read_exact(&mut [0; 8]).expect("the worker's greeting");
    let mut head = [0; 4];
    let mut piece = vec![0; PIECE + 8];
    while output.read_exact(&mut head).is_ok() {
        let mut left = u32::from_le_bytes(head) as usize;
        let id = desk.lock().expect("no panic").calls[worker];
        while left > 0 {
            let count = left.min(PIECE);
            left -= count;
            output.read_exact(&mut piece[8..8 + count]).expect("the worker lives");
            piece[..4].copy_from_slice(&id.to_le_bytes());
            piece[4..8].copy_from_slice(&(count as u32 | if left == 0 { LAST } else { 0 }).to_le_bytes());
            let mut to = to.lock().expect("no panic");
            to.write_all(&piece[..8 + count]).expect("the server lives");
        }
        let mut desk = desk.lock().expect("no panic");
        if let Some((id, frame)) = desk.waiting.pop_front() {
            desk.calls[worker] = id;
            drop(desk);
            inputs.send(worker, frame);
        } else {
            desk.free.push(worker);
        }
    }
}
