//! Buckets, overflow and hashing.
