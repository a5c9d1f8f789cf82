//! Known answers.
//!
//! Three kinds of files hold what others computed: `rfc_kat.json` (values printed in RFCs and drafts),
//! `dpdk_ipsec_kat.json` and `linux_kat.json` (whole packets), and `scenarios.json` (sequences of events with
//! what becomes of each packet). They lie in an optional directory: the environment variable `ESP_VECTORS`,
//! or else `../shared/vectors` beside the workspace. Where there is none a test calls [`skipped`] and
//! returns:
//!
//! ```
//! # use esp_testkit::vectors;
//! let Some(vectors) = vectors::rfc_kat() else { return vectors::skipped("gcm_known_answers") };
//! for vector in vectors.iter().filter(|v| v.cipher.as_deref() == Some("aes-gcm")) {
//!     assert!(matches!(vector.key.len(), 16 | 24 | 32), "{}", vector.name);
//! }
//! ```
//!
//! Fields that a reader does not know are ignored, so a newer file of the same format can be read.
//!
//! A fourth file is ours and compiled in: [`scapy`] gives packets that scapy sealed.

mod field;
mod kat;
mod scapy;
mod scenario;

pub use kat::{LinuxVector, PacketVector, RfcVector};
pub use scapy::{ScapyVector, scapy};
pub use scenario::{Count, Expect, Lifetime, SaSpec, Scenario, Step};

use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The directory of known answers: `ESP_VECTORS`, or else `../shared/vectors` beside the workspace; `None`
/// where that is absent. Panics when `ESP_VECTORS` names something that is no directory.
pub fn dir() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("ESP_VECTORS") {
        let named = PathBuf::from(named);
        assert!(named.is_dir(), "ESP_VECTORS names {}, which is not a directory", named.display());
        return Some(named);
    }
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    Some(workspace.parent()?.join("shared").join("vectors")).filter(|beside| beside.is_dir())
}

/// Says on standard output that `test` did not run, and how to make it run.
pub fn skipped(test: &str) {
    println!("skipped: {test}: no vectors directory (set ESP_VECTORS)");
}

/// Values printed in RFCs and drafts (`rfc_kat.json`), or `None` where the file is absent.
pub fn rfc_kat() -> Option<Vec<RfcVector>> {
    load("rfc_kat.json", "esp-kat/1", "vectors")
}

/// Whole packets of DPDK's tests, with keys (`dpdk_ipsec_kat.json`), or `None` where the file is absent.
pub fn dpdk_kat() -> Option<Vec<PacketVector>> {
    load("dpdk_ipsec_kat.json", "esp-kat/1", "vectors")
}

/// ESP packets captured from Linux (`linux_kat.json`), or `None` where the file is absent.
pub fn linux_kat() -> Option<Vec<LinuxVector>> {
    load("linux_kat.json", "esp-kat/1", "vectors")
}

/// Sequences of events for replay, ESN, rekeying, lifetimes and counters (`scenarios.json`), or `None` where
/// the file is absent.
pub fn scenarios() -> Option<Vec<Scenario>> {
    load("scenarios.json", "esp-scenarios/1", "scenarios")
}

/// Reads the array `list` of `file`, whose `format` must be the one named.
fn load<T: DeserializeOwned>(file: &str, format: &str, list: &str) -> Option<Vec<T>> {
    let path = dir()?.join(file);
    if !path.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    Some(parse(&text, format, list).unwrap_or_else(|why| panic!("{}: {why}", path.display())))
}

fn parse<T: DeserializeOwned>(text: &str, format: &str, list: &str) -> Result<Vec<T>, String> {
    let mut whole: Value = serde_json::from_str(text).map_err(|why| why.to_string())?;
    let found = whole.get("format").and_then(Value::as_str).unwrap_or("none");
    if found != format {
        return Err(format!("format is {found}, expected {format}"));
    }
    let entries = whole.get_mut(list).and_then(Value::as_array_mut).ok_or(format!("no array `{list}`"))?;
    entries.drain(..).map(entry).collect()
}

fn entry<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    let name = value.get("name").and_then(Value::as_str).unwrap_or("unnamed").to_owned();
    serde_json::from_value(value).map_err(|why| format!("{name}: {why}"))
}

#[cfg(test)]
mod tests;
