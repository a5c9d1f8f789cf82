//! Counters that each worker writes on its own cache lines, summed on read.
