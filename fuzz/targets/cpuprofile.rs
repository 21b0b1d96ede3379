//! V8's `.cpuprofile`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tierup_fuzz::check_profile;
use tierup_profile::Reading;

fuzz_target!(|bytes: &[u8]| check_profile(bytes, &Reading::default()));
