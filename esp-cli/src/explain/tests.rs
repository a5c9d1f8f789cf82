//! Captures made for one purpose each, explained in memory.

mod agree;
mod mistakes;
mod separate;
mod verdicts;
mod visible;

use std::io::Cursor;
use std::slice::from_ref;

use anyhow::Result;
use esp_core::Transform;
use esp_core::config::{Direction, KeySource, Mode, SaConfig, UdpEncap};
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::{self, SlowMode, SlowSa, SlowTransform};

use super::json::Report;
use super::sas::Sas;
use super::text;
use super::walk::Walk;
use crate::capture::Reader;

/// What a capture is made of and how it is asked.
#[derive(Clone, Debug)]
struct Lab {
    sas: Vec<SaConfig>,
    link: u32,
    /// Each with its length on the wire, in bytes.
    frames: Vec<(Vec<u8>, usize)>,
    asked: Option<u64>,
    seq_hi: u32,
}

impl Lab {
    /// IP packets without layer 2.
    fn new(sas: &[SaConfig], packets: impl IntoIterator<Item = Vec<u8>>) -> Lab {
        let frames = packets.into_iter().map(|packet| (packet.clone(), packet.len())).collect();
        Lab { sas: sas.to_vec(), link: 101, frames, asked: None, seq_hi: 0 }
    }

    fn asked(mut self, number: u64) -> Lab {
        self.asked = Some(number);
        self
    }

    fn seq_hi(mut self, high: u32) -> Lab {
        self.seq_hi = high;
        self
    }

    fn link(mut self, link: u32) -> Lab {
        self.link = link;
        self
    }

    fn capture(&self) -> Vec<u8> {
        let mut bytes =
            [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 262_144, self.link].map(u32::to_be_bytes).concat();
        for ((frame, wire_len), second) in self.frames.iter().zip(1_u32..) {
            let lens = [frame.len(), *wire_len].map(|len| u32::try_from(len).unwrap());
            bytes.extend([second, 0, lens[0], lens[1]].map(u32::to_be_bytes).concat());
            bytes.extend(frame);
        }
        bytes
    }

    fn try_report(&self) -> Result<Report> {
        let sas = (!self.sas.is_empty()).then(|| Sas::new("east.toml".to_owned(), &self.sas, self.seq_hi));
        let mut reader = Reader::from_read(Box::new(Cursor::new(self.capture())), "capture").unwrap();
        let walked = Walk::new(sas.transpose().unwrap(), self.asked)?.run(&mut reader)?;
        Report::new("capture", self.asked, walked)
    }

    /// The report, with no defect and no secret in it.
    #[track_caller]
    fn report(&self) -> Report {
        let report = self.try_report().unwrap();
        assert_eq!(report.overview.defects.packets, 0, "{}", text::render(&report, false));
        self.assert_secret(&report);
        report
    }

    /// No key, and no three bytes of one in a row, are in the text or the JSON.
    #[track_caller]
    fn assert_secret(&self, report: &Report) {
        let (text, json) = (text::render(report, false), serde_json::to_string(report).unwrap());
        for sa in &self.sas {
            for part in sa.key.expose().windows(4) {
                let (spaced, dense) = (super::span::spaced(part), super::span::hex(part));
                for written in [&text, &json] {
                    assert!(!written.contains(&spaced) && !written.contains(&dense), "{written}");
                }
            }
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

/// The text in one line, so that words can be looked for wherever lines are broken.
fn flat(report: &Report) -> String {
    text::render(report, false).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Material that is no pattern; `seed` makes another.
fn material(seed: u8, len: usize) -> Vec<u8> {
    (0..len)
        .map(|at| u8::try_from((at * at * 59 + at * 113 + usize::from(seed) * 71 + 31) % 256).unwrap())
        .collect()
}

/// An inbound tunnel SA.
fn sa(name: &str, spi: u32, transform: Transform, seed: u8) -> SaConfig {
    let key = material(seed, transform.key_len());
    let mut sa = SaConfig::new(Direction::Inbound, spi, transform, key, Mode::Tunnel);
    (sa.name, sa.keys) = (Some(name.to_owned()), KeySource::Negotiated);
    (sa.src, sa.dst) = (Some("192.0.2.1".parse().unwrap()), Some("192.0.2.2".parse().unwrap()));
    sa
}

fn gcm() -> SaConfig {
    sa("west", 0x1001, Transform::Aes128Gcm16, 1)
}

/// The sender's end of an SA.
fn sender(sa: &SaConfig) -> SlowSa {
    SlowSa {
        spi: sa.spi,
        transform: SlowTransform::named(sa.transform.name()).unwrap(),
        key: sa.key.expose().to_vec(),
        esn: sa.esn,
        mode: match (sa.mode, sa.src, sa.dst) {
            (Mode::Tunnel, Some(src), Some(dst)) => SlowMode::Tunnel { src, dst },
            _ => SlowMode::Transport,
        },
        udp: sa.udp.map(|udp| (udp.src_port, udp.dst_port)),
    }
}

/// What is sealed, unless it matters.
fn clear() -> Vec<u8> {
    Ipv4::default().packet(&Upper::udp(46))
}

/// Bytes of no pattern.
fn iv(seq: u64) -> [u8; 16] {
    u128::from(seq).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes()
}

/// A sealed packet with this number.
fn sealed(peer: &SlowSa, seq: u64) -> Vec<u8> {
    slow::seal(peer, seq, iv(seq), &clear(), 0, 0)
}

/// The IPv4 packet with its last `cut` bytes gone, or with those behind it.
fn resized(packet: &[u8], len: usize, fill: u8) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet.resize(len, fill);
    let protocol = packet[9];
    assert!(esp_wire::ipv4::patch(&mut packet, u16::try_from(len).unwrap(), protocol));
    packet
}

fn in_udp(sa: SaConfig, dst_port: u16) -> SaConfig {
    let mut sa = sa;
    sa.udp = Some(UdpEncap { dst_port, ..UdpEncap::default() });
    sa
}
