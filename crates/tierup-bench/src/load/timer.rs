//! Sleeps with an error of tens of microseconds. tokio's own timer has whole milliseconds, which would show as latency.

use std::time::Instant;

#[cfg(not(target_os = "linux"))]
pub(super) use self::coarse::Timer;
#[cfg(target_os = "linux")]
pub(super) use self::timerfd::Timer;

#[cfg(target_os = "linux")]
mod timerfd {
    use std::{io, os::fd::OwnedFd};

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use super::Instant;

    pub(in crate::load) struct Timer(AsyncFd<OwnedFd>);

    impl Timer {
        pub(in crate::load) fn new() -> io::Result<Timer> {
            let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            #[expect(
                deprecated,
                reason = "the safe form; an OwnedFd keeps what the unsafe one makes its caller promise"
            )]
            AsyncFd::new(timer).map(Timer)
        }

        /// Returns at once if the time has passed.
        pub(in crate::load) async fn wait_until(&self, time: Instant) -> io::Result<()> {
            let left = time.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let never = Timespec { tv_sec: 0, tv_nsec: 0 };
            let once = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos().into() };
            let setting = Itimerspec { it_interval: never, it_value: once };
            timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &setting)?;
            loop {
                let mut guard = self.0.readable().await?;
                let mut expirations = [0; 8];
                match guard.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut expirations)?)) {
                    Ok(result) => return result.map(|_| ()),
                    Err(_would_block) => {}
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod coarse {
    use std::io;

    use super::Instant;

    pub(in crate::load) struct Timer;

    impl Timer {
        pub(in crate::load) fn new() -> io::Result<Timer> {
            Ok(Timer)
        }

        pub(in crate::load) async fn wait_until(&self, time: Instant) -> io::Result<()> {
            tokio::time::sleep_until(time.into()).await;
            Ok(())
        }
    }
}
