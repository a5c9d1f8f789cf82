//! Faults that other implementations had on the inbound side. Each test is named after its fault, and every packet
//! goes through the whole walk.

mod appendix_a2;
mod authentic;
mod bursts;
mod forged;
mod fragments;
mod lengths;
mod lookup;
mod replay;
mod threads;

use std::collections::BTreeMap;

use esp_core::config::{Direction, Mode, ReplayWindow, SaConfig, UdpEncap};
use esp_core::{DropReason, SaId, Transform, Verdict};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow::{self, SlowMode, SlowSa};

use crate::rig::{self, EVERY, Outcome, Rig, transport, tunnel};

/// The slow ESP at the far end of an SA.
#[derive(Clone, Debug)]
struct Sender {
    sa: SlowSa,
    v6: bool,
}

impl Sender {
    /// The far end of `config`; over IPv6 where a tunnel's addresses are, and in transport mode if `v6` says so.
    fn of(config: &SaConfig, v6: bool) -> Self {
        Self { sa: rig::slow(config), v6 }
    }

    /// One with another key: its packets are not authentic.
    fn forger(&self) -> Self {
        let mut other = self.clone();
        for byte in &mut other.sa.key {
            *byte ^= 0x5a;
        }
        other
    }

    /// Packet `seq`, with [`inner`] or its IPv6 equal inside.
    fn packet(&self, seq: u64) -> Vec<u8> {
        self.carrying(seq, &self.inner_with(&Upper::udp(46)))
    }

    /// An IP packet that can go through the SA: transport mode has but one IP header.
    fn inner_with(&self, upper: &Upper) -> Vec<u8> {
        let v6 = self.v6 && self.sa.mode == SlowMode::Transport;
        if v6 { Ipv6::default().packet(upper) } else { Ipv4::default().packet(upper) }
    }

    /// Packet `seq` with this IP packet inside.
    fn carrying(&self, seq: u64, inner: &[u8]) -> Vec<u8> {
        slow::seal(&self.sa, seq, iv(seq), inner, 0, 0)
    }

    /// Packet `seq` with this plaintext, which ends in a trailer or in what passes for one.
    fn raw(&self, seq: u64, plaintext: &[u8]) -> Vec<u8> {
        self.wrap(&slow::seal_raw(&self.sa, seq, iv(seq), plaintext))
    }

    /// Padding and trailer behind `payload_len` bytes, as the SA's cipher needs it.
    fn trailer(&self, payload_len: usize, pad_extra: usize, next_header: u8) -> Vec<u8> {
        slow::trailer(self.sa.transform.align(), payload_len, pad_extra, next_header)
    }

    /// An ESP packet, or what is left of one, behind the SA's headers.
    fn wrap(&self, esp: &[u8]) -> Vec<u8> {
        slow::wrap_esp(&self.headers(), self.sa.udp, esp)
    }

    /// What stands in front of ESP and the UDP header.
    fn headers(&self) -> Vec<u8> {
        match self.sa.mode {
            SlowMode::Tunnel { src, dst } => slow::tunnel_header(src, dst),
            SlowMode::Transport if self.v6 => Ipv6::default().header(ESP, 0),
            SlowMode::Transport => Ipv4::default().header(ESP, 0),
        }
    }

    /// Where ESP starts in the packets of [`Sender::wrap`], in bytes.
    fn esp_off(&self) -> usize {
        self.headers().len() + if self.sa.udp.is_some() { 8 } else { 0 }
    }
}

/// An inbound SA that a test opens with, and its far end.
struct Pair {
    rig: Rig,
    sa: SaId,
    sender: Sender,
}

impl Pair {
    /// A tunnel over IPv4 with AES-128-GCM.
    fn new(replay_window: u32, esn: bool) -> Self {
        Self::at(replay_window, esn, None)
    }

    /// ... whose window has `top` as its highest number and nothing seen.
    fn at(replay_window: u32, esn: bool, top: Option<u64>) -> Self {
        let config = windowed(replay_window, esn);
        let rig = Rig::new();
        let sa = match top {
            Some(top) => rig.inbound_at(&config, top),
            None => rig.inbound(&config),
        };
        Self { rig, sa, sender: Sender::of(&config, false) }
    }

    /// Opens packet `seq`.
    #[track_caller]
    fn recv(&mut self, seq: u64) -> Outcome {
        let packet = self.sender.packet(seq);
        self.rig.open_one(&packet)
    }

    #[track_caller]
    fn accepts(&mut self, seq: u64) {
        let outcome = self.recv(seq);
        assert!(outcome.delivered(), "{seq:#x}: {:?}", outcome.verdict);
        outcome.assert_delivered(&inner());
    }

    #[track_caller]
    fn drops(&mut self, seq: u64, why: DropReason) {
        let outcome = self.recv(seq);
        assert_eq!(outcome.verdict.reason(), Some(why), "{seq:#x}: {:?}", outcome.verdict);
    }

    /// Opens the packets `seqs` in one burst.
    #[track_caller]
    fn burst(&mut self, seqs: &[u64]) -> Vec<Verdict> {
        let packets: Vec<Vec<u8>> = seqs.iter().map(|seq| self.sender.packet(*seq)).collect();
        self.rig.open(&packets).iter().map(|outcome| outcome.verdict).collect()
    }

    /// The highest number that authenticated.
    #[track_caller]
    fn top(&self) -> u64 {
        self.rig.engine.sa_stats(self.sa).expect("a live SA").sequence
    }
}

/// A burst's verdicts in short: `None` is delivered.
fn reasons(verdicts: &[Verdict]) -> Vec<Option<DropReason>> {
    let reason = |verdict: &Verdict| {
        assert!(verdict.delivered().is_some() || verdict.reason().is_some(), "{verdict:?}");
        verdict.reason()
    };
    verdicts.iter().map(reason).collect()
}

/// The inbound end of an IPv4 tunnel with AES-128-GCM.
fn windowed(bits: u32, esn: bool) -> SaConfig {
    let mut config = inbound(&tunnel(Transform::Aes128Gcm16, false));
    (config.replay_window, config.esn) = (ReplayWindow::Bits(bits), esn);
    config
}

fn inbound(outbound: &SaConfig) -> SaConfig {
    let config = rig::peer(outbound);
    assert_eq!(config.direction, Direction::Inbound);
    config
}

/// Every inbound SA that differs in transform, mode, family or encapsulation; true for IPv6.
fn all_shapes() -> Vec<(SaConfig, bool)> {
    EVERY.iter().flat_map(|transform| shapes_of(*transform)).collect()
}

/// One transform for each set of lengths, where only those matter and a test is slow.
fn shapes_by_length() -> Vec<(SaConfig, bool)> {
    let lens = |transform: &Transform| (transform.iv_len(), transform.icv_len(), transform.align());
    let by_lens: BTreeMap<_, _> = EVERY.iter().map(|transform| (lens(transform), *transform)).collect();
    by_lens.into_values().flat_map(shapes_of).collect()
}

fn shapes_of(transform: Transform) -> Vec<(SaConfig, bool)> {
    let mut all = Vec::new();
    for v6 in [false, true] {
        for base in [tunnel(transform, v6), transport(transform)] {
            for udp in [None, Some(UdpEncap::default())] {
                let mut config = inbound(&base);
                config.udp = udp;
                all.push((config, v6));
            }
        }
    }
    all
}

fn is_tunnel(config: &SaConfig) -> bool {
    config.mode == Mode::Tunnel
}

/// The packet inside, where a test does not ask for another.
fn inner() -> Vec<u8> {
    Ipv4::default().packet(&Upper::udp(46))
}

/// The IV of packet `seq`: each number has its own.
fn iv(seq: u64) -> [u8; 16] {
    rig::iv(seq ^ 0x5a5a_0000_0000)
}

const ESP: u8 = 50;
