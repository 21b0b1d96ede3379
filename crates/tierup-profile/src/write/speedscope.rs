//! Writes speedscope's JSON (github.com/jlfwong/speedscope, `file-format-spec.ts`): one sampled profile for each
//! process and thread. In: a profile. Out: the text.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::profile::{Profile, Sample, Unit};

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    shared: SharedFrames<'a>,
    profiles: Vec<Sampled>,
}

#[derive(Serialize)]
struct SharedFrames<'a> {
    frames: Vec<FrameView<'a>>,
}

#[derive(Serialize)]
struct FrameView<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    unit: &'static str,
    start_value: f64,
    end_value: f64,
    samples: Vec<Vec<usize>>,
    weights: Vec<f64>,
}

/// The text; `title` is the name that speedscope shows.
pub fn speedscope(profile: &Profile, title: &str) -> String {
    let mut parts: BTreeMap<(u32, u64), Vec<&Sample>> = BTreeMap::new();
    for sample in profile.samples() {
        parts.entry((sample.process, sample.thread)).or_default().push(sample);
    }
    let unit = match profile.unit {
        Unit::Seconds => "seconds",
        Unit::Samples => "none",
    };
    let profiles = parts.into_iter().map(|((process, thread), samples)| {
        let name = match (process, thread) {
            (0, 0) => title.to_owned(),
            (process, 0) => format!("process {process}"),
            (0, thread) => format!("thread {thread}"),
            (process, thread) => format!("process {process}, thread {thread}"),
        };
        let stack = |sample: &&Sample| profile.root_first(sample.stack).into_iter().map(|id| id.index()).collect();
        Sampled {
            kind: "sampled",
            name,
            unit,
            start_value: 0.0,
            end_value: samples.iter().map(|sample| sample.weight).sum(),
            samples: samples.iter().map(stack).collect(),
            weights: samples.iter().map(|sample| sample.weight).collect(),
        }
    });
    let frames = profile.frames().map(|(_, frame)| FrameView {
        name: &frame.function,
        file: &frame.file,
        line: (frame.line > 0).then_some(frame.line),
    });
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: "tierup",
        name: title,
        shared: SharedFrames { frames: frames.collect() },
        profiles: profiles.collect(),
    };
    // Texts and finite numbers can always be written as JSON.
    serde_json::to_string(&file).unwrap_or_default() + "\n"
}
