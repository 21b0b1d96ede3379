//! Servers in PHP, sampled by excimer in each request: PHP's own server, which fails without its auto_prepend_file, and
//! PHP-FPM behind nginx.

use std::{collections::BTreeSet, time::Duration};

use tierup_host_php::php;
use tierup_profile::{Naming, What, rank};

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
    // By the clock, the wait would take more than the work.
    assert!(spinning * 2 > all && waiting * 4 < all, "{spinning} and {waiting} of {all}:\n{text}");
    assert!(text.lines().all(|line| line.starts_with("process ")), "{text}");
    left.is_nothing();
}

const ROUTER: &str =
    "echo \"<?php require_once ini_get('auto_prepend_file'); require __DIR__ . '/index.php';\" > router.php";

/// PHP runs no auto_prepend_file before a router script, so the script runs it itself, as that of `tierup new` does.
#[test]
fn a_router_script_is_sampled_once() {
    let server = Server {
        host: php(),
        folder: "php",
        install: &["mkdir settings", "echo \"auto_prepend_file = '$PWD/own.php'\" > settings/own.ini", ROUTER],
        prepare: &[],
        start: "PHP_INI_SCAN_DIR=\":$PWD/settings$PHP_INI_SCAN_DIR\" exec php -q -S 127.0.0.1:$PORT router.php",
    };
    let (taken, left) = server.profile(&["/"]);
    let taken = taken.unwrap();
    let parts = taken.blocks.iter().flat_map(|block| &block.parts);
    let text: String = parts.map(|part| String::from_utf8_lossy(&part.profile).into_owned()).collect();
    let spinning = weight(&text, |stack| stack.contains(";Cart::spin ("));
    assert!(spinning * 2 > weight(&text, |_| true) && spinning > 0, "{text}");
    left.is_nothing();
}

/// The pool of this server clears the environment, and replaces a child after 20 requests.
#[test]
fn all_children_of_fpm_are_sampled() {
    let server = Server {
        host: php(),
        folder: "php-fpm",
        install: &[],
        prepare: &[],
        start: "exec php serve.php >/dev/null 2>&1",
    };
    let (taken, sensor, left) = server.profile_for(Duration::from_secs(6), &["/"], None);
    let taken = taken.unwrap();
    assert_eq!((taken.blocks.len(), taken.notes.len()), (5, 0), "{:?}", taken.notes);
    let parts = taken.blocks.iter().flat_map(|block| &block.parts);
    let text: String = parts.map(|part| String::from_utf8_lossy(&part.profile).into_owned()).collect();
    let children: BTreeSet<&str> = text.lines().filter_map(|line| line.split(':').next()).collect();
    assert!(children.len() > 3, "{children:?}");

    let profile =
        taken.profile(&sensor, &left.private, Naming { rules: php().frames(), own: &[], maps: None }).unwrap();
    let ranking = rank(&profile);
    let total = |name: &str| {
        let found = ranking.functions.iter().find(|function| function.frame.function == name);
        found.map_or(0.0, |function| function.total.value)
    };
    let (long, short, wait) = (total("Cart::long"), total("Cart::short"), total("pause"));
    // On a busy machine, the last samples of a function count for the next one, or are lost if the request ends first.
    assert!(long > 2.0 * short && long > 4.0 * wait && long > 0.4, "{long}, {short}, {wait}: {:?}", ranking.rest);
    assert_eq!(ranking.unnamed(), 0.0, "{:?}", ranking.rest);
    let outside = |what: &What| matches!(what, What::Unsampled(what) if what == "PHP outside of scripts");
    let outside: f64 = ranking.rest.iter().filter(|row| outside(&row.what)).map(|row| row.share.value).sum();
    assert!(outside > 0.0 && outside < 0.5, "{outside}: {:?}", ranking.rest);
    let files = ["fpm.sock", "nginx.pid"].map(|name| left.folder.path().join(name).exists());
    assert_eq!(files, [false, false], "PHP-FPM and nginx remove these when they are stopped");
    left.is_nothing();
}

fn weight(text: &str, which: impl Fn(&str) -> bool) -> u64 {
    let stacks = text.lines().filter_map(|line| line.rsplit_once(' '));
    stacks.filter(|(stack, _)| which(stack)).filter_map(|(_, count)| count.parse::<u64>().ok()).sum()
}
