//! Remembers which compiler built the benchmarks, for the description of the machine in their output.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=ESP_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
    println!("cargo::rerun-if-changed=build.rs");
}
