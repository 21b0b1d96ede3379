//! Closes what the host has left open for this program by mistake.
//!
//! A host such as PHP passes on all that it has open, also connections of its clients. A client would not see the end of its
//! connection before this program ends.

/// Closes every descriptor but the three of each program. To be called before anything else is opened.
#[cfg(unix)]
pub fn close() {
    use std::os::fd::{FromRawFd as _, OwnedFd};

    let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
    let numbers: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // That of the list itself is closed by now.
        if std::fs::symlink_metadata(format!("/dev/fd/{number}")).is_ok() {
            // SAFETY: it is open, and nothing here owns it: this program has opened nothing yet.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

#[cfg(not(unix))]
pub fn close() {}
