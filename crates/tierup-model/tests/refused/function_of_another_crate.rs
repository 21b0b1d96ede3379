// export: crc32, min
pub use crc32fast::hash as crc32;
pub use std::cmp::min;
