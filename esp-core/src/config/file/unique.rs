//! What no two SAs of a file may share.

use std::collections::HashMap;
use std::net::IpAddr;

use super::table::Place;
use super::{ConfigError, SaConfig};
use crate::config::{Direction, Lookup, legal};

/// Names and inbound lookups so far, each with the SA that has it, counted from 1.
#[derive(Debug, Default)]
pub(super) struct Unique {
    names: HashMap<String, usize>,
    lookups: HashMap<Found, usize>,
}

/// What finds an inbound SA: the SPI, and the addresses that its `lookup` looks at.
type Found = (u32, Option<IpAddr>, Option<IpAddr>);

impl Unique {
    /// Notes a checked SA.
    ///
    /// # Errors
    ///
    /// An SA before it has this name, or is found by the same packets.
    pub(super) fn add(&mut self, place: &Place<'_, '_>, sa: &SaConfig) -> Result<(), ConfigError> {
        if let Some(name) = &sa.name
            && let Some(first) = self.names.insert(name.clone(), place.index)
        {
            let message = format!("SA {first} has this name too; legal: {}", legal::of("name"));
            return Err(place.error("name", &message));
        }
        if sa.direction == Direction::Inbound
            && let Some(first) = self.lookups.insert(found(sa), place.index)
        {
            let message = format!(
                "inbound SA {first} has SPI {:#010x} and is found by the same packets; legal: another SPI, or addresses that \
                 differ with lookup = \"spi-dst\" or \"spi-dst-src\"",
                sa.spi
            );
            return Err(place.error("spi", &message));
        }
        Ok(())
    }
}

fn found(sa: &SaConfig) -> Found {
    match sa.lookup {
        Lookup::Spi => (sa.spi, None, None),
        Lookup::SpiDst => (sa.spi, sa.dst, None),
        Lookup::SpiDstSrc => (sa.spi, sa.dst, sa.src),
    }
}
