//! What distinguishes one row from another.

use std::fmt;

use anyhow::{Context as _, Result, ensure};
use esp_core::Transform;
use esp_core::config::{Direction, KeySource, Mode, ReplayWindow, SaConfig};
use esp_wire::ipv4;
use serde::Serialize;

/// Which walk is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// The outbound walk.
    Seal,
    /// The inbound walk, over packets that were just sealed.
    Open,
}

/// One row's place on every axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Which walk.
    pub op: Op,
    /// The transform; of a null twin, the one whose lengths it has.
    pub transform: Transform,
    /// Whether the null twin stands in for the cipher.
    pub null: bool,
    /// Tunnel or transport mode.
    pub mode: Mode,
    /// Length of the inner IP packet in bytes: what is tunnelled, or what the transport-mode packet was in clear.
    pub size: usize,
    /// SAs of each lane, or of all lanes together if `shared`. Packets choose among them at random.
    pub sas: u32,
    /// Threads, one lane and one worker each.
    pub threads: usize,
    /// Packets a call.
    pub burst: usize,
    /// Whether all lanes use the same SAs.
    pub shared: bool,
    /// Bits of the replay window.
    pub window: u32,
}

impl Axes {
    /// Smallest and largest inner packet in bytes.
    pub const SIZES: std::ops::RangeInclusive<usize> = 28..=9000;
    /// Fewest and most packets a call.
    pub const BURSTS: std::ops::RangeInclusive<usize> = 1..=256;

    /// # Errors
    ///
    /// The axis that is out of its range, and the range.
    pub fn check(&self) -> Result<()> {
        ensure!(Self::SIZES.contains(&self.size), "size {}: must be {:?} bytes", self.size, Self::SIZES);
        ensure!(Self::BURSTS.contains(&self.burst), "burst {}: must be {:?}", self.burst, Self::BURSTS);
        ensure!((1..=1 << 20).contains(&self.sas), "sas {}: must be 1..=1048576", self.sas);
        ensure!((1..=64).contains(&self.threads), "threads {}: must be 1..=64", self.threads);
        Ok(())
    }

    /// The outbound and the inbound end of the row's SA number `index`.
    ///
    /// # Errors
    ///
    /// A window out of its range.
    pub fn sa_pair(&self, index: u32) -> Result<(SaConfig, SaConfig)> {
        let (outbound, mut inbound) = tunnel_pair(self.transform, self.mode, FIRST_SPI + index);
        inbound.replay_window = ReplayWindow::Bits(self.window);
        inbound.inbound().with_context(|| format!("SA of {self}"))?;
        Ok((outbound, inbound))
    }
}

/// The name made of axes, such as `outbound/aes-128-gcm-16/64/32`.
impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.op {
            Op::Seal => "outbound",
            Op::Open => "inbound",
        };
        let null = if self.null { "null-twin:" } else { "" };
        write!(f, "{direction}/{null}{}/{}/{}", self.transform, self.size, self.burst)?;
        write!(f, "/{}-sas/{}-threads", self.sas, self.threads)
    }
}

/// The two ends of one SA, 192.0.2.1 to 192.0.2.2, under a key that depends on the SPI.
#[must_use]
pub fn tunnel_pair(transform: Transform, mode: Mode, spi: u32) -> (SaConfig, SaConfig) {
    let key: Vec<u8> = spi.to_be_bytes().into_iter().cycle().take(transform.key_len()).collect();
    let mut outbound = SaConfig::new(Direction::Outbound, spi, transform, key, mode);
    outbound.keys = KeySource::Negotiated;
    if mode == Mode::Tunnel {
        outbound.src = Some([192, 0, 2, 1].into());
        outbound.dst = Some([192, 0, 2, 2].into());
    }
    let mut inbound = outbound.clone();
    inbound.direction = Direction::Inbound;
    (outbound, inbound)
}

/// An IPv4 packet of `size` bytes with UDP inside, 10.0.0.1 to 10.0.0.2.
///
/// # Panics
///
/// If `size` is not in [`Axes::SIZES`].
#[must_use]
pub fn inner_packet(size: usize) -> Vec<u8> {
    assert!(Axes::SIZES.contains(&size), "size {size}");
    let header = ipv4::Ipv4Fields {
        tos: 0,
        total_len: u16::try_from(size).unwrap_or(u16::MAX),
        id: 0,
        dont_fragment: true,
        ttl: 64,
        protocol: 17,
        src: [10, 0, 0, 1],
        dst: [10, 0, 0, 2],
    };
    let mut packet = header.write().to_vec();
    packet.resize(size, 0x5a);
    packet
}

/// First SPI of a row; the others follow.
const FIRST_SPI: u32 = 0x0001_0000;
