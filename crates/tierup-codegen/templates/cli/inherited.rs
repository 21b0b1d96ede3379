//! Closes the descriptors that the host passed to this program by mistake.
//!
//! A host such as PHP passes on everything that it has open, even its clients' connections. A client would then not see
//! its connection end before this program, and each program that it starts, has ended.

/// Closes every descriptor that this program was started with, except the three standard streams.
///
/// An inherited descriptor has no `FD_CLOEXEC`, or `exec` would have closed it. A descriptor with the flag was opened
/// since, by this program or, before `main`, by a system library that still uses it.
#[cfg(unix)]
pub fn close() {
    use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};

    use rustix::io::{FdFlags, fcntl_getfd};

    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let numbers: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // SAFETY: only the flags are read. The listing's own descriptor is closed by now, and the call fails for it.
        let flags = fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) });
        if flags.is_ok_and(|flags| !flags.contains(FdFlags::CLOEXEC)) {
            // SAFETY: the descriptor is open and has no owner here: everything that this program opens has the flag.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

#[cfg(not(unix))]
pub fn close() {}
