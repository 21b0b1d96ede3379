//! Sets how threads share free memory, and what goes back to the system.

use std::num::NonZero;

/// Blocks of this many bytes are large. Getting one from the system costs about half a millisecond, which is little
/// beside filling it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 8 << 20;

/// Lets pairs of threads share an arena. Call this before there are any threads.
///
/// glibc's `malloc` gives each thread an arena of its own as long as there are fewer than eight for each processor.
/// Free memory in one arena is of no use to the others, and as connections come and go, each arena grows to what one
/// thread had at its busiest. `MALLOC_ARENA_MAX` takes precedence if it is set.
///
/// Large blocks go back to the system as soon as they are free. By default, glibc begins with that but then keeps ever
/// larger blocks: the memory of a few large answers would never be given back.
pub fn share(workers: NonZero<usize>) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        let arenas = i32::try_from(workers.get().div_ceil(2)).unwrap_or(i32::MAX);
        // SAFETY: there are no other threads yet that could be in an allocation, and any number is a valid one.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, arenas);
        }
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if std::env::var_os("MALLOC_MMAP_THRESHOLD_").is_none() && std::env::var_os("MALLOC_TRIM_THRESHOLD_").is_none() {
        // SAFETY: as above.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * LARGE);
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = workers;
}
