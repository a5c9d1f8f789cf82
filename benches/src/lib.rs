//! Benchmarks of the ESP datapath.
