//! The engine of a run and its SAs: one that all workers share, and many.

use anyhow::{Context, Result};
use esp_core::config::{Direction, KeySource, Mode, ReplayWindow, SaConfig};
use esp_core::{CpuFeature, Engine, Room, SaId, Tier, TunnelId};
use rand::Rng;
use rand::seq::SliceRandom;

use super::plan::Plan;
use super::progress::Progress;

/// Both ends of one tunnel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) tunnel: TunnelId,
    pub(crate) outbound: SaId,
    pub(crate) inbound: SaId,
}

/// An engine with every SA installed.
#[derive(Debug)]
pub(crate) struct Sas {
    pub(crate) engine: Engine,
    pub(crate) shared: Pair,
    /// In random order: neighbours in traffic are no neighbours in memory.
    pub(crate) many: Vec<Pair>,
    /// Room that each packet needs, the same for every SA.
    pub(crate) room: Room,
    /// What serves the transform.
    pub(crate) tier: Tier,
}

impl Sas {
    /// Makes the engine and installs the SAs.
    ///
    /// # Errors
    ///
    /// The engine's refusal; out of memory is not among them.
    pub(crate) fn install(plan: &Plan, denied: &[CpuFeature], progress: &Progress) -> Result<Self> {
        // One more for the shared SA, one for the bad packets, one slot for an SPI that nobody holds.
        let engine = Engine::builder()
            .max_sas(u32::try_from(plan.sas + 3).context("number of SAs")?)
            .max_workers(plan.workers + 1)
            .deny(denied)
            .build()?;
        let shared = pair(&engine, plan, plan.window_shared())?;
        let mut many = Vec::with_capacity(plan.sas);
        for installed in 0..plan.sas {
            if installed % 1024 == 0 {
                progress.installing(installed, plan.sas);
            }
            many.push(pair(&engine, plan, plan.window_many()).context("installing SAs")?);
        }
        many.shuffle(&mut rand::rng());
        let room = engine.shape(shared.tunnel)?.room_needed();
        let tier = engine.tiers().best(plan.transform);
        Ok(Self { engine, shared, many, room, tier })
    }

    /// Every pair that is installed for the timed phases.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &Pair> {
        std::iter::once(&self.shared).chain(&self.many)
    }
}

/// Installs a tunnel with a random key, both ends here.
///
/// ESN, because the shared SA would use up 2^32 numbers in minutes.
///
/// # Errors
///
/// The engine's refusal.
pub(crate) fn pair(engine: &Engine, plan: &Plan, window: usize) -> Result<Pair> {
    let reserved = engine.reserve_spi()?;
    let spi = reserved.spi().get();
    let mut key = vec![0; plan.transform.key_len()];
    rand::rng().fill_bytes(&mut key);
    let mut config = SaConfig::new(Direction::Outbound, spi, plan.transform, key.as_slice(), Mode::Tunnel);
    // Made afresh in each run.
    (config.keys, config.allow_legacy) = (KeySource::Negotiated, plan.transform.is_legacy());
    config.src = Some([192, 0, 2, 1].into());
    config.dst = Some([192, 0, 2, 2].into());
    config.esn = true;
    let tunnel = engine.install_outbound(&config)?;
    let outbound = engine.outbound_sa(tunnel)?;
    config.direction = Direction::Inbound;
    config.replay_window = ReplayWindow::Bits(u32::try_from(window).context("replay window")?);
    let inbound = engine.install_reserved(reserved, &config)?;
    Ok(Pair { tunnel, outbound, inbound })
}
