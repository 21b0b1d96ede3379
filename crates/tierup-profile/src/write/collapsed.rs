//! Collapsed stacks, for flamegraph.pl and others. In: a profile. Out: a line for each stack, with its samples, or its
//! milliseconds if the profile has seconds. [`read`](crate::read) can read them.

use std::collections::BTreeMap;

use crate::{
    naming::UNSAMPLED,
    profile::{Frame, Kind, Profile, StackId, Unit},
};

/// The text, without idle time.
pub fn collapsed(profile: &Profile) -> String {
    let mut sums: BTreeMap<StackId, f64> = BTreeMap::new();
    for sample in profile.samples().iter().filter(|sample| !profile.is_idle(sample)) {
        *sums.entry(sample.stack).or_default() += sample.weight;
    }
    let scale = match profile.unit {
        Unit::Seconds => 1000.0,
        Unit::Samples => 1.0,
    };
    let mut text = String::new();
    for (stack, weight) in sums {
        let count = (weight * scale).round();
        // Tools expect whole numbers, so stacks that round to 0 are left out.
        if count < 1.0 {
            continue;
        }
        let frames: Vec<String> = profile.root_first(stack).into_iter().map(|id| named(profile.frame_of(id))).collect();
        // A line that begins with `#` is a comment; the space keeps a name that begins with `#` from becoming one.
        let before = if frames[0].starts_with('#') { " " } else { "" };
        text += &format!("{before}{} {count}\n", frames.join(";"));
    }
    text
}

/// `name (file:line)`, without characters that would end the frame or the line.
fn named(frame: &Frame) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|character| if character == ';' || character.is_control() { ' ' } else { character }).collect()
    };
    let name = plain(&frame.function);
    let name = if name.trim().is_empty() { "[unknown]".to_owned() } else { name };
    match (frame.file.as_str(), frame.line, frame.kind) {
        (_, _, Kind::Kernel) => format!("{name}_[k]"),
        (_, _, Kind::Unsampled) => format!("{name}{UNSAMPLED}"),
        ("", _, _) => name,
        (file, 0, _) => format!("{name} ({})", plain(file)),
        (file, line, _) => format!("{name} ({}:{line})", plain(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, read};

    #[test]
    fn every_written_name_can_be_read() {
        let file = |name: &str| {
            let frame = format!(r#""callFrame":{{"functionName":"{name}"}}"#);
            format!(r#"{{"nodes":[{{"id":1,{frame},"hitCount":1}}],"endTime":5000}}"#)
        };
        for (name, written) in [("#run", " #run 5\n"), (" ", "[unknown] 5\n"), ("a;b", "a b 5\n")] {
            let profile = read(file(name).as_bytes(), &Reading::default()).unwrap();
            assert_eq!(collapsed(&profile), written);
            assert_eq!(read(written.as_bytes(), &Reading::default()).unwrap().busy(), 5.0, "{name}");
        }
    }
}
