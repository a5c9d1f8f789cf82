//! What an engine is made of, fixed for its life.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use esp_crypto::{CpuFeature, Tiers};
use esp_sad::{Domain, InboundSad, Slab};
use parking_lot::Mutex;

use super::{Engine, Shared};
use crate::error::SaError;
use crate::events::EventQueue;
use crate::stats::EngineShards;

/// Builds an [`Engine`].
#[derive(Clone, Debug)]
#[must_use]
pub struct EngineBuilder {
    max_sas: u32,
    max_workers: usize,
    denied: Vec<CpuFeature>,
    event_queue: usize,
    udp_ports: Vec<u16>,
}

/// Port of UDP-encapsulated ESP (RFC 3948 section 2).
const UDP_ENCAP_PORT: u16 = 4500;
/// Most SAs of one direction.
const MAX_SAS: u32 = 1 << 24;
/// Most workers.
const MAX_WORKERS: usize = 1024;

impl Default for EngineBuilder {
    fn default() -> Self {
        Self {
            max_sas: 1024,
            max_workers: 64,
            denied: Vec::new(),
            event_queue: 1024,
            udp_ports: vec![UDP_ENCAP_PORT],
        }
    }
}

impl EngineBuilder {
    /// How many SAs of one direction there can be: 1 to 2^24; 1024 by default. Memory is set aside for all of them.
    pub const fn max_sas(mut self, max_sas: u32) -> Self {
        self.max_sas = max_sas;
        self
    }

    /// How many workers can be alive at once: 1 to 1024; 64 by default.
    pub const fn max_workers(mut self, max_workers: usize) -> Self {
        self.max_workers = max_workers;
        self
    }

    /// CPU features that must not be used, whatever the CPU offers.
    pub fn deny(mut self, features: &[CpuFeature]) -> Self {
        self.denied.extend_from_slice(features);
        self
    }

    /// Audit events that wait for [`Engine::poll_event`]: at most 2^20; 1024 by default. With 0 they are only counted.
    pub const fn event_queue(mut self, events: usize) -> Self {
        self.event_queue = events;
        self
    }

    /// UDP destination ports that carry ESP, 1 to 8 of them; 4500 by default.
    pub fn udp_ports(mut self, ports: &[u16]) -> Self {
        self.udp_ports = ports.to_vec();
        self
    }

    /// Makes the engine.
    ///
    /// # Errors
    ///
    /// [`SaError::Field`] for a value out of its range.
    pub fn build(self) -> Result<Engine, SaError> {
        within("max_sas", u64::from(self.max_sas), 1, u64::from(MAX_SAS))?;
        within("max_workers", self.max_workers as u64, 1, MAX_WORKERS as u64)?;
        within("event_queue", self.event_queue as u64, 0, 1 << 20)?;
        within("udp_ports", self.udp_ports.len() as u64, 1, 8)?;
        for port in &self.udp_ports {
            within("udp_ports", u64::from(*port), 1, u64::from(u16::MAX))?;
        }
        let shards = EngineShards::new(self.max_workers);
        let domain = Domain::new(self.max_workers);
        let capacity = |_| SaError::Full { max_sas: self.max_sas };
        let shared = Shared {
            outbound: Slab::new(self.max_sas, &domain).map_err(capacity)?,
            inbound: InboundSad::new(self.max_sas, &domain).map_err(capacity)?,
            domain,
            outbound_cells: shards.sa_cells(self.max_sas),
            inbound_cells: shards.sa_cells(self.max_sas),
            events: EventQueue::new(self.event_queue),
            udp_ports: self.udp_ports.into_boxed_slice(),
            shards,
            owners: (0..self.max_workers).map(AtomicUsize::new).collect(),
            tiers: Tiers::detect(&self.denied),
            max_sas: self.max_sas,
            control: Mutex::new(()),
        };
        Ok(Engine { shared: Arc::new(shared) })
    }
}

fn within(field: &'static str, value: u64, least: u64, most: u64) -> Result<(), SaError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(SaError::Field { field, value: value.to_string(), legal: format!("{least}..={most}") })
}
