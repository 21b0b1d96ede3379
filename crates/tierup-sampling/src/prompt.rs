//! Lets the threads of a sensor run as soon as they are due. In: the server's threads, and the sensor's names for its
//! own threads; or a sensor that is a program. If the kernel refuses, the threads stay as they were.
//!
//! A thread that samples others sleeps between two samples. If all processors are busy when it wakes up, it waits for
//! one, often until the thread that it should sample enters the kernel by itself: such profiles favour code with system
//! calls. Since version 6.12, Linux lets a thread that asks for a short slice of time preempt threads with longer ones
//! (EEVDF, `sched_setattr(2)`). That needs no rights over one's own processes, and gives a thread no extra time.

use tierup_codegen::{Sensor, THE_SENSOR};
use tierup_profile::fits;
use tierup_subject::{ThreadCpu, threads_of};

/// The shortest slice that the kernel accepts, in nanoseconds.
const SLICE: u64 = 100_000;

/// Hastens the sensor's threads, which are among the server's `threads`.
pub(crate) fn hasten_sensor(threads: &[ThreadCpu], sensor: &Sensor) {
    let own = |thread: &&ThreadCpu| {
        sensor.thread_rules.iter().any(|rule| rule.what == THE_SENSOR && fits(rule.name, &thread.name))
    };
    hasten(threads.iter().filter(own));
}

/// Hastens all threads of a program that samples from outside.
pub(crate) fn hasten_program(pid: u32) {
    hasten(threads_of(&[pid]).iter());
}

/// Hastens all threads of these processes except the main ones. Threads that a hastened one starts inherit its slice.
pub(crate) fn hasten_in(pids: &[u32]) {
    hasten(threads_of(pids).iter().filter(|thread| thread.thread != thread.process));
}

fn hasten<'a>(threads: impl Iterator<Item = &'a ThreadCpu>) {
    threads.for_each(|thread| kernel::shorten_slice(thread.thread, SLICE));
}

mod kernel {
    #![allow(unsafe_code)]

    use std::ffi::c_long;

    /// `struct sched_attr` of `linux/sched/types.h` in its first version.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[repr(C)]
    pub(super) struct Attributes {
        pub(super) size: u32,
        pub(super) policy: u32,
        pub(super) flags: u64,
        pub(super) nice: i32,
        pub(super) priority: u32,
        /// The slice in nanoseconds, for threads under the usual policies.
        pub(super) runtime: u64,
        pub(super) deadline: u64,
        pub(super) period: u64,
    }

    const SIZE: u32 = size_of::<Attributes>() as u32;

    /// Asks the kernel for a time slice of this length. Threads under other than the usual policies stay as they are.
    pub(super) fn shorten_slice(thread: u32, nanoseconds: u64) {
        let Some(mut attributes) = attributes(thread) else { return };
        let is_usual = [libc::SCHED_OTHER, libc::SCHED_BATCH].map(|policy| policy as u32).contains(&attributes.policy);
        if !is_usual {
            return;
        }
        attributes.runtime = nanoseconds;
        // SAFETY: the structure lives during the call, and its `size` says how long it is.
        unsafe {
            libc::syscall(libc::SYS_sched_setattr, c_long::from(thread), &raw const attributes, 0 as c_long);
        }
    }

    pub(super) fn attributes(thread: u32) -> Option<Attributes> {
        let mut attributes = Attributes::default();
        let size = c_long::from(SIZE);
        // SAFETY: the kernel writes at most `size` bytes; the structure has that size and holds plain numbers.
        let refused = unsafe {
            libc::syscall(libc::SYS_sched_getattr, c_long::from(thread), &raw mut attributes, size, 0 as c_long)
        };
        (refused == 0).then_some(attributes)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use super::{kernel::*, *};

    #[test]
    fn only_the_slice_changes() {
        let (send, receive) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let sleeping = thread::Builder::new().name("sampling".into()).spawn(move || {
            send.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).unwrap();
            ended.recv().unwrap_err();
        });
        let thread = receive.recv().unwrap();
        let before = attributes(thread).unwrap();
        shorten_slice(thread, SLICE);
        let after = attributes(thread).unwrap();
        // Linux before 6.12 ignores the slice, and does not report it.
        assert!([before.runtime, SLICE].contains(&after.runtime), "{after:?}");
        assert_eq!(Attributes { runtime: before.runtime, ..after }, before);
        drop(end);
        sleeping.unwrap().join().unwrap();
    }

    #[test]
    fn an_ended_thread_is_ignored() {
        shorten_slice(u32::MAX >> 1, SLICE);
        assert_eq!(attributes(u32::MAX >> 1), None);
    }
}
