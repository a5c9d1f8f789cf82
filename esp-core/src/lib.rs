//! The ESP datapath: SAs, the outbound walk, the inbound walk.
//!
//! A switch embeds this crate in its poll-mode threads. A control thread makes an [`Engine`] and installs SAs; each
//! poll-mode thread has a [`Worker`] and hands it bursts of [`Packet`]s, to seal for a [`TunnelId`] or to open by
//! their SPI. The engine works in place and leaves one [`Verdict`] a packet.
//!
//! ```
//! use esp_core::config::{Direction, Mode, SaConfig};
//! use esp_core::{Engine, Millis, Packet, Transform, Verdict};
//!
//! let engine = Engine::builder().max_sas(16).build()?;
//! let key = [7; 20]; // 16 bytes of AES key, 4 of salt (RFC 4106 section 8.1)
//! let mut config = SaConfig::new(Direction::Outbound, 0x1001, Transform::Aes128Gcm16, &key[..], Mode::Tunnel);
//! (config.src, config.dst) = (Some("192.0.2.1".parse()?), Some("192.0.2.2".parse()?));
//! let tunnel = engine.install_outbound(&config)?;
//! config.direction = Direction::Inbound;
//! engine.install_inbound(&config)?;
//!
//! let mut worker = engine.worker()?;
//! let room = engine.shape(tunnel)?.room_needed();
//! let mut buf = vec![0; room.headroom + 20 + room.tailroom];
//! buf[room.headroom..][..20].copy_from_slice(&[
//!     0x45, 0, 0, 20, 0, 0, 0, 0, 64, 59, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
//! ]);
//! let mut burst = [Packet::new(&mut buf, room.headroom, 20)?];
//! let mut verdicts = [Verdict::default()];
//! worker.seal_burst(Millis(0), tunnel, &mut burst, &mut verdicts)?;
//! worker.open_burst(Millis(0), &mut burst, &mut verdicts)?;
//! assert_eq!(verdicts[0].delivered().map(|got| got.len), Some(20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is shared: SAs are read by all workers; the outbound sequence counter is one atomic add a burst and SA; the
//! inbound replay window is a mutex, taken twice a burst and SA; audit events go into a queue, a few a burst. Nothing else
//! that a packet needs is written by two threads.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod config;
mod engine;
mod error;
mod events;
mod handle;
mod inbound;
mod ip;
mod iv;
mod lanes;
mod narrow;
mod outbound;
mod packet;
mod runs;
mod sa;
mod shape;
mod stats;
mod tally;
mod time;
mod verdict;
mod worker;

pub use engine::{Engine, EngineBuilder, ReservedSpi};
#[doc(hidden)]
pub use engine::{InboundStart, OutboundStart};
pub use error::SaError;
pub use esp_crypto::{CpuFeature, KeyMaterial, Tier, Tiers, Transform};
pub use esp_wire::Spi;
pub use events::Event;
pub use handle::{SaId, TunnelId};
pub use lanes::BURST;
pub use packet::{Packet, PacketError, PacketFlags};
pub use shape::{Room, Shape};
pub use stats::{Counter, SaStats, Stats, Traffic};
pub use time::Millis;
pub use verdict::{Consumed, Delivered, DropReason, HandedBack, Verdict};
pub use worker::{BurstError, Worker};

/// The README's program, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
