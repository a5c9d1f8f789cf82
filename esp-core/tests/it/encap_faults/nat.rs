//! Transport mode behind a NAT: the checksum inside covers addresses that are no more (RFC 3948 section 3.1.2).

use esp_core::Transform;
use esp_core::config::{SaConfig, UdpEncap};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow;
use etherparse::{Icmpv6Header, TcpHeader, UdpHeader};

use super::{mended, with};
use crate::rig::{Rig, iv, peer, slow as slow_sa, transport};

const NEW_SRC: [u8; 4] = [203, 0, 113, 77];

fn nat_sa() -> SaConfig {
    with(transport(Transform::Aes128Gcm16), |sa| sa.udp = Some(UdpEncap::default()))
}

/// The packet with other addresses, as a NAT makes them; the upper layer stays.
fn translated(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    if packet[0] >> 4 == 4 {
        packet[12..16].copy_from_slice(&NEW_SRC);
    } else {
        packet[8..10].copy_from_slice(&[0xfd, 0x00]);
        packet[38..40].copy_from_slice(&[0xbe, 0xef]);
    }
    mended(packet)
}

/// Whether the TCP or UDP checksum of a packet is right, by a judge that is not ours.
#[track_caller]
fn assert_upper_checksum(packet: &[u8]) {
    let v4 = packet[0] >> 4 == 4;
    let (protocol, at) = if v4 { (packet[9], usize::from(packet[0] & 0xf) * 4) } else { (packet[6], 40) };
    let upper = &packet[at..];
    let (v4_src, v4_dst) =
        (*packet[12..].first_chunk().expect("src"), *packet[16..].first_chunk().expect("dst"));
    let v6 =
        (!v4).then(|| (*packet[8..].first_chunk().expect("src"), *packet[24..].first_chunk().expect("dst")));
    let (found, right) = match protocol {
        17 => {
            let (header, payload) = UdpHeader::from_slice(upper).expect("UDP");
            let right = match v6 {
                Some((src, dst)) => header.calc_checksum_ipv6_raw(src, dst, payload),
                None => header.calc_checksum_ipv4_raw(v4_src, v4_dst, payload),
            };
            (header.checksum, right.expect("short"))
        }
        _ => {
            let (header, payload) = TcpHeader::from_slice(upper).expect("TCP");
            let right = match v6 {
                Some((src, dst)) => header.calc_checksum_ipv6_raw(src, dst, payload),
                None => header.calc_checksum_ipv4_raw(v4_src, v4_dst, payload),
            };
            (header.checksum, right.expect("short"))
        }
    };
    assert_eq!(found, right, "{}", hex::encode(packet));
}

#[test]
fn b37_inner_checksums_after_a_nat() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    let mut seq = 0;
    for len in [0, 1, 2, 3, 19, 100, 1001] {
        for upper in [Upper::udp(len), Upper::tcp(len)] {
            let v4 = Ipv4::default().packet(&upper);
            let with_options = Ipv4 { options: vec![1; 8], ..Ipv4::default() }.packet(&upper);
            let v6 = Ipv6::default().packet(&upper);
            for inner in [v4, with_options, v6] {
                seq += 1;
                let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &inner, 0, 0);
                let opened = rig.open_one(&translated(&sealed)).bytes;
                assert_upper_checksum(&opened);
                // Only addresses, IP checksum and upper checksum differ from what was sent.
                let at = if inner[0] >> 4 == 4 { usize::from(inner[0] & 0xf) * 4 } else { 40 };
                let field = at + if upper == Upper::udp(len) { 6 } else { 16 };
                let mut wanted = translated(&inner);
                assert_ne!(wanted[field..field + 2], opened[field..field + 2], "the checksum had to change");
                wanted[field..field + 2].copy_from_slice(&opened[field..field + 2]);
                assert_eq!(hex::encode(opened), hex::encode(wanted));
            }
        }
    }
}

/// The checksum of ICMPv6 covers the addresses too (RFC 4443 section 2.3); that of ICMP does not and stays.
#[test]
fn b37_icmp_after_a_nat() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    let inner =
        [Ipv4::default().packet(&Upper::Icmp { len: 33 }), Ipv6::default().packet(&Upper::Icmp { len: 33 })];
    for (seq, inner) in (1..).zip(inner) {
        let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &inner, 0, 0);
        let opened = rig.open_one(&translated(&sealed)).bytes;
        if inner[0] >> 4 == 4 {
            assert_eq!(hex::encode(&opened[20..]), hex::encode(&inner[20..]));
        } else {
            let (header, payload) = Icmpv6Header::from_slice(&opened[40..]).expect("ICMPv6");
            let (src, dst) =
                (*opened[8..].first_chunk().expect("src"), *opened[24..].first_chunk().expect("dst"));
            let right = header.icmp_type.calc_checksum(src, dst, payload).expect("short");
            assert_eq!(header.checksum, right);
            assert_ne!(opened[42..44], inner[42..44], "the checksum had to change");
        }
    }
}

/// Protocol 58 over IPv4 is not ICMPv6: not a byte of it is a checksum.
#[test]
fn b37_icmpv6_over_ipv4_is_left_alone() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    let inner = Ipv4::default().packet(&Upper::Raw { protocol: 58, bytes: vec![7; 24] });
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    assert_eq!(rig.open_one(&translated(&sealed)).bytes[20..], inner[20..]);
}

/// A UDP sender over IPv4 that does without a checksum goes on without.
#[test]
fn b37_no_checksum_stays_none() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    let mut inner = Ipv4::default().packet(&Upper::udp(40));
    inner[26..28].fill(0);
    let sealed = slow::seal(&slow_sa(&config), 1, iv(1), &inner, 0, 0);
    rig.open_one(&translated(&sealed)).assert_delivered(&translated(&inner));
}

/// A sum that comes out as zero is all ones in UDP, and zero in TCP.
#[test]
fn b37_a_sum_of_zero() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    for (n, upper, at, zero) in [(1, Upper::udp(40), 26, [0xff, 0xff]), (2, Upper::tcp(40), 36, [0, 0])] {
        let mut inner = Ipv4::default().packet(&upper);
        let last = inner.len() - 2;
        inner[last..].fill(0);
        // The right checksum of the translated packet, put into its payload, makes the next sum zero.
        let seal =
            |inner: &[u8], seq: u64| translated(&slow::seal(&slow_sa(&config), seq, iv(seq), inner, 0, 0));
        let filler = rig.open_one(&seal(&inner, 10 * n)).bytes[at..at + 2].to_vec();
        inner[last..].copy_from_slice(&filler);
        let opened = rig.open_one(&seal(&inner, 10 * n + 1)).bytes;
        assert_eq!(opened[at..at + 2], zero);
    }
}

/// What has no such checksum, or is too short to hold it, is not touched.
#[test]
fn b37_other_payloads_are_untouched() {
    let mut rig = Rig::new();
    let config = nat_sa();
    rig.inbound(&peer(&config));
    let raw = |protocol: u8, len: usize| Upper::Raw { protocol, bytes: vec![0xaa; len] };
    let uppers =
        [Upper::Icmp { len: 30 }, raw(132, 40), raw(17, 7), raw(17, 0), raw(6, 17), raw(6, 0), raw(253, 1)];
    for (n, upper) in uppers.iter().enumerate() {
        let seq = 1 + n as u64;
        let inner = Ipv4::default().packet(upper);
        let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &inner, 0, 0);
        rig.open_one(&translated(&sealed)).assert_delivered(&translated(&inner));
    }
}

/// Where no address changed, nothing else does: a right checksum stays right.
#[test]
fn b37_without_a_nat_nothing_changes() {
    let mut rig = Rig::new();
    let config = nat_sa();
    let out = rig.out(&config);
    rig.inbound(&peer(&config));
    for len in 0..50 {
        for upper in [Upper::udp(len), Upper::tcp(len)] {
            for inner in [Ipv4::default().packet(&upper), Ipv6::default().packet(&upper)] {
                let sealed = rig.seal_one(out, &inner).bytes;
                rig.open_one(&sealed).assert_delivered(&inner);
            }
        }
    }
}
