//! What hostile packets, files and callers once got out of the engine, and some that got nothing.

mod callers;
mod files;
mod peers;
