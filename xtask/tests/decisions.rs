//! Each page of `docs/decisions/` has a unique number, as other pages refer to it by that number.

use std::{collections::BTreeMap, fs, path::Path};

#[test]
fn no_two_decisions_share_a_number() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions");
    let mut pages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.split('-').next().unwrap_or_default().to_owned();
        pages.entry(number).or_default().push(name);
    }
    let shared: Vec<_> = pages.values().filter(|names| names.len() > 1).collect();
    assert!(!pages.is_empty() && shared.is_empty(), "{shared:?}");
}
