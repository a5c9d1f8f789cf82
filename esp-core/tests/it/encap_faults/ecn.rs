//! RFC 6040: ECN at both ends of a tunnel.

use esp_core::config::{Dscp, EcnMode};
use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ipv4, Ipv6, Upper};
use esp_testkit::slow;

use super::{assert_ipv4_checksum, tos_of, with, with_tos};
use crate::rig::{Rig, iv, peer, slow as slow_sa, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;
const NOT: u8 = 0b00;
const ECT1: u8 = 0b01;
const ECT0: u8 = 0b10;
const CE: u8 = 0b11;

/// Section 4.2, figure 4: (inner, outer, what leaves the tunnel), `None` for a drop.
const DECAP: [(u8, u8, Option<u8>); 16] = [
    (NOT, NOT, Some(NOT)),
    (NOT, ECT0, Some(NOT)),
    (NOT, ECT1, Some(NOT)),
    (NOT, CE, None),
    (ECT0, NOT, Some(ECT0)),
    (ECT0, ECT0, Some(ECT0)),
    (ECT0, ECT1, Some(ECT1)),
    (ECT0, CE, Some(CE)),
    (ECT1, NOT, Some(ECT1)),
    (ECT1, ECT0, Some(ECT1)),
    (ECT1, ECT1, Some(ECT1)),
    (ECT1, CE, Some(CE)),
    (CE, NOT, Some(CE)),
    (CE, ECT0, Some(CE)),
    (CE, ECT1, Some(CE)),
    (CE, CE, Some(CE)),
];

fn inner(v6: bool, tos: u8) -> Vec<u8> {
    if v6 {
        Ipv6 { traffic_class: tos, flow_label: 0x1_2345, ..Ipv6::default() }.packet(&Upper::udp(20))
    } else {
        Ipv4 { tos, options: vec![1; 4], ..Ipv4::default() }.packet(&Upper::udp(20))
    }
}

/// All pairs of outer and inner family.
fn families() -> impl Iterator<Item = (bool, bool)> {
    [(false, false), (false, true), (true, false), (true, true)].into_iter()
}

#[test]
fn b64_decapsulation_follows_figure_4() {
    for (outer_v6, inner_v6) in families() {
        for mode in [EcnMode::Normal, EcnMode::Compatibility] {
            let mut config = tunnel(GCM, outer_v6);
            config.ecn = mode;
            let mut rig = Rig::new();
            let sa = rig.inbound(&peer(&config));
            for (n, (inside, outside, wanted)) in DECAP.into_iter().enumerate() {
                let seq = 1 + n as u64;
                let packet = inner(inner_v6, 0xb8 | inside);
                let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &packet, 0, 0);
                // The outer DSCP is another one, and stays outside.
                let opened = rig.open_one(&with_tos(&sealed, 0x44 | outside));
                match wanted {
                    None => opened.assert_dropped(DropReason::EcnIllegal),
                    Some(ecn) => opened.assert_delivered(&with_tos(&packet, 0xb8 | ecn)),
                }
                if !inner_v6 && wanted.is_some() {
                    assert_ipv4_checksum(&opened.bytes);
                }
                assert_eq!(
                    rig.engine.sa_stats(sa).expect("live").sequence,
                    seq,
                    "authentic: the window moved"
                );
            }
        }
    }
}

/// Every DSCP, so that no bit of it is lost where ECN changes.
#[test]
fn b64_the_inner_dscp_survives_a_mark() {
    for (outer_v6, inner_v6) in families() {
        let config = tunnel(GCM, outer_v6);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        for dscp in 0..64_u8 {
            let seq = 1 + u64::from(dscp);
            let packet = inner(inner_v6, dscp << 2 | ECT0);
            let sealed = slow::seal(&slow_sa(&config), seq, iv(seq), &packet, 0, 0);
            rig.open_one(&with_tos(&sealed, CE)).assert_delivered(&with_tos(&packet, dscp << 2 | CE));
        }
    }
}

#[test]
fn b64_encapsulation_normal_and_compatibility() {
    for (outer_v6, inner_v6) in families() {
        for mode in [EcnMode::Normal, EcnMode::Compatibility] {
            for dscp in [Dscp::Copy, Dscp::Set(0x2e)] {
                encapsulate(outer_v6, inner_v6, mode, dscp);
            }
        }
    }
}

fn encapsulate(outer_v6: bool, inner_v6: bool, mode: EcnMode, dscp: Dscp) {
    let config = with(tunnel(GCM, outer_v6), |sa| {
        sa.ecn = mode;
        sa.dscp = dscp;
    });
    let mut rig = Rig::new();
    let out = rig.out(&config);
    for ecn in [NOT, ECT1, ECT0, CE] {
        let packet = inner(inner_v6, 0x48 | ecn);
        let sealed = rig.seal_one(out, &packet).bytes;
        let outer_ecn = if mode == EcnMode::Normal { ecn } else { NOT };
        let outer_dscp = if dscp == Dscp::Copy { 0x48 } else { 0x2e << 2 };
        assert_eq!(tos_of(&sealed), outer_dscp | outer_ecn, "{mode:?} {dscp:?}");
        assert_eq!(slow::open(&slow_sa(&config), 0, &sealed).expect("authentic").inner, packet);
    }
}

/// In transport mode the header is the packet's own, and so are its marks.
#[test]
fn b64_transport_mode_keeps_its_own_marks() {
    let config = crate::rig::transport(GCM);
    for v6 in [false, true] {
        let mut rig = Rig::new();
        let out = rig.out(&config);
        rig.inbound(&peer(&config));
        for tos in [0x48, 0x49, 0x4a, 0x4b] {
            let packet = inner(v6, tos);
            let sealed = rig.seal_one(out, &packet).bytes;
            assert_eq!(tos_of(&sealed), tos);
            // Marked on the way.
            rig.open_one(&with_tos(&sealed, 0x4b)).assert_delivered(&with_tos(&packet, 0x4b));
        }
    }
}
