//! How threads share the memory that is free.

use std::num::NonZero;

/// Lets pairs of threads share theirs; to be called before there are any.
///
/// glibc's `malloc` gives each thread an arena of its own as long as there are fewer than eight for each processor. What
/// is free in one is of no use to the others, and as connections come and go, each of them grows to what one thread had
/// at its busiest. `MALLOC_ARENA_MAX` says otherwise where it is set.
pub fn share(workers: NonZero<usize>) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        let arenas = i32::try_from(workers.get().div_ceil(2)).unwrap_or(i32::MAX);
        // SAFETY: there are no other threads yet that could be in an allocation, and any number is a valid one.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, arenas);
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = workers;
}
