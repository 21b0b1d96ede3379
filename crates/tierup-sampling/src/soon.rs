//! Waits a moment for a late event: a process that ends closes its sockets before the kernel shows it as ended.

use std::{
    thread,
    time::{Duration, Instant},
};

const MOMENT: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(20);

/// Whether the condition holds now or within a second.
pub(crate) fn soon(mut is_so: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if began.elapsed() >= MOMENT {
            return false;
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_event_is_seen_and_a_missing_one_is_not() {
        let mut looks = 0;
        assert!(soon(|| {
            looks += 1;
            looks == 3
        }));
        assert!(!soon(|| false));
    }
}
