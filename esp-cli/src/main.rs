//! The `esp` program.

fn main() {}
