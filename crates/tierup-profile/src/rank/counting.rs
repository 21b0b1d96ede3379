//! Counts a function once on a stack, however often it calls itself. In: the frames of one stack after another. Out: for
//! each frame, whether it is its function's first on the stack.

use crate::profile::{FrameId, Profile, StackId};

/// The stack that counted each function last.
pub(super) struct Counting(Vec<usize>);

impl Counting {
    pub(super) fn of(profile: &Profile) -> Counting {
        Counting(vec![usize::MAX; profile.frame_count()])
    }

    /// Answers for the frames of a stack, in the order in which it is asked. A stack comes once.
    pub(super) fn on(&mut self, stack: StackId) -> impl FnMut(FrameId) -> bool {
        move |id| std::mem::replace(&mut self.0[id.index()], stack.index()) != stack.index()
    }
}
