//! A crate's source, read as an interface; then arguments for its function, which are encoded and decoded.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use tierup_codegen::abi::{Value, hash};
use tierup_model::{CrateInfo, read_interface};
use tierup_parity::{edge_arguments, random_arguments};

fuzz_target!(|text: &str| {
    let [package, library] = ["images"; 2].map(str::to_owned);
    let info = CrateInfo { package, library, version: "0.1.0".to_owned(), root: "src/lib.rs".to_owned() };
    let sources = BTreeMap::from([("src/lib.rs".to_owned(), text.to_owned())]);
    let read = || read_interface(&info, &["render".to_owned()], &sources);
    let interface = match read() {
        Ok(interface) => interface,
        Err(problems) => return problems.iter().for_each(|problem| drop(problem.to_string())),
    };
    assert_eq!(read().map(|again| hash(&again)), Ok(hash(&interface)));
    let function = &interface.functions[0];
    let lists = edge_arguments(function, &interface).into_iter().take(20);
    for list in lists.chain([random_arguments(function, &interface, 1, 0)]) {
        for (value, parameter) in list.iter().zip(&function.parameters) {
            let mut bytes = Vec::new();
            value.encode(&parameter.ty, &interface, &mut bytes).expect("a value of its type");
            assert_eq!(Value::decode(&parameter.ty, &interface, &bytes).as_ref(), Ok(value));
        }
    }
});
