//! Known answers of others through the whole engine.
//!
//! A case runs through the engine where our policy lets it: an SA with its SPI and key, its sequence number and IV
//! preset. Where policy refuses what the cryptography allows (SPI 0 to 255, number 0, sending the last ESN numbers),
//! the refusal is asserted. Either way the ESP packet is also sealed and opened as a job of the crypto layer. A block mode
//! has a random IV in the engine, so byte for byte it is sealed as a job, and what the engine seals the slow ESP opens.

mod case;

use std::collections::BTreeMap;
use std::net::IpAddr;

use esp_core::Transform;
use esp_core::config::UdpEncap;
use esp_crypto::LEGACY_NAMES;
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::SlowMode;
use esp_testkit::vectors::{self, LinuxVector, PacketVector, RfcVector, ScapyVector};
use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice};

use case::Case;

/// What became of the cases of one file.
#[derive(Default)]
struct Count {
    whole: usize,
    refused: usize,
    jobs: usize,
    not_ours: BTreeMap<String, usize>,
}

impl Count {
    fn skip(&mut self, why: impl Into<String>) {
        *self.not_ours.entry(why.into()).or_default() += 1;
    }

    fn run(&mut self, case: &Case) {
        case.as_job();
        self.jobs += 1;
        match case.why_refused() {
            Some(why) => {
                case.assert_refused(why);
                self.refused += 1;
            }
            None => {
                case.through_the_engine();
                self.whole += 1;
            }
        }
    }

    fn print(&self, file: &str) {
        println!(
            "{file}: {} through the engine, {} refused by policy, {} as jobs; not applicable: {:?}",
            self.whole, self.refused, self.jobs, self.not_ours
        );
    }
}

const LEGACY: bool = cfg!(feature = "legacy");

/// Our transform of that name, or why there is none.
fn transform(name: &str) -> Result<Transform, String> {
    Transform::from_name(name).ok_or_else(|| {
        assert!(LEGACY_NAMES.contains(&name), "{name}");
        "legacy, which this build lacks".to_owned()
    })
}

#[test]
fn rfc_known_answers() {
    let Some(all) = vectors::rfc_kat() else { return vectors::skipped("rfc_known_answers") };
    let mut count = Count::default();
    for vector in &all {
        match rfc_case(vector) {
            Ok(case) => count.run(&case),
            Err(why) => count.skip(why),
        }
    }
    count.print("rfc_kat.json");
    assert_eq!((count.jobs, count.refused), (if LEGACY { 22 } else { 18 }, 2));
}

/// The payload becomes the upper layer of an IPv4 packet in transport mode, so that the trailer has the vector's next
/// header.
fn rfc_case(vector: &RfcVector) -> Result<Case, String> {
    let name = vector.transform().ok_or_else(|| format!("level {}", vector.level))?;
    let transform = transform(&name)?;
    let protocol = vector.next_header.expect("a next header");
    let bytes = vector.payload.clone().or_else(|| vector.plaintext.clone()).expect("a payload");
    let inner = Ipv4::default().packet(&Upper::Raw { protocol, bytes });
    let esp = vector.esp_packet.clone().expect("a packet");
    let outer = Ipv4::default().packet(&Upper::Raw { protocol: 50, bytes: esp.clone() });
    Ok(Case {
        name: vector.name.clone(),
        transform,
        key: vector.keying_material(),
        spi: vector.spi.expect("an SPI"),
        seq: vector.seq64(),
        esn: vector.esn,
        iv: vector.iv.clone(),
        tunnel: None,
        udp: None,
        sealed: outer,
        esp_off: 20,
        esp,
        inner,
    })
}

#[test]
fn dpdk_known_answers() {
    let Some(all) = vectors::dpdk_kat() else { return vectors::skipped("dpdk_known_answers") };
    let mut count = Count::default();
    for vector in &all {
        match dpdk_case(vector) {
            Ok(case) => count.run(&case),
            Err(why) => count.skip(why),
        }
    }
    count.print("dpdk_ipsec_kat.json");
    assert_eq!(count.jobs, if LEGACY { all.len() } else { 11 });
    assert!(count.whole >= 4, "only {} cases ran", count.whole);
}

fn dpdk_case(vector: &PacketVector) -> Result<Case, String> {
    let transform = transform(&vector.transform())?;
    let tunnel = (vector.mode == "tunnel").then(|| ends_of(vector.sealed()));
    Ok(Case {
        name: vector.name.clone(),
        transform,
        key: vector.keying_material(),
        spi: vector.spi,
        seq: vector.seq64(),
        esn: vector.esn,
        iv: vector.iv.clone(),
        tunnel,
        udp: None,
        sealed: vector.sealed().to_vec(),
        esp_off: vector.outer_header_len,
        esp: vector.sealed()[vector.outer_header_len..].to_vec(),
        inner: vector.clear().to_vec(),
    })
}

/// Source and destination of an IP packet.
fn ends_of(packet: &[u8]) -> (IpAddr, IpAddr) {
    if packet[0] >> 4 == 4 {
        let header = Ipv4HeaderSlice::from_slice(packet).expect("IPv4");
        (header.source_addr().into(), header.destination_addr().into())
    } else {
        let header = Ipv6HeaderSlice::from_slice(packet).expect("IPv6");
        (header.source_addr().into(), header.destination_addr().into())
    }
}

#[test]
fn linux_known_answers() {
    let Some(all) = vectors::linux_kat() else { return vectors::skipped("linux_known_answers") };
    let mut count = Count::default();
    for vector in &all {
        match linux_case(vector) {
            Ok(case) => count.run(&case),
            Err(why) => count.skip(why),
        }
    }
    count.print("linux_kat.json");
    assert_eq!(count.jobs, if LEGACY { all.len() } else { 6 });
}

fn linux_case(vector: &LinuxVector) -> Result<Case, String> {
    let transform = transform(&vector.transform())?;
    let bare = || Ipv4::default().packet(&Upper::Raw { protocol: 50, bytes: vector.esp_packet.clone() });
    // The file calls one of transport mode a tunnel: what is inside is no IP packet.
    let tunnel = vector.mode == "tunnel" && matches!(vector.next_header, Some(4 | 41) | None);
    let captured = vector.full_ip_packet.clone().filter(|_| tunnel);
    let sealed = captured.unwrap_or_else(bare);
    let inner = if tunnel {
        vector.inner.clone()
    } else {
        let protocol = vector.next_header.expect("a next header");
        Ipv4::default().packet(&Upper::Raw { protocol, bytes: vector.inner.clone() })
    };
    Ok(Case {
        name: vector.name.clone(),
        transform,
        key: vector.keying_material(),
        spi: vector.spi,
        seq: vector.seq64(),
        esn: vector.esn_hi.is_some(),
        iv: vector.esp_packet[8..8 + vector.iv_len].to_vec(),
        tunnel: tunnel.then(|| ends_of(&sealed)),
        udp: None,
        esp_off: sealed.len() - vector.esp_packet.len(),
        sealed,
        esp: vector.esp_packet.clone(),
        inner,
    })
}

/// These are compiled in and always run.
#[test]
fn scapy_known_answers() {
    let mut count = Count::default();
    for vector in vectors::scapy() {
        count.run(&scapy_case(&vector));
    }
    count.print("scapy.json");
    assert!(count.whole >= 300, "only {} cases ran", count.whole);
}

fn scapy_case(vector: &ScapyVector) -> Case {
    let sa = &vector.sa;
    let name = vector.name.split('/').next().expect("a name");
    let transform = Transform::from_name(name).expect("one of ours");
    let header_len = if vector.sealed[0] >> 4 == 4 { 20 } else { 40 };
    let esp_off = header_len + if sa.udp.is_some() { 8 } else { 0 };
    Case {
        name: vector.name.clone(),
        transform,
        key: sa.key.clone(),
        spi: sa.spi,
        seq: vector.seq,
        esn: sa.esn,
        iv: vector.iv.clone(),
        tunnel: match sa.mode {
            SlowMode::Tunnel { src, dst } => Some((src, dst)),
            SlowMode::Transport => None,
        },
        udp: sa.udp.map(|(src_port, dst_port)| UdpEncap { src_port, dst_port, zero_checksum: false }),
        sealed: vector.sealed.clone(),
        esp_off,
        esp: vector.sealed[esp_off..].to_vec(),
        inner: vector.inner.clone(),
    }
}
