//! Several questions under way at a time, in one task.

use std::{task::Poll, time::Duration};

/// The time between two questions whether to give up.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Drives futures side by side until all are done, or `given_up` says so; then what is under way is dropped.
pub(crate) async fn side_by_side(futures: impl Iterator<Item = impl Future<Output = ()>>, given_up: impl Fn() -> bool) {
    let mut pinned: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    let all = std::future::poll_fn(|context| {
        for slot in &mut pinned {
            if slot.as_mut().is_some_and(|future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if pinned.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    });
    let look_up = async {
        while !given_up() {
            tokio::time::sleep(LOOK_UP).await;
        }
    };
    tokio::select! {
        () = all => {}
        () = look_up => {}
    }
}
