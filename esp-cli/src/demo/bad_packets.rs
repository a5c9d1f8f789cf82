//! Bad packets, a burst of each kind: every one must be dropped, and for its own reason.

use anyhow::{Context, Result};
use arrayvec::ArrayVec;
use esp_core::{BURST, DropReason, Millis, Packet, Verdict, Worker};
use serde::Serialize;

use super::plan::Plan;
use super::sas::{Pair, Sas, pair};
use super::traffic::{Mix, Serial, Traffic};

/// What became of one kind.
#[derive(Debug, Serialize)]
pub(crate) struct BadPackets {
    pub(crate) kind: &'static str,
    pub(crate) sent: u64,
    /// Delivered after all. The good copy that a replay repeats is not counted.
    pub(crate) delivered: u64,
    /// Dropped for the expected reason.
    pub(crate) dropped: u64,
    /// The reason expected.
    pub(crate) reason: &'static str,
    pub(crate) ok: bool,
}

/// Sends a burst of each kind to an SA of its own, and removes the SA.
///
/// # Errors
///
/// The SA or the worker could not be had, or the good copies of the replayed packets were not opened.
pub(crate) fn run(sas: &Sas, plan: &Plan) -> Result<Vec<BadPackets>> {
    let engine = &sas.engine;
    let victim = pair(engine, plan, BURST * KINDS.len())?;
    // An SPI that nobody holds: reserved, and given back at once.
    let unknown_spi = engine.reserve_spi()?.spi().get();
    let mut attack =
        Attack { worker: engine.worker()?, traffic: Traffic::new(Mix::Small), victim, unknown_spi };
    let outcome = KINDS.iter().map(|kind| attack.send(sas, kind)).collect::<Result<Vec<_>>>()?;
    drop(attack);
    engine.remove(victim.outbound)?;
    engine.remove(victim.inbound)?;
    engine.tick(Millis(0));
    Ok(outcome)
}

/// One kind of bad packet: what is done to a sealed one, and what must come of it.
struct Kind {
    name: &'static str,
    reason: DropReason,
    harm: Harm,
}

enum Harm {
    Replay,
    FlipBit,
    Truncate,
    UnknownSpi,
}

const KINDS: [Kind; 4] = [
    Kind { name: "replayed", reason: DropReason::ReplayDuplicate, harm: Harm::Replay },
    Kind { name: "one bit flipped", reason: DropReason::AuthFailed, harm: Harm::FlipBit },
    Kind { name: "truncated", reason: DropReason::Malformed, harm: Harm::Truncate },
    Kind { name: "unknown SPI", reason: DropReason::NoSa, harm: Harm::UnknownSpi },
];

struct Attack {
    worker: Worker,
    traffic: Traffic,
    victim: Pair,
    unknown_spi: u32,
}

/// A sealed packet in a buffer of its own.
struct Frame {
    buf: Vec<u8>,
    off: usize,
    len: usize,
}

impl Attack {
    fn send(&mut self, sas: &Sas, kind: &Kind) -> Result<BadPackets> {
        let mut frames = self.sealed(sas)?;
        match kind.harm {
            Harm::Replay => self.opened_once(&frames)?,
            Harm::FlipBit => frames.iter_mut().enumerate().for_each(|(n, frame)| frame.flip_bit(n)),
            Harm::Truncate => frames.iter_mut().for_each(|frame| frame.len -= 1),
            Harm::UnknownSpi => frames.iter_mut().for_each(|frame| frame.set_spi(self.unknown_spi)),
        }
        let verdicts = self.open(&mut frames)?;
        let of = |found: &dyn Fn(&&Verdict) -> bool| verdicts.iter().filter(found).count() as u64;
        let sent = verdicts.len() as u64;
        let delivered = of(&|verdict| verdict.delivered().is_some());
        let dropped = of(&|verdict| verdict.reason() == Some(kind.reason));
        let (kind, reason) = (kind.name, kind.reason.name());
        Ok(BadPackets { kind, sent, delivered, dropped, reason, ok: dropped == sent })
    }

    fn sealed(&mut self, sas: &Sas) -> Result<Vec<Frame>> {
        let mut frames: Vec<Frame> = (0..BURST)
            .map(|number| {
                let serial = Serial { worker: 0, number };
                let (off, len) = (sas.room.headroom, self.traffic.len(serial));
                let mut buf = vec![0; off + len + sas.room.tailroom];
                self.traffic.write(serial, &mut buf[off..off + len]);
                Frame { buf, off, len }
            })
            .collect();
        let mut verdicts = [Verdict::default(); BURST];
        self.worker.seal_burst(Millis(0), self.victim.tunnel, &mut packets(&mut frames)?, &mut verdicts)?;
        for (frame, verdict) in frames.iter_mut().zip(&verdicts) {
            let sealed = verdict.delivered().with_context(|| format!("not sealed: {verdict:?}"))?;
            (frame.off, frame.len) = (sealed.offset as usize, sealed.len as usize);
        }
        Ok(frames)
    }

    /// Lets copies of the packets pass, so that they are replays from now on.
    fn opened_once(&mut self, frames: &[Frame]) -> Result<()> {
        let mut copies: Vec<Frame> = frames
            .iter()
            .map(|frame| Frame { buf: frame.buf.clone(), off: frame.off, len: frame.len })
            .collect();
        let verdicts = self.open(&mut copies)?;
        match verdicts.iter().find(|verdict| verdict.delivered().is_none()) {
            Some(verdict) => anyhow::bail!("a good packet was not opened: {verdict:?}"),
            None => Ok(()),
        }
    }

    fn open(&mut self, frames: &mut [Frame]) -> Result<[Verdict; BURST]> {
        let mut verdicts = [Verdict::default(); BURST];
        self.worker.open_burst(Millis(0), &mut packets(frames)?, &mut verdicts)?;
        Ok(verdicts)
    }
}

impl Frame {
    fn esp(&mut self) -> &mut [u8] {
        &mut self.buf[self.off + esp_wire::ipv4::MIN_HEADER_LEN..self.off + self.len]
    }

    /// Turns a bit behind the sequence number, in another place for each packet.
    fn flip_bit(&mut self, n: usize) {
        let protected = &mut self.esp()[esp_wire::esp::HEADER_LEN..];
        let at = n * (protected.len() - 1) / (BURST - 1);
        protected[at] ^= 1 << (n % 8);
    }

    fn set_spi(&mut self, spi: u32) {
        self.esp()[..4].copy_from_slice(&spi.to_be_bytes());
    }
}

fn packets(frames: &mut [Frame]) -> Result<ArrayVec<Packet<'_>, BURST>> {
    Ok(frames
        .iter_mut()
        .map(|frame| Packet::new(&mut frame.buf, frame.off, frame.len))
        .collect::<Result<_, _>>()?)
}
