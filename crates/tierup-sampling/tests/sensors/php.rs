//! A server in PHP, sampled by excimer in each request. It has an auto_prepend_file of its own, without which it fails.

use tierup_host_php::php;

use crate::common::Server;

#[test]
fn excimer_samples_requests_by_their_cpu() {
    let server = Server {
        host: php(),
        folder: "php",
        install: &["mkdir settings", "echo \"auto_prepend_file = '$PWD/own.php'\" > settings/own.ini"],
        prepare: &[],
        start: "PHP_INI_SCAN_DIR=\":$PWD/settings$PHP_INI_SCAN_DIR\" exec php -q -S 127.0.0.1:$PORT -t .",
    };
    let (taken, left) = server.profile(&["/"]);
    let taken = taken.unwrap();
    assert_eq!(taken.blocks.len(), 5);
    let parts = taken.blocks.iter().flat_map(|block| &block.parts);
    let text: String = parts.map(|part| String::from_utf8_lossy(&part.profile).into_owned()).collect();
    let spinning = weight(&text, |stack| stack.contains("{main} (") && stack.contains(";Cart::spin ("));
    let waiting = weight(&text, |stack| stack.contains(";pause ("));
    let all = weight(&text, |_| true);
    // By the clock, the wait would have more than the work.
    assert!(spinning * 2 > all && waiting * 4 < all, "{spinning} and {waiting} of {all}:\n{text}");
    assert!(text.lines().all(|line| line.starts_with("process ")), "{text}");
    left.is_nothing();
}

fn weight(text: &str, which: impl Fn(&str) -> bool) -> u64 {
    let stacks = text.lines().filter_map(|line| line.rsplit_once(' '));
    stacks.filter(|(stack, _)| which(stack)).filter_map(|(_, count)| count.parse::<u64>().ok()).sum()
}
