//! Compiles the C glue for the program `ruby`, or for the Ruby that the environment variable RUBY names.
//!
//! Made by tierup; changes here are lost at the next build.

use std::env;
use std::process::Command;

fn main() {
    for what in ["build.rs", "c"] {
        println!("cargo::rerun-if-changed={what}");
    }
    println!("cargo::rerun-if-env-changed=RUBY");
    let ruby = env::var("RUBY").unwrap_or_else(|_| "ruby".to_owned());
    // The version is printed too, so that another Ruby is noticed.
    let script = "puts RbConfig::CONFIG.values_at('rubyhdrdir', 'rubyarchhdrdir', 'ruby_version')";
    let answer = Command::new(&ruby).args(["-rrbconfig", "-e", script]).output();
    let answer = match answer {
        Ok(answer) if answer.status.success() => String::from_utf8_lossy(&answer.stdout).into_owned(),
        other => panic!("`{ruby}` does not say where its headers are: {other:?}"),
    };
    let mut lines = answer.lines();
    let (headers, machine) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let header = format!("{headers}/ruby.h");
    assert!(
        std::path::Path::new(&header).exists(),
        "{header} is missing: install Ruby's headers (on Debian and Ubuntu: apt-get install ruby-dev)"
    );
    // Another Ruby has other headers.
    println!("cargo::rerun-if-changed={header}");
    cc::Build::new()
        .file("c/glue.c")
        .include("c")
        .include(headers)
        .include(machine)
        // The compiler would warn about Ruby's own headers.
        .warnings(false)
        .compile("tierup_ruby_glue");
    // The functions that the glue calls are in Ruby's own program.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-link-arg=-Wl,-undefined,dynamic_lookup");
    }
}
