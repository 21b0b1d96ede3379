
/// Obeys `text`: names its thread, blocks on an async runtime, or panics with that text or with a message of 2 MiB.
pub fn visit(text: &str) -> String {
    let wait = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime is built");
        runtime.block_on(async { "waited" })
    };
    match text {
        "where" => match std::panic::catch_unwind(wait) {
            Ok(_) => "on the pool".to_owned(),
            Err(_) => "on a thread of the server".to_owned(),
        },
        "wait" => wait().to_owned(),
        "long" => panic!("{}", "x".repeat(2 << 20)),
        _ => panic!("{text}"),
    }
}
