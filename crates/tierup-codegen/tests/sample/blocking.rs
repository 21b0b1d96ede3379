
/// Says where it runs, waits for an async runtime there, or panics: with the words of one, or with very many.
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
