//! pprof without its compression, which would hide the format from the fuzzer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tierup_fuzz::check_profile;
use tierup_profile::Reading;

fuzz_target!(|bytes: &[u8]| check_profile(bytes, &Reading { seconds_per_sample: Some(0.01), ..Reading::default() }));
