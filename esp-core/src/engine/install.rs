//! Installing SAs: configuration in, handles out.

use esp_crypto::{KeyError, OpenKey, SealKey, Tier, Transform};
use esp_sad::{Keyed, SadError};
use esp_stats::SaCells;
use esp_wire::{Seq64, Spi};
use rand::TryRng as _;
use rand::rngs::SysRng;

use super::Engine;
use crate::config::SaConfig;
use crate::error::SaError;
use crate::handle::{SaId, TunnelId};
use crate::sa::{InboundSa, OutboundSa, Start};

/// An SPI that belongs to nobody else while this lives: tell it to the peer, then install the SA with it. Dropping
/// it gives the SPI back.
#[derive(Debug)]
pub struct ReservedSpi(esp_sad::ReservedSpi);

impl ReservedSpi {
    /// The SPI.
    #[must_use]
    pub fn spi(&self) -> Spi {
        self.0.spi()
    }
}

/// Where an outbound SA starts, for tests. Not for production: two SAs with one key and one start use one IV twice.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct OutboundStart {
    /// The last sequence number given.
    pub sequence: u64,
    /// XORed to the sequence number, it gives the IV.
    pub iv_salt: u64,
    /// Replaces the transform by one that does no cryptography, to time everything else.
    pub null_twin: bool,
}

/// Where an inbound SA starts, for tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct InboundStart {
    /// Highest sequence number that counts as authenticated, with an empty window below.
    pub top: Option<u64>,
    /// As in [`OutboundStart`].
    pub null_twin: bool,
}

impl Engine {
    /// Installs an SA that seals.
    ///
    /// # Errors
    ///
    /// [`SaError`]: a field out of its range, no free slot, removed SAs that still wait for a worker, or no random numbers.
    pub fn install_outbound(&self, config: &SaConfig) -> Result<TunnelId, SaError> {
        // A run of 2^k packets repeats an IV of another run under the same key with probability about 2^(k-64).
        // Of the system, each time: a generator of the process would be the same on both sides of a fork.
        let iv_salt = SysRng.try_next_u64().map_err(|_| SaError::NoRandom)?;
        self.install_outbound_at(config, OutboundStart { sequence: 0, iv_salt, null_twin: false })
    }

    /// [`Engine::install_outbound`] with a known start.
    ///
    /// # Errors
    ///
    /// As [`Engine::install_outbound`].
    #[doc(hidden)]
    pub fn install_outbound_at(&self, config: &SaConfig, start: OutboundStart) -> Result<TunnelId, SaError> {
        let spec = config.outbound()?;
        let tier = self.tier(spec.transform);
        let begin = Start { sequence: start.sequence, iv_salt: start.iv_salt };
        let sa = if start.null_twin {
            let transform = spec.transform;
            OutboundSa::with_key(&spec, SealKey::null_twin(transform.iv_len(), transform.icv_len()), begin)
        } else {
            OutboundSa::new(&spec, tier, begin).map_err(key_error)?
        };
        let _control = self.shared.control.lock();
        self.shared.reclaim();
        let slot = self.shared.outbound.reserve().map_err(|why| self.refused(why))?;
        open_bulk(&self.shared.outbound_cells, slot.id().index());
        self.shared.outbound.fill(slot, sa).map(TunnelId::new).map_err(|why| self.refused(why))
    }

    /// Installs an SA that opens.
    ///
    /// # Errors
    ///
    /// [`SaError`]: a field out of its range, an SPI that is live or reserved, no free slot, or removed SAs that
    /// still wait for a worker.
    pub fn install_inbound(&self, config: &SaConfig) -> Result<SaId, SaError> {
        self.install_inbound_at(config, InboundStart::default())
    }

    /// [`Engine::install_inbound`] with a known start.
    ///
    /// # Errors
    ///
    /// As [`Engine::install_inbound`].
    #[doc(hidden)]
    pub fn install_inbound_at(&self, config: &SaConfig, start: InboundStart) -> Result<SaId, SaError> {
        let sa = self.inbound_sa(config, start)?;
        let _control = self.shared.control.lock();
        self.shared.reclaim();
        let slot = self.shared.inbound.install_with(*sa.key(), |slot| {
            open_bulk(&self.shared.inbound_cells, slot.index());
            sa
        });
        slot.map(SaId::inbound).map_err(|why| self.refused(why))
    }

    /// Sets aside an SPI that the engine finds fastest, for a key exchange that must name one first.
    ///
    /// # Errors
    ///
    /// [`SaError::Full`] or [`SaError::Busy`].
    pub fn reserve_spi(&self) -> Result<ReservedSpi, SaError> {
        let _control = self.shared.control.lock();
        self.shared.reclaim();
        let reserved = self.shared.inbound.allocate_spi().map_err(|why| self.refused(why))?;
        open_bulk(&self.shared.inbound_cells, reserved.slot().index());
        Ok(ReservedSpi(reserved))
    }

    /// Installs an SA that opens under a reserved SPI, whatever `config.spi` says.
    ///
    /// # Errors
    ///
    /// [`SaError`]: a field out of its range, or a `lookup` other than by SPI alone. The reservation ends.
    pub fn install_reserved(&self, reserved: ReservedSpi, config: &SaConfig) -> Result<SaId, SaError> {
        let mut config = config.clone();
        config.spi = reserved.spi().get();
        let sa = self.inbound_sa(&config, InboundStart::default())?;
        let _control = self.shared.control.lock();
        let slot = self.shared.inbound.install_reserved(reserved.0, sa).map_err(|why| self.refused(why))?;
        Ok(SaId::inbound(slot))
    }

    fn inbound_sa(&self, config: &SaConfig, start: InboundStart) -> Result<InboundSa, SaError> {
        let spec = config.inbound()?;
        let top = start.top.map(Seq64);
        if start.null_twin {
            let transform = spec.transform;
            let key = OpenKey::null_twin(transform.iv_len(), transform.icv_len());
            return Ok(InboundSa::with_key(&spec, key, top));
        }
        InboundSa::new(&spec, self.tier(spec.transform), top).map_err(key_error)
    }

    fn tier(&self, transform: Transform) -> Tier {
        self.shared.tiers.best(transform)
    }

    fn refused(&self, why: SadError) -> SaError {
        match why {
            SadError::Exists { key } => SaError::Exists { spi: key.spi().get() },
            SadError::Full { max } => SaError::Full { max_sas: max },
            SadError::Busy { stalled } => {
                SaError::Busy { stalled_worker: stalled.and_then(|reader| self.shared.worker_of(reader)) }
            }
            SadError::KeyMismatch => SaError::Field {
                field: "lookup",
                value: "with addresses".to_owned(),
                legal: "spi, for an SPI that the engine reserved".to_owned(),
            },
            _ => SaError::Stale,
        }
    }
}

fn key_error(why: KeyError) -> SaError {
    match why {
        KeyError::Length { transform, expected, got } => {
            SaError::KeyLength { transform: transform.name(), expected, got }
        }
        KeyError::Tier { transform, tier } => SaError::Field {
            field: "transform",
            value: transform.name().to_owned(),
            legal: format!("a transform of the {} tier", tier.name()),
        },
        KeyError::Degenerate { .. } => SaError::Field {
            field: "key",
            value: "two DES keys in a row that are the same".to_owned(),
            legal: "three that differ, parity bits aside (RFC 2451 section 2.3)".to_owned(),
        },
        KeyError::ReceiveOnly { transform } => SaError::Field {
            field: "transform",
            value: transform.name().to_owned(),
            legal: "one that is not for receiving only".to_owned(),
        },
    }
}

fn open_bulk(cells: &SaCells, slot: u32) {
    let opened = cells.open_bulk(SaCells::bulk_of(slot));
    debug_assert!(opened.is_ok(), "the cells are as many as the slots");
}
