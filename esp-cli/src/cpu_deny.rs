//! `ESP_CPU_DENY`: CPU features to do without, by name.

use anyhow::{Result, bail};
use esp_core::CpuFeature;

/// The features that the environment denies, in the order named.
///
/// # Errors
///
/// A name that is no feature; the message lists the legal ones.
pub(crate) fn from_env() -> Result<Vec<CpuFeature>> {
    match std::env::var_os(VARIABLE) {
        None => Ok(Vec::new()),
        Some(list) => parse(&list.to_string_lossy()),
    }
}

/// The names of `features`.
pub(crate) fn names(features: &[CpuFeature]) -> Vec<&'static str> {
    features.iter().map(|feature| feature.name()).collect()
}

fn parse(list: &str) -> Result<Vec<CpuFeature>> {
    let mut denied = Vec::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some(feature) = CpuFeature::from_name(name) else {
            let legal = names(CpuFeature::ALL).join(", ");
            bail!("{VARIABLE}: `{name}` is no CPU feature that can be denied; legal: {legal}");
        };
        if !denied.contains(&feature) {
            denied.push(feature);
        }
    }
    Ok(denied)
}

const VARIABLE: &str = "ESP_CPU_DENY";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_by_comma_in_any_case() {
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse(" , ").unwrap(), []);
        assert_eq!(parse("AESNI, avx2,aesni").unwrap(), [CpuFeature::Aesni, CpuFeature::Avx2]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_legal_ones() {
        let why = parse("aesni,sse9").unwrap_err().to_string();
        assert!(why.contains("`sse9`"), "{why}");
        for feature in CpuFeature::ALL {
            assert!(why.contains(feature.name()), "{why}");
        }
    }
}
