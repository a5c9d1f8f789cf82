//! Every length at which a packet can end, next to a page that can't be touched: a read or write of one byte outside
//! of the packet is a segmentation fault.

use esp_core::config::SaConfig;
use esp_core::{Consumed, DropReason, HandedBack, Transform, Verdict};
use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper, ethernet_padded, with_tail};
use esp_testkit::guard_page::{GuardedBuf, Side};
use esp_testkit::slow;

use super::{ESP, Sender, inbound, is_tunnel, shapes_by_length};
use crate::rig::{Rig, in_blocks, transport};

use DropReason::{AuthFailed, BadInner, Malformed, TooShort};

/// Opens `packet` in a buffer that ends, and in one that starts, at a page that can't be touched.
#[track_caller]
fn guarded(rig: &mut Rig, packet: &[u8]) -> Verdict {
    let verdicts = [Side::End, Side::Start].map(|side| rig.open_buf(&mut GuardedBuf::holding(packet, side)));
    assert_eq!(verdicts[0], verdicts[1]);
    verdicts[0]
}

fn shortest(config: &SaConfig) -> usize {
    8 + config.transform.iv_len() + config.transform.icv_len() + 2
}

#[test]
fn b22_every_length_of_a_truncated_esp_packet() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let whole = slow::seal_raw(&sender.sa, 1, super::iv(1), &[0x11; 40]);
        for len in 0..whole.len() {
            let verdict = guarded(&mut rig, &sender.wrap(&whole[..len]));
            let why = if len < shortest(&config) { TooShort } else { AuthFailed };
            assert_eq!(verdict.reason(), Some(why), "{len} of {}, {config:?}", whole.len());
        }
    }
}

/// A packet that is too short for the SA that its SPI names is a drop of that SA.
#[test]
fn b67_too_short_counts_for_the_sa() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        let sa = rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let whole = slow::seal_raw(&sender.sa, 1, super::iv(1), &[0x11; 40]);
        rig.open_one(&sender.wrap(&whole[..shortest(&config) - 1])).assert_dropped(TooShort);
        assert_eq!(rig.engine.sa_stats(sa).expect("live").drops, 1, "{config:?}");
    }
}

#[test]
fn b22_every_length_of_an_esp_packet_without_an_sa() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        let sender = Sender::of(&config, v6);
        for len in 0..=shortest(&config) {
            let verdict = guarded(&mut rig, &sender.wrap(&[0x33; 64][..len]));
            let why = if len < 8 { TooShort } else { DropReason::NoSa };
            assert_eq!(verdict.reason(), Some(why), "{len}, {config:?}");
        }
    }
}

#[test]
fn b22_authentic_packets_of_every_small_length() {
    for (config, v6) in shapes_by_length() {
        let mut config = config;
        config.replay_window = esp_core::config::ReplayWindow::Off;
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        // Neither the alignment of 4 nor a cipher's block is a receiver's to demand of a stream mode.
        for body in 0..=40_usize {
            let unwhole = in_blocks(config.transform) && !(body + 2).is_multiple_of(config.transform.align());
            for next_header in [6, 17, 253] {
                let plaintext = [&[0x44; 40][..body], &[0, next_header]].concat();
                let verdict = guarded(&mut rig, &sender.raw(1, &plaintext));
                if unwhole {
                    assert_eq!(verdict.reason(), Some(DropReason::PadLength), "{body}, {config:?}");
                } else if is_tunnel(&config) {
                    assert_eq!(verdict.reason(), Some(BadInner), "{body}, {config:?}");
                } else {
                    let header_len = if v6 { 40 } else { 20 };
                    let len = verdict.delivered().map(|got| got.len as usize);
                    assert_eq!(len, Some(header_len + body), "{verdict:?}, {config:?}");
                }
            }
            let dummy = [&[0x44; 40][..body], &[0, 59]].concat();
            let verdict = guarded(&mut rig, &sender.raw(1, &dummy));
            if unwhole {
                assert_eq!(verdict.reason(), Some(DropReason::PadLength), "{body}, {config:?}");
            } else {
                assert_eq!(verdict, Verdict::Consumed(Consumed::Dummy));
            }
        }
        // The shortest there can be has no byte besides the two fields.
        assert_eq!(sender.raw(1, &[0, 59]).len(), sender.esp_off() + shortest(&config));
    }
}

#[test]
fn b22_pad_lengths_around_what_is_there() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let mut seq = 0;
        let align = if in_blocks(config.transform) { config.transform.align() } else { 1 };
        let bodies = [0_u8, 1, 2, 14, 30, 254, 255].into_iter();
        for body in bodies.filter(|body| (usize::from(*body) + 2).is_multiple_of(align)) {
            for pad_len in 0..=255 {
                seq += 1;
                let padding: Vec<u8> =
                    (0..body).map(|at| (at + 1).wrapping_sub(body - pad_len.min(body))).collect();
                let verdict =
                    guarded_once(&mut rig, &sender.raw(seq, &[&padding[..], &[pad_len, 59]].concat()));
                if pad_len > body {
                    assert_eq!(verdict.reason(), Some(DropReason::PadLength), "{pad_len} of {body}");
                } else {
                    assert_eq!(verdict, Verdict::Consumed(Consumed::Dummy), "{pad_len} of {body}");
                }
            }
        }
    }
}

/// As [`guarded`], on one side only: the packet's number can be used once.
fn guarded_once(rig: &mut Rig, packet: &[u8]) -> Verdict {
    rig.open_buf(&mut GuardedBuf::holding(packet, Side::End))
}

#[test]
fn b22_ipv6_extension_headers_that_are_cut_short() {
    let config = inbound(&transport(Transform::Aes128Gcm16));
    let mut rig = Rig::new();
    rig.inbound(&config);
    let exts = vec![
        Ext::HopByHop { len: 16 },
        Ext::DestOpts { len: 8 },
        Ext::Routing { segments_left: 0 },
        Ext::Fragment { offset: 0, more: false, id: 1 },
    ];
    let whole = Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::Raw { protocol: ESP, bytes: vec![0x22; 50] });
    let esp_at = 40 + 16 + 8 + 24 + 8;
    for len in 40..whole.len() {
        let mut packet = whole[..len].to_vec();
        packet[4..6].copy_from_slice(&(len as u16 - 40).to_be_bytes());
        let why = match len {
            // A hop-by-hop header and no length announce a jumbogram (RFC 2675).
            40 => Malformed,
            len if len < esp_at => DropReason::ExtensionHeaders,
            len if len < esp_at + 8 => TooShort,
            _ => DropReason::NoSa,
        };
        assert_eq!(guarded(&mut rig, &packet).reason(), Some(why), "{len}");
    }
}

#[test]
fn b23_an_ip_length_larger_than_the_frame() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let packet = Sender::of(&config, v6).packet(1);
        for len in 0..packet.len() {
            let verdict = guarded(&mut rig, &packet[..len]);
            assert_eq!(verdict.reason(), Some(Malformed), "{len} of {}, {config:?}", packet.len());
        }
        assert!(guarded_once(&mut rig, &packet).delivered().is_some());
    }
}

#[test]
fn b23_layer_2_padding_is_not_part_of_the_packet() {
    for (config, v6) in shapes_by_length() {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let inside = sender.inner_with(&Upper::udp(46));
        for (seq, tail) in (1..).zip([1, 2, 14, 16, 64, 600]) {
            let framed = with_tail(&sender.carrying(seq, &inside), tail);
            rig.open_one(&framed).assert_delivered(&inside);
        }
        // What a NIC reports of the shortest packet there is: 46 bytes at least, whatever the IP length says.
        let shortest = sender.raw(100, &sender.trailer(0, 0, 59));
        assert_eq!(rig.open_one(&ethernet_padded(&shortest)).verdict, Verdict::Consumed(Consumed::Dummy));
        let runt = ethernet_padded(&sender.wrap(&[0, 0, 0x10, 1]));
        rig.open_one(&runt).assert_dropped(TooShort);
    }
}

#[test]
fn b23_udp_lengths_other_than_the_ip_packets() {
    let shapes = shapes_by_length().into_iter().filter(|(config, _)| config.udp.is_some());
    for (config, v6) in shapes {
        let mut rig = Rig::new();
        rig.inbound(&config);
        let sender = Sender::of(&config, v6);
        let inside = sender.inner_with(&Upper::udp(46));
        let packet = sender.carrying(1, &inside);
        let udp_at = sender.esp_off() - 8;
        let right = (packet.len() - udp_at) as u16;
        let with_length = |length: u16| {
            let mut packet = packet.clone();
            packet[udp_at + 4..udp_at + 6].copy_from_slice(&length.to_be_bytes());
            packet
        };
        for length in (0..8).chain([right + 1, right + 16, u16::MAX]) {
            let verdict = guarded(&mut rig, &with_length(length));
            assert_eq!(verdict.reason(), Some(Malformed), "{length} of {right}");
        }
        for length in 8..right {
            let why = if usize::from(length) - 8 < shortest(&config) { TooShort } else { AuthFailed };
            assert_eq!(guarded(&mut rig, &with_length(length)).reason(), Some(why), "{length} of {right}");
        }
        // A UDP header that is not whole is no UDP of ours.
        for len in udp_at..udp_at + 8 {
            let upper = Upper::Raw { protocol: 17, bytes: packet[udp_at..len].to_vec() };
            let packet = if packet[0] >> 4 == 6 {
                Ipv6::default().packet(&upper)
            } else {
                Ipv4::default().packet(&upper)
            };
            assert_eq!(guarded(&mut rig, &packet), Verdict::HandedBack(HandedBack::NotEsp));
        }
        rig.open_one(&packet).assert_delivered(&inside);
    }
}
