//! `.cpuprofile`, the JSON of V8's sampling profiler (Chrome DevTools Protocol, `Profiler.Profile`). In: the text. Out: the
//! profile, in five blocks of equal sampled time.
//!
//! Each sample names a node of a tree of calls, and the microseconds since the sample before. V8 samples by the wall
//! clock. Its names are `(idle)` for a waiting thread, `(garbage collector)`, and `(program)` for C++ outside
//! JavaScript.

mod file;
mod inlined;

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use self::file::{CallFrame, File, Limited, Node};
use super::{DEEPEST, Reading, bounded, place};
use crate::{
    naming::{Naming, path},
    profile::{Frame, Profile, Sample, StackId},
    source_maps::Placed,
};

/// The number of blocks into which a run is cut: the default of `tierup bench`.
const BLOCKS: u32 = 5;

pub(super) fn read(bytes: &[u8], reading: &Reading<'_>) -> Result<Profile, Box<Diagnostic>> {
    let file = File::parse(bytes).map_err(|error| not_json(bytes, reading, &error))?;
    let mut profile = Profile::default();
    profile.inlined_incomplete = file.inlined_incomplete;
    let stacks = stacks(&mut profile, &file, reading)?;
    let shared = inlined::shared(&mut profile, &file, &stacks, reading.naming);
    let taken = taken(&file, &stacks, reading)?;
    let busy = |stack: StackId| !profile.is_idle(&Sample { stack, weight: 0.0, block: 0, process: 0, thread: 0 });
    let all: f64 = taken.iter().filter(|(_, stack, _)| busy(*stack)).map(|(_, _, seconds)| seconds.max(0.0)).sum();
    // Idle time belongs to the block in which it falls.
    let mut until_now = 0.0;
    let mut samples = Vec::with_capacity(taken.len());
    for (node, stack, seconds) in taken {
        let block = if file.samples.is_some() && all > 0.0 { (until_now / all * f64::from(BLOCKS)) as u32 } else { 0 };
        let alone = [(stack, 1.0)];
        let parts = shared.get(&node).map_or(&alone[..], |parts| &parts[..]);
        let sample = Sample { stack, weight: seconds, block: block.min(BLOCKS - 1), process: 0, thread: 0 };
        samples.extend(parts.iter().map(|(stack, part)| Sample { stack: *stack, weight: seconds * part, ..sample }));
        if busy(stack) {
            until_now += seconds.max(0.0);
        }
    }
    samples.into_iter().for_each(|sample| profile.add(sample));
    Ok(profile)
}

/// The stack of each node. `(root)`, the root of the tree, is not a function.
fn stacks(
    profile: &mut Profile,
    file: &File,
    reading: &Reading<'_>,
) -> Result<HashMap<u64, Option<StackId>>, Box<Diagnostic>> {
    let wrong = |what: String| wrong(reading, &what);
    let by_id: HashMap<u64, &Node> = file.nodes.0.iter().map(|node| (node.id, node)).collect();
    if by_id.len() < file.nodes.0.len() {
        return Err(wrong("two of its nodes have the same id".to_owned()));
    }
    let mut parents: HashMap<u64, u64> = HashMap::new();
    for node in &file.nodes.0 {
        for child in &node.children.0 {
            if parents.insert(*child, node.id).is_some() {
                return Err(wrong(format!("its node {child} has two parents")));
            }
        }
    }
    for node in &file.nodes.0 {
        if let Some(parent) = node.parent {
            parents.insert(node.id, parent);
        }
    }
    let mut stacks: HashMap<u64, Option<StackId>> = HashMap::new();
    let mut depths: HashMap<u64, usize> = HashMap::new();
    for node in &file.nodes.0 {
        // Walks up to a node whose stack is known already, then down again, without recursion, as the tree may be deep.
        let (mut way, mut next) = (Vec::new(), Some(node.id));
        while let Some(id) = next.filter(|id| !stacks.contains_key(id)) {
            if !by_id.contains_key(&id) {
                return Err(wrong(format!("it names a node {id}, which it does not have")));
            }
            way.push(id);
            if way.len() > file.nodes.0.len() {
                return Err(wrong(format!("its node {id} is its own caller")));
            }
            next = parents.get(&id).copied();
        }
        let mut caller = next.and_then(|id| stacks[&id]);
        let mut depth = next.map_or(0, |id| depths[&id]);
        for id in way.into_iter().rev() {
            depth += 1;
            if depth > DEEPEST {
                return Err(wrong(format!("its node {id} is more than {DEEPEST} calls deep")));
            }
            depths.insert(id, depth);
            let frame = &by_id[&id].call_frame;
            if !(frame.function_name == "(root)" && caller.is_none()) {
                let frame = profile.frame(framed(frame, file, reading.naming));
                caller = Some(profile.stack(caller, frame));
            }
            stacks.insert(id, caller);
        }
        bounded(profile, reading)?;
    }
    Ok(stacks)
}

/// A frame, in its source if a source map leads there. The top level of a running file is not mapped, as a bundle
/// consists of many sources.
fn framed(frame: &CallFrame, file: &File, naming: Naming<'_>) -> Frame {
    let line = u32::try_from(frame.line_number.saturating_add(1)).unwrap_or(0);
    let column = u32::try_from(frame.column_number).unwrap_or(0);
    let runs = Placed { function: frame.function_name.clone(), file: path(&frame.url), line };
    let is_top_level = is_anonymous(&runs.function) && (line, column) == (1, 0);
    let map = file.source_maps.get(&frame.url).map(String::as_str);
    let maps = naming.maps.filter(|_| frame.url.starts_with("file:") && !is_top_level);
    let placed = maps.and_then(|maps| maps.source_of(&runs, column, map)).unwrap_or(runs);
    naming.frame(&named(&placed.function, placed.line), &placed.file, placed.line)
}

fn is_anonymous(function: &str) -> bool {
    matches!(function, "" | "(anonymous)")
}

/// Functions without a name are distinguished by their line.
fn named(function: &str, line: u32) -> String {
    match function {
        name if is_anonymous(name) && line > 0 => format!("(anonymous, line {line})"),
        "" => "(anonymous)".to_owned(),
        name => name.to_owned(),
    }
}

/// The nodes of the samples in order, with their stacks and seconds.
fn taken(
    file: &File,
    stacks: &HashMap<u64, Option<StackId>>,
    reading: &Reading<'_>,
) -> Result<Vec<(u64, StackId, f64)>, Box<Diagnostic>> {
    let wrong = |what: String| wrong(reading, &what);
    let (Some(Limited(samples)), Some(Limited(deltas))) = (&file.samples, &file.time_deltas) else {
        // Old writers give only counts.
        let hits: f64 = file.nodes.0.iter().map(|node| node.hit_count as f64).sum();
        let length = (file.end_time.unwrap_or(0.0) - file.start_time.unwrap_or(0.0)) / 1e6;
        let seconds = |node: &Node| node.hit_count as f64 / hits.max(1.0) * length;
        let all = file
            .nodes
            .0
            .iter()
            .filter_map(|node| Some((node.id, stacks.get(&node.id).copied().flatten()?, seconds(node))));
        return Ok(all.collect());
    };
    if samples.len() != deltas.len() {
        return Err(wrong(format!("it has {} samples, but times of {}", samples.len(), deltas.len())));
    }
    let mut taken = Vec::with_capacity(samples.len());
    for (number, node) in samples.iter().enumerate() {
        let stack =
            stacks.get(node).ok_or_else(|| wrong(format!("a sample names a node {node}, which it does not have")))?;
        // A sample lasts until the next; the last one until the end.
        let until = match deltas.get(number + 1) {
            Some(microseconds) => *microseconds,
            None => last(file, deltas),
        };
        if let Some(stack) = stack {
            taken.push((*node, *stack, until / 1e6));
        }
    }
    Ok(taken)
}

/// Microseconds from the last sample to the end.
fn last(file: &File, deltas: &[f64]) -> f64 {
    match (file.start_time, file.end_time) {
        (Some(start), Some(end)) => (end - start - deltas.iter().sum::<f64>()).max(0.0),
        _ => 0.0,
    }
}

fn wrong(reading: &Reading<'_>, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("`{}` is no .cpuprofile that V8 wrote: {what}", reading.name)))
}

fn not_json(bytes: &[u8], reading: &Reading<'_>, error: &serde_json::Error) -> Diagnostic {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let text = error.to_string();
    let message = text.rsplit_once(" at line").map_or(&*text, |(message, _)| message);
    Diagnostic::new(format!("this is no .cpuprofile: {message}"))
        .at(place(reading, error.line().max(1), line, error.column().saturating_sub(1)))
        .hint("JSON is read as V8's profiler writes it, for instance `node --cpu-prof`; a trace of Chrome is another format")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{file::MOST_CHILDREN, *};

    fn error(text: &str) -> String {
        crate::read(text.as_bytes(), &Reading { name: "a.cpuprofile", ..Reading::default() }).unwrap_err().to_string()
    }

    #[test]
    fn children_are_refused_before_they_fill_the_memory() {
        // Two lists, each within the limit, exceed it together.
        let list = vec!["2"; MOST_CHILDREN / 2 + 1].join(",");
        let node = |id| format!(r#"{{"id":{id},"callFrame":{{"functionName":"f"}},"children":[{list}]}}"#);
        let error = error(&format!(r#"{{"nodes":[{},{}]}}"#, node(1), node(3)));
        assert!(error.contains("its nodes have more than 1000 children"), "{error}");
        // The count starts at 0 for the next file.
        let one = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"},"hitCount":1,"children":[]}],"endTime":1e6}"#;
        crate::read(one.as_bytes(), &Reading::default()).unwrap();
    }

    #[test]
    fn counts_whose_sum_overflows_still_give_shares() {
        let node = |id: u8| format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{id}"}},"hitCount":{}}}"#, u64::MAX);
        let file = format!(r#"{{"nodes":[{},{}],"endTime":4e6}}"#, node(1), node(2));
        let profile = crate::read(file.as_bytes(), &Reading::default()).unwrap();
        assert_eq!(profile.samples().iter().map(|sample| sample.weight).collect::<Vec<_>>(), [2.0, 2.0]);
    }

    #[test]
    fn samples_that_the_sensor_left_out_are_reported() {
        let node = r#"{"id":1,"callFrame":{"functionName":"f"},"hitCount":1}"#;
        let doubts = |incomplete: &str| {
            let file = format!(r#"{{"nodes":[{node}],"endTime":1e6{incomplete}}}"#);
            let mut all = Profile::default();
            all.append(&crate::read(file.as_bytes(), &Reading::default()).unwrap(), None);
            let is_one =
                |doubt: &String| doubt.starts_with("Some functions that V8 has inlined count to their callers");
            crate::words::doubts(&crate::rank(&all), None).iter().any(is_one)
        };
        assert!(doubts(r#","inlinedIncomplete":true"#) && !doubts(""));
    }

    #[test]
    fn time_of_a_node_is_divided_among_its_inlined_functions() {
        let node = r#"{"id":2,"callFrame":{"functionName":"answer","url":"file:///a.js","lineNumber":9},"hitCount":4,
            "inlined":[{"functionName":"light","lineNumber":2,"ticks":3}]}"#;
        let root = r#"{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]}"#;
        let file =
            format!(r#"{{"nodes":[{root},{node}],"samples":[2,2],"timeDeltas":[0,1e6],"startTime":0,"endTime":4e6}}"#);
        let profile = crate::read(file.as_bytes(), &Reading::default()).unwrap();
        let ranking = crate::rank(&profile);
        let row = |name: &str| {
            let found = ranking.functions.iter().find(|found| found.frame.function == name).unwrap();
            (found.frame.line, found.itself.value, found.total.value)
        };
        assert_eq!((profile.busy(), row("answer"), row("light")), (4.0, (10, 0.25, 1.0), (3, 0.75, 0.75)));
    }

    #[test]
    fn errors_name_the_problem() {
        expect![[r#"
            error: this is no .cpuprofile: missing field `nodes`
             --> a.cpuprofile:1:2
              |
            1 | {}
              |  ^
            hint: JSON is read as V8's profiler writes it, for instance `node --cpu-prof`; a trace of Chrome is another format"#]]
        .assert_eq(&error("{}"));
        let node = |id: u64, children: &str| {
            format!(
                r#"{{"id":{id},"callFrame":{{"functionName":"f","url":"","lineNumber":0}},"children":[{children}]}}"#
            )
        };
        let file = |nodes: &[String], rest: &str| format!(r#"{{"nodes":[{}]{rest}}}"#, nodes.join(","));
        let found = [
            error(&file(&[node(1, "2"), node(2, "1")], "")),
            error(&file(&[node(1, ""), node(1, "")], "")),
            error(&file(&[node(1, "3"), node(2, "3"), node(3, "")], "")),
            error(&file(&[node(1, "")], r#","samples":[1,1],"timeDeltas":[1]"#)),
            error(&file(&[node(1, "")], r#","samples":[9],"timeDeltas":[1]"#)),
            error(&file(&[node(1, "")], r#","samples":[],"timeDeltas":[]"#))
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        ];
        expect![[r#"
            error: `a.cpuprofile` is no .cpuprofile that V8 wrote: its node 1 is its own caller
            error: `a.cpuprofile` is no .cpuprofile that V8 wrote: two of its nodes have the same id
            error: `a.cpuprofile` is no .cpuprofile that V8 wrote: its node 3 has two parents
            error: `a.cpuprofile` is no .cpuprofile that V8 wrote: it has 2 samples, but times of 1
            error: `a.cpuprofile` is no .cpuprofile that V8 wrote: a sample names a node 9, which it does not have
            error: `a.cpuprofile` has no samples"#]]
        .assert_eq(&found.join("\n"));
    }
}
