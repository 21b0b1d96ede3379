//! Closes what the host has left open for this program by mistake.
//!
//! A host such as PHP passes on all that it has open, also connections of its clients. A client would not see the end of its
//! connection before this program ends, nor before a program that this one starts has ended.

/// Closes every descriptor that this program was started with, but the three of each program.
///
/// Such a descriptor has no `FD_CLOEXEC`, as it would not have passed `exec` otherwise. One that has it was opened since: by
/// this program, or before `main` by a library of the system, which goes on using it.
#[cfg(unix)]
pub fn close() {
    use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};

    use rustix::io::{FdFlags, fcntl_getfd};

    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let numbers: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // SAFETY: it is only asked for its flags. The descriptor of the list itself is closed by now, and the call fails for it.
        let flags = fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) });
        if flags.is_ok_and(|flags| !flags.contains(FdFlags::CLOEXEC)) {
            // SAFETY: it is open, and nothing here owns it: all that this program opens has the flag.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

#[cfg(not(unix))]
pub fn close() {}
