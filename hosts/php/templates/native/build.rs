//! Compiles the C glue for the PHP of `php-config`, or of the program that the environment variable PHP_CONFIG names.
//!
//! Made by tierup; changes here are lost at the next build.

use std::env;
use std::process::Command;

fn main() {
    for what in ["build.rs", "c"] {
        println!("cargo::rerun-if-changed={what}");
    }
    println!("cargo::rerun-if-env-changed=PHP_CONFIG");
    let program = env::var("PHP_CONFIG").unwrap_or_else(|_| "php-config".to_owned());
    let answer = match Command::new(&program).arg("--include-dir").output() {
        Ok(answer) if answer.status.success() => String::from_utf8_lossy(&answer.stdout).into_owned(),
        other => panic!(
            "`{program}` does not say where PHP's headers are (on Debian and Ubuntu: apt-get install php-dev): {other:?}"
        ),
    };
    let headers = answer.trim();
    // Another PHP has other headers.
    println!("cargo::rerun-if-changed={headers}/main/php_config.h");
    cc::Build::new()
        .file("c/glue.c")
        .include("c")
        .includes(["", "/main", "/TSRM", "/Zend"].map(|folder| format!("{headers}{folder}")))
        // The compiler would warn about PHP's own headers.
        .warnings(false)
        .compile("tierup_php_glue");
    // The functions that the glue calls are in PHP's own program.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-link-arg=-Wl,-undefined,dynamic_lookup");
    }
}
