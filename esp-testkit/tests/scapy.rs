//! The slow ESP against scapy.

use esp_testkit::slow::{SlowError, SlowMode, open, seal};
use esp_testkit::vectors::{ScapyVector, scapy};
use std::collections::BTreeSet;

fn high(vector: &ScapyVector) -> u32 {
    u32::try_from(vector.seq >> 32).expect("32 bits are left")
}

#[test]
fn every_combination_is_there() {
    let vectors = scapy();
    let names: BTreeSet<_> = vectors.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names.len(), 5 * 6 * 2 * 2);
    assert_eq!(vectors.len(), 3 * names.len() + 1);
    assert!(vectors.iter().all(|v| v.sa.esn == (high(v) != 0)));
    assert!(vectors.iter().any(|v| v.inner.len() > 1400));
}

#[test]
fn every_packet_opens() {
    for v in scapy() {
        let opened = open(&v.sa, high(&v), &v.sealed).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert_eq!(opened.inner, v.inner, "{}", v.name);
        assert_eq!(u64::from(opened.seq_low), v.seq & 0xffff_ffff, "{}", v.name);
        let wrong = open(&v.sa, high(&v) ^ 1, &v.sealed).map(|opened| opened.inner);
        assert_eq!(wrong, if v.sa.esn { Err(SlowError::BadIcv) } else { Ok(v.inner) }, "{}", v.name);
    }
}

/// Byte for byte, but for the UDP checksum over IPv6, which scapy leaves zero.
#[test]
fn every_packet_seals_the_same() {
    for v in scapy() {
        let mut iv = [0; 16];
        iv[..v.iv.len()].copy_from_slice(&v.iv);
        let mut sealed = seal(&v.sa, v.seq, iv, &v.inner, 0, 0);
        if v.sa.udp.is_some() && sealed[0] >> 4 == 6 {
            assert_ne!(sealed[46..48], [0, 0], "{}", v.name);
            sealed[46..48].fill(0);
        }
        assert_eq!(hex(&sealed), hex(&v.sealed), "{}", v.name);
        let outside = matches!(v.sa.mode, SlowMode::Tunnel { .. });
        assert_eq!(outside, v.name.contains("tunnel"), "{}", v.name);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
