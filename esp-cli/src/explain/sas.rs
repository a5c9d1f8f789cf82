//! The SAs of the file, as a receiver would have them, and the window that this program keeps for each.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use esp_core::config::{Direction, Lookup, SaConfig};
use esp_core::{Engine, InboundStart, SaError, Tiers};
use esp_replay::Window;
use esp_wire::Seq64;

use super::icv::Judge;
use crate::sa::{self, Said};
use crate::{cpu_deny, files};

/// All SAs of a file, installed in an engine.
pub(crate) struct Sas {
    /// For messages.
    pub(crate) file: String,
    pub(crate) list: Vec<Known>,
    /// UDP destination ports that carry ESP.
    pub(crate) ports: Vec<u16>,
    pub(crate) engine: Engine,
    pub(crate) tiers: Tiers,
    /// Which packets had which numbers.
    pub(crate) seen: Seen,
    by_spi: HashMap<u32, Vec<usize>>,
}

/// One SA.
pub(crate) struct Known {
    /// As the receiver has it.
    pub(crate) config: SaConfig,
    /// Whether the file has it as outbound.
    pub(crate) sends: bool,
    /// Whether the engine has it; not if another one of the file has its SPI.
    pub(crate) installed: bool,
    /// What its packets are judged with.
    pub(crate) judge: Judge,
    pub(crate) window: Window,
    /// Whether the ICV that a packet should have may be shown.
    pub(crate) shows_icv: bool,
    /// Packets whose ICV was right.
    pub(crate) authentic: u64,
}

impl Sas {
    /// Reads a file. SAs with ESN start at the high half `seq_hi`.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no SA file, or has no SA.
    pub(crate) fn read(path: &Path, said: Said, seq_hi: u32, shows_icv: bool) -> Result<Self> {
        let configs = sa::read(path, Direction::Inbound, said)?;
        let file =
            if files::is_standard(path) { "the SA file".to_owned() } else { path.display().to_string() };
        ensure!(!configs.is_empty(), "{file}: no SA; `esp explain` needs one, or do without --sa");
        let mut sas = Self::new(file, &configs, seq_hi)?;
        sas.list.iter_mut().for_each(|known| known.shows_icv = shows_icv);
        Ok(sas)
    }

    /// Installs SAs of a file of this name.
    ///
    /// # Errors
    ///
    /// An SA that the engine refuses.
    pub(crate) fn new(file: String, configs: &[SaConfig], seq_hi: u32) -> Result<Self> {
        let all: Vec<_> = configs.iter().collect();
        let ports = sa::udp_ports(&all);
        let count = u32::try_from(configs.len().max(1)).context("SAs in one file")?;
        let builder = Engine::builder().max_sas(count).max_workers(1).event_queue(0).udp_ports(&ports);
        let denied = cpu_deny::from_env()?;
        let engine = builder.deny(&denied).build().with_context(|| file.clone())?;
        let tiers = Tiers::detect(&denied);
        let (seen, by_spi) = (Seen::default(), HashMap::new());
        let mut sas = Self { file, list: Vec::new(), ports, engine, tiers, seen, by_spi };
        // Inbound SAs first: where a file has both ends of an SA, they are what a receiver has.
        for direction in [Direction::Inbound, Direction::Outbound] {
            for config in configs.iter().filter(|config| config.direction == direction) {
                let context = || format!("{}: {}", sas.file, sa::shown(config));
                let known = sas.install(config, seq_hi).with_context(context)?;
                if known.installed {
                    sas.by_spi.entry(config.spi).or_default().push(sas.list.len());
                }
                sas.list.push(known);
            }
        }
        Ok(sas)
    }

    fn install(&self, config: &SaConfig, seq_hi: u32) -> Result<Known> {
        let sends = config.direction == Direction::Outbound;
        let config = received(config);
        let spec = config.inbound()?;
        let top = (config.esn && seq_hi > 0).then(|| u64::from(seq_hi) << 32);
        let start = InboundStart { top, ..InboundStart::default() };
        let installed = match self.engine.install_inbound_at(&config, start) {
            Ok(_) => true,
            Err(SaError::Exists { .. }) => false,
            Err(why) => return Err(why.into()),
        };
        let transform = config.transform;
        let judge = Judge::new(transform, &self.tiers, config.key.expose());
        let judge = judge.context("the keying material has another length")?;
        let window = match spec.window {
            None => Window::off(),
            Some(size) => Window::with_top(size, spec.esn, Seq64(top.unwrap_or(0))),
        };
        Ok(Known { config, sends, installed, judge, window, shows_icv: false, authentic: 0 })
    }

    /// The SA of a packet, by the longest match (RFC 4301 section 4.1).
    pub(crate) fn find(&self, spi: u32, src: IpAddr, dst: IpAddr) -> Option<usize> {
        let ranked = self.with_spi(spi).filter_map(|at| {
            let config = &self.list.get(at)?.config;
            let (to, from) = (config.dst == Some(dst), config.src == Some(src));
            match config.lookup {
                Lookup::Spi => Some((0, at)),
                Lookup::SpiDst => to.then_some((1, at)),
                Lookup::SpiDstSrc => (to && from).then_some((2, at)),
            }
        });
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, at)| at)
    }

    /// Every SA that the engine has with this SPI.
    pub(crate) fn with_spi(&self, spi: u32) -> impl Iterator<Item = usize> + '_ {
        self.by_spi.get(&spi).into_iter().flatten().copied()
    }

    /// Every SA as messages name it, with its SPI.
    pub(crate) fn shown(&self) -> Vec<String> {
        let one = |known: &Known| match &known.config.name {
            Some(name) => format!("{:#010x} ({name:?})", known.config.spi),
            None => format!("{:#010x}", known.config.spi),
        };
        self.list.iter().filter(|known| known.installed).map(one).collect()
    }
}

impl Known {
    /// As messages name it.
    pub(crate) fn shown(&self) -> String {
        sa::shown(&self.config)
    }

    /// Moves the window, for a packet that is authentic.
    pub(crate) fn commit(&mut self, seq: Seq64) {
        self.authentic += 1;
        // A number that the window refuses leaves it as it was.
        self.window.commit(seq).ok();
    }
}

/// Which packet had a sequence number of an SA, for the last [`REMEMBERED`] of all.
#[derive(Default)]
pub(crate) struct Seen {
    packets: HashMap<(usize, u64), u64>,
    order: VecDeque<(usize, u64)>,
}

impl Seen {
    /// The packet that had this number of the SA at `sa` first, if that was not too long ago.
    pub(crate) fn first(&self, sa: usize, Seq64(seq): Seq64) -> Option<u64> {
        self.packets.get(&(sa, seq)).copied()
    }

    /// Remembers that packet `number` had it.
    pub(crate) fn add(&mut self, sa: usize, Seq64(seq): Seq64, number: u64) {
        if self.packets.contains_key(&(sa, seq)) {
            return;
        }
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.packets.remove(&oldest);
        }
        self.order.push_back((sa, seq));
        self.packets.insert((sa, seq), number);
    }
}

/// The SA at its other end: what is for sending only is left out.
fn received(sa: &SaConfig) -> SaConfig {
    let plain = SaConfig::new(Direction::Inbound, sa.spi, sa.transform, sa.key.clone(), sa.mode);
    let mut taken = sa.clone();
    if sa.direction == Direction::Outbound {
        taken.direction = Direction::Inbound;
        (taken.mtu, taken.tfc_pad_to) = (plain.mtu, plain.tfc_pad_to);
        (taken.dscp, taken.df, taken.ttl) = (plain.dscp, plain.df, plain.ttl);
        taken.flow_label = plain.flow_label;
    }
    taken
}

/// Sequence numbers, each some 80 bytes.
const REMEMBERED: usize = 65_536;
