//! What holds for every profile that can be read.

use tierup_profile::{Format, Reading, collapsed, rank, read_part, speedscope};

/// Reads a profile in any format. Times are finite, shares sum to one, and collapsed stacks keep all time.
pub fn check_profile(bytes: &[u8], reading: &Reading<'_>) {
    let Ok(profile) = read_part(bytes, reading).inspect_err(|problem| drop(problem.to_string())) else { return };
    assert!(profile.busy().is_finite());
    let ranking = rank(&profile);
    let own = ranking.functions.iter().map(|function| function.itself.value);
    let shares: f64 = own.chain(ranking.rest.iter().map(|rest| rest.share.value)).sum();
    assert!(profile.busy() == 0.0 || (shares - 1.0).abs() < 1e-6, "{shares}");
    speedscope(&profile, "fuzzed");

    let text = collapsed(&profile);
    let counts = text.lines().map(|line| line.rsplit(' ').next().and_then(|count| count.parse::<f64>().ok()));
    let written: f64 = counts.map(|count| count.expect("a line ends with its count")).sum();
    // A name may begin as a file of another format does, and 10^18 s are more milliseconds than a reader believes.
    if Format::detect(text.as_bytes()) != Format::Collapsed || written > 1e20 {
        return;
    }
    let again = read_part(text.as_bytes(), &Reading::default()).expect("what was written can be read");
    let kept: f64 = again.samples().iter().map(|sample| sample.weight).sum();
    assert!((kept - written).abs() <= 1e-9 * written, "{kept} of {written}: {text}");
}
