//! The anti-replay window of RFC 4303, exact, with ESN inference.
