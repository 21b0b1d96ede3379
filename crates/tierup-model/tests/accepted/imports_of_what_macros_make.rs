// not for rustc: nothing makes these
pub use crate::missing::Nowhere;
pub use self::Nowhere as Itself;
pub use self::Itself as Nowhere2;
use self::Nowhere2::*;
use f as g;
use h as h;
pub fn f() {}
