//! ESP transforms: keys in once, bursts of jobs through.
