//! The SAs of the file, each with a window of its own and a judge.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context, Result};
use esp_core::config::{Df, Direction, Dscp, FlowLabel, Lookup, ReplayWindow, SaConfig};
use esp_core::{Engine, InboundStart, Worker};
use esp_replay::{Window, WindowSize};
use esp_wire::Seq64;

use super::icv::Judge;
use crate::cpu_deny;
use crate::locate::UDP_ENCAP_PORT;
use crate::sa::{self, Said};

/// All SAs, and an engine that has them as inbound ones.
pub(super) struct Known {
    pub(super) sas: Vec<KnownSa>,
    pub(super) ports: Vec<u16>,
    pub(super) worker: Worker,
    /// Whether there is a file at all.
    pub(super) has_file: bool,
}

/// One SA, as its receiver has it.
pub(super) struct KnownSa {
    pub(super) config: SaConfig,
    /// As the file has it.
    pub(super) direction: Direction,
    pub(super) judge: Judge,
    pub(super) window: Window,
}

impl Known {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub(super) fn read(path: Option<&Path>, said: Said, seq_hi: u32) -> Result<Self> {
        let configs = path.map_or(Ok(Vec::new()), |path| sa::read(path, Direction::Inbound, said))?;
        let place = || path.map_or_else(String::new, |path| path.display().to_string());
        let mut sas: Vec<KnownSa> = Vec::new();
        // Both ends may stand in one file: then the receiver's says more.
        let (inbound, outbound): (Vec<_>, Vec<_>) =
            configs.into_iter().partition(|sa| sa.direction == Direction::Inbound);
        for config in inbound.into_iter().chain(outbound) {
            let known = |sa: &KnownSa| sa.config.spi == config.spi && sa.direction != config.direction;
            if !sas.iter().any(known) && !duplicate(&sas, &config) {
                sas.push(KnownSa::new(config, seq_hi).with_context(place)?);
            }
        }
        let ports = sas.iter().filter_map(|sa| sa.config.udp).map(|udp| udp.dst_port);
        let ports: Vec<_> = ports.chain([UDP_ENCAP_PORT]).collect::<BTreeSet<_>>().into_iter().collect();
        let max_sas = u32::try_from(sas.len().max(1)).context("SAs in one file")?;
        let builder = Engine::builder().max_sas(max_sas).max_workers(1).event_queue(0).udp_ports(&ports);
        let engine = builder.deny(&cpu_deny::from_env()?).build().with_context(place)?;
        for sa in &sas {
            let top = Some(u64::from(seq_hi) << 32).filter(|_| sa.config.esn && seq_hi > 0);
            let start = InboundStart { top, ..InboundStart::default() };
            engine
                .install_inbound_at(&sa.config, start)
                .with_context(|| sa::shown(&sa.config))
                .with_context(place)?;
        }
        Ok(Self { sas, ports, worker: engine.worker()?, has_file: path.is_some() })
    }

    /// The SA of a packet: of those with the SPI, the one that asks for most and gets it (RFC 4301 section 4.1).
    pub(super) fn find(&self, spi: u32, src: IpAddr, dst: IpAddr) -> Option<usize> {
        let fits = |sa: &SaConfig| match sa.lookup {
            Lookup::Spi => true,
            Lookup::SpiDst => sa.dst == Some(dst),
            Lookup::SpiDstSrc => sa.dst == Some(dst) && sa.src == Some(src),
        };
        let found = self.sas.iter().enumerate().filter(|(_, sa)| sa.config.spi == spi && fits(&sa.config));
        found.max_by_key(|(_, sa)| sa.config.lookup as u8).map(|(at, _)| at)
    }
}

impl KnownSa {
    fn new(config: SaConfig, seq_hi: u32) -> Result<Self> {
        let direction = config.direction;
        let config = received(config);
        let judge = Judge::new(config.transform, config.key.expose()).context("key")?;
        let window = match config.replay_window {
            ReplayWindow::Off => Window::off(),
            ReplayWindow::Bits(bits) => {
                let size = WindowSize::new(bits).context("replay_window")?;
                match seq_hi {
                    1.. if config.esn => Window::with_top(size, true, Seq64(u64::from(seq_hi) << 32)),
                    _ => Window::new(size, config.esn),
                }
            }
        };
        Ok(Self { config, direction, judge, window })
    }
}

/// The SA as its far end has it: without what is only the sender's.
fn received(sa: SaConfig) -> SaConfig {
    let mut inbound = sa;
    if inbound.direction == Direction::Outbound {
        inbound.direction = Direction::Inbound;
        (inbound.mtu, inbound.tfc_pad_to) = (None, None);
        (inbound.dscp, inbound.df, inbound.flow_label) =
            (Dscp::default(), Df::default(), FlowLabel::default());
        inbound.ttl = SaConfig::new(Direction::Inbound, 256, inbound.transform, [], inbound.mode).ttl;
    }
    inbound
}

fn duplicate(sas: &[KnownSa], config: &SaConfig) -> bool {
    let key = |sa: &SaConfig| match sa.lookup {
        Lookup::Spi => (sa.spi, None, None),
        Lookup::SpiDst => (sa.spi, sa.dst, None),
        Lookup::SpiDstSrc => (sa.spi, sa.dst, sa.src),
    };
    sas.iter().any(|sa| key(&sa.config) == key(config))
}
