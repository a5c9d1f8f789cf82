//! Test support: known answers, packet builders, and a slow ESP written from the RFC alone.
