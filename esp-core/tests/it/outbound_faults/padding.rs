//! Padding: its content, its length, its alignment, on both ways.

use esp_core::config::SaConfig;
use esp_core::{DropReason, Transform};
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::{self, seal_raw, tunnel_header, wrap_esp};

use super::packet_of;
use crate::rig::{EVERY, Rig, ends, in_blocks, iv, peer, slow as slow_sa, transport, tunnel};

/// An authentic packet of this plaintext, trailer and all.
fn authentic(config: &SaConfig, seq: u64, plaintext: &[u8]) -> Vec<u8> {
    let (src, dst) = ends(config);
    wrap_esp(&tunnel_header(src, dst), None, &seal_raw(&slow_sa(config), seq, iv(seq), plaintext))
}

#[test]
fn b09_pad_length_beyond_the_payload_is_refused() {
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        // 32 bytes of plaintext: 30 in front of the trailer.
        let wicked = [0xff, 32, 31];
        for (n, pad_len) in wicked.into_iter().enumerate() {
            let padding: Vec<u8> = (1..=30).collect();
            let plaintext = [padding, vec![pad_len, 4]].concat();
            let packet = authentic(&config, 1 + n as u64, &plaintext);
            rig.open_one(&packet).assert_dropped(DropReason::PadLength);
        }
        // All of it padding: legal for ESP, but no IP packet is left.
        let all_padding = [(1..=30).collect(), vec![30, 4]].concat();
        rig.open_one(&authentic(&config, 10, &all_padding)).assert_dropped(DropReason::BadInner);
        if !in_blocks(*transform) {
            let only_trailer = authentic(&config, 11, &[0, 4]);
            rig.open_one(&only_trailer).assert_dropped(DropReason::BadInner);
            rig.open_one(&authentic(&config, 12, &[1, 4])).assert_dropped(DropReason::PadLength);
        }
    }
}

/// The authentic packet moved the window all the same: a copy is a replay.
#[test]
fn b09_a_wicked_trailer_is_counted_after_the_window() {
    let config = tunnel(Transform::NullHmacSha256_128, false);
    let mut rig = Rig::new();
    let sa = rig.inbound(&peer(&config));
    let packet = authentic(&config, 9, &[0; 29]);
    let wicked = authentic(&config, 8, &[vec![0; 28], vec![0xff, 4]].concat());
    rig.open_one(&wicked).assert_dropped(DropReason::PadLength);
    rig.open_one(&wicked).assert_dropped(DropReason::ReplayDuplicate);
    rig.open_one(&packet).assert_dropped(DropReason::BadInner);
    let stats = rig.engine.sa_stats(sa).expect("live");
    assert_eq!((stats.packets, stats.drops, stats.sequence), (0, 3, 9));
}

/// 1, 2, 3, .. as the wire shows where nothing is encrypted.
#[test]
fn b10_we_write_one_two_three() {
    let config = transport(Transform::NullHmacSha256_128);
    let mut rig = Rig::new();
    let out = rig.out(&config);
    for len in 0..32_usize {
        let packet = Ipv4::default().packet(&Upper::Raw { protocol: 253, bytes: vec![0xee; len] });
        let sealed = rig.seal_one(out, &packet).bytes;
        let padding: &[u8] = match len % 4 {
            0 => &[1, 2, 2, 253],
            1 => &[1, 1, 253],
            2 => &[0, 253],
            _ => &[1, 2, 3, 3, 253],
        };
        let payload = &sealed[28..sealed.len() - 16];
        assert_eq!(payload, [&vec![0xee; len], padding].concat(), "{len} bytes");
    }
}

/// ... and the slow ESP, which inspects it, takes it from every transform.
#[test]
fn b10_the_shortest_padding_under_every_transform() {
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        let align = transform.align();
        for len in 28..64 {
            let sealed = rig.seal_one(out, &packet_of(len)).bytes;
            let opened = slow::open(&slow_sa(&config), 0, &sealed).expect("padding as it should be");
            assert_eq!(usize::from(opened.pad_len), (align - (len + 2) % align) % align, "{transform} {len}");
        }
    }
}

#[test]
fn b10_other_padding_is_refused() {
    // With 3 bytes of padding whole blocks, and with 255.
    let (inner, longer) = (packet_of(43), packet_of(47));
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        let cases: [&[u8]; 6] = [&[1, 2, 4], &[0, 1, 2], &[0, 0, 0], &[2, 3, 4], &[3, 2, 1], &[1, 2, 0x83]];
        for (n, padding) in cases.into_iter().enumerate() {
            let plaintext = [&inner, padding, &[3, 4]].concat();
            let packet = authentic(&config, 1 + n as u64, &plaintext);
            rig.open_one(&packet).assert_dropped(DropReason::PadContent);
        }
        // Every place of the longest padding is looked at.
        for wrong in 0..255_usize {
            let mut padding: Vec<u8> = (1..=255).collect();
            padding[wrong] ^= 0x40;
            let packet =
                authentic(&config, 100 + wrong as u64, &[longer.clone(), padding, vec![255, 4]].concat());
            rig.open_one(&packet).assert_dropped(DropReason::PadContent);
        }
        let longest = [longer.clone(), (1..=255).collect(), vec![255, 4]].concat();
        rig.open_one(&authentic(&config, 1000, &longest)).assert_delivered(&longer);
    }
}

/// Four bytes, and a cipher block only where the mode needs it: 1446 bytes are 1500 sealed with AES-GCM.
#[test]
fn b11_alignment_is_four_bytes_or_a_block() {
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        let align = match transform.name() {
            name if name.starts_with("aes-") && name.contains("-cbc-") => 16,
            name if name.contains("des-cbc-") => 8,
            _ => 4,
        };
        if transform.name().contains("-gcm-16") && transform.iv_len() == 8 {
            assert_eq!(rig.seal_one(out, &packet_of(1446)).bytes.len(), 1500, "{transform}");
        }
        for len in 28..100_usize {
            let sealed = rig.seal_one(out, &packet_of(len)).bytes;
            assert_eq!(
                sealed.len(),
                20 + 8 + transform.iv_len() + (len + 2).next_multiple_of(align) + transform.icv_len(),
                "{transform} {len}"
            );
        }
    }
}

/// On the way in any length of ciphertext is taken, even one that is off the four-byte boundary; but a block mode has no
/// plaintext for what is less than a block.
#[test]
fn b11_ciphertext_need_not_be_whole_blocks() {
    for transform in EVERY.iter() {
        let config = tunnel(*transform, false);
        let mut rig = Rig::new();
        rig.inbound(&peer(&config));
        for len in 28..76 {
            let inner = packet_of(len);
            let packet = authentic(&config, len as u64, &[inner.as_slice(), &[0, 4]].concat());
            let opened = rig.open_one(&packet);
            if in_blocks(*transform) && !(len + 2).is_multiple_of(transform.align()) {
                opened.assert_dropped(DropReason::PadLength);
            } else {
                opened.assert_delivered(&inner);
            }
        }
    }
}
