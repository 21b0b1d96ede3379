//! Collapsed stacks, as a whole file and as a sensor's that may tear names.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tierup_fuzz::check_profile;
use tierup_profile::Reading;

fuzz_target!(|bytes: &[u8]| {
    check_profile(bytes, &Reading::default());
    check_profile(bytes, &Reading { torn: true, seconds_per_sample: Some(0.01), ..Reading::default() });
});
