//! Every transform, mode, address family, ESN and encapsulation: sealed here and opened by the slow ESP, and the
//! other way round.

use esp_core::Transform;
use esp_core::config::{SaConfig, UdpEncap};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow;

use crate::rig::{EVERY, Rig, iv, peer, slow as slow_sa, transport, tunnel};

/// All combinations of an SA.
fn configs() -> Vec<SaConfig> {
    let mut all = Vec::new();
    for transform in EVERY.iter() {
        for base in [tunnel(*transform, false), tunnel(*transform, true), transport(*transform)] {
            for esn in [false, true] {
                for udp in [None, Some(UdpEncap::default())] {
                    let mut config = base.clone();
                    config.esn = esn;
                    config.udp = udp;
                    all.push(config);
                }
            }
        }
    }
    all
}

fn inner_packets() -> Vec<Vec<u8>> {
    let lens = [0, 1, 2, 3, 4, 15, 16, 17, 46, 1372];
    let v4 = lens.iter().map(|len| Ipv4 { tos: 0xb9, ..Ipv4::default() }.packet(&Upper::udp(*len)));
    let v6 = lens.iter().map(|len| {
        Ipv6 { traffic_class: 0x2a, flow_label: 0x12345, ..Ipv6::default() }.packet(&Upper::tcp(*len))
    });
    v4.chain(v6).collect()
}

fn sequence_start(config: &SaConfig) -> u64 {
    if config.esn { 0x7_ffff_fff0 } else { 0 }
}

#[test]
fn what_we_seal_the_slow_esp_opens() {
    for config in configs() {
        let mut rig = Rig::new();
        let last = sequence_start(&config);
        let out = rig.out_at(&config, last);
        let inner = inner_packets();
        let sealed = rig.seal(out, &inner);
        for (n, (packet, sealed)) in inner.iter().zip(&sealed).enumerate() {
            assert!(sealed.delivered(), "{config:?} {:?}", sealed.verdict);
            let seq = last + 1 + n as u64;
            let opened = slow::open(&slow_sa(&config), (seq >> 32) as u32, &sealed.bytes);
            let opened = opened.unwrap_or_else(|why| panic!("{config:?} packet {n}: {why:?}"));
            assert_eq!(opened.seq_low, seq as u32);
            assert_eq!(hex::encode(&opened.inner), hex::encode(packet), "{config:?} packet {n}");
        }
    }
}

#[test]
fn what_the_slow_esp_seals_we_open() {
    for config in configs() {
        let mut rig = Rig::new();
        let last = sequence_start(&config);
        let inbound = peer(&config);
        if config.esn {
            rig.inbound_at(&inbound, last)
        } else {
            rig.inbound(&inbound)
        };
        let inner = inner_packets();
        let seal = |(n, packet): (usize, &Vec<u8>)| {
            let seq = last + 1 + n as u64;
            slow::seal(&slow_sa(&config), seq, iv(seq ^ 0xa5a5), packet, 0, 4 * (n % 3))
        };
        let sealed: Vec<Vec<u8>> = inner.iter().enumerate().map(seal).collect();
        for (n, (packet, opened)) in inner.iter().zip(rig.open(&sealed)).enumerate() {
            assert!(opened.delivered(), "{config:?} packet {n} {:?}", opened.verdict);
            assert_eq!(hex::encode(&opened.bytes), hex::encode(packet), "{config:?} packet {n}");
        }
    }
}

#[test]
fn bursts_of_any_length_work() {
    for count in [0, 1, 31, 32, 33, 64, 257] {
        let mut rig = Rig::new();
        let mut config = tunnel(Transform::Aes128Gcm16, false);
        let out = rig.out(&config);
        config = peer(&config);
        config.replay_window = esp_core::config::ReplayWindow::Bits(1024);
        rig.inbound(&config);
        let inner: Vec<Vec<u8>> = (0..count)
            .map(|n| Ipv4 { id: n as u16, ..Ipv4::default() }.packet(&Upper::udp(n % 90)))
            .collect();
        let sealed: Vec<Vec<u8>> = rig.seal(out, &inner).into_iter().map(|sealed| sealed.bytes).collect();
        let opened = rig.open(&sealed);
        assert_eq!(opened.len(), count);
        for (packet, opened) in inner.iter().zip(&opened) {
            opened.assert_delivered(packet);
        }
    }
}
