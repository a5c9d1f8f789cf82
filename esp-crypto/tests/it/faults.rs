//! Faults that ESP implementations have had, each with the trigger that showed it.

use aes_gcm::KeyInit;
use aes_gcm::aes::Aes128;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use esp_crypto::{JobError, Tier, Transform};

use crate::esp::{HEADER_LEN, Sa, every_sa, noise, open_one};

const REFUSED: Result<(), JobError> = Err(JobError::AuthFailed);

/// The high half enters the ICV, all of it, and "no ESN" is not "high half zero".
#[test]
fn b05_high_half_is_authenticated() {
    for sa in every_sa() {
        let plain = sa.packet(5, 40);
        let sealed = sa.sealed(&plain, Some(1));
        assert_eq!(open_one(&sa.open, &mut sealed.clone(), Some(1)), Ok(()));
        for bit in 0..32 {
            let hi = Some(1 ^ (1 << bit));
            assert_eq!(open_one(&sa.open, &mut sealed.clone(), hi), REFUSED, "{} bit {bit}", sa.transform);
        }
        assert_eq!(open_one(&sa.open, &mut sealed.clone(), None), REFUSED, "{}", sa.transform);
        let zero = sa.sealed(&plain, Some(0));
        assert_eq!(open_one(&sa.open, &mut zero.clone(), None), REFUSED, "{}", sa.transform);
    }
}

/// Network order: with a separate MAC, ESN equals four more bytes of payload, most significant first.
#[test]
fn b06_high_half_is_in_network_order() {
    let sa = Sa::numbered(Transform::NullHmacSha256_128, Tier::Ring, 6);
    let sealed = sa.sealed(&sa.packet(6, 24), Some(0x0102_0304));
    let (covered, icv) = sealed.split_at(sealed.len() - 16);
    let longer = [covered, &[1, 2, 3, 4], icv].concat();
    assert_eq!(sa.sealed(&longer, None)[longer.len() - 16..], *icv);
}

/// A payload of nothing, and one of a trailer only, are ordinary packets.
#[test]
fn b27_empty_payload() {
    for sa in every_sa() {
        let packets = [0, 4].map(|payload_len| sa.packet(27, payload_len));
        let sealed = packets.each_ref().map(|packet| sa.sealed(packet, None));
        for (packet, sealed) in packets.iter().zip(&sealed) {
            let payload = sa.payload(packet.len());
            let mut opened = sealed.clone();
            assert_eq!(open_one(&sa.open, &mut opened, None), Ok(()), "{}", sa.transform);
            assert_eq!(opened[..payload.end], packet[..payload.end], "{}", sa.transform);
            let mut wrong = sealed.clone();
            *wrong.last_mut().unwrap() ^= 0x80;
            assert_eq!(open_one(&sa.open, &mut wrong, None), REFUSED, "{}", sa.transform);
        }
        assert_ne!(sealed[0][sealed[0].len() - 16..], sealed[1][sealed[1].len() - 16..]);
    }
}

/// The nonce is salt and IV, 12 bytes, and the payload starts at block counter 2.
#[test]
fn b41_nonce_of_twelve_bytes() {
    let keys = noise(41, 20);
    let aes = Aes128::new_from_slice(&keys[..16]).unwrap();
    for tier in [Tier::Ring, Tier::Portable] {
        let sa = Sa::new(Transform::Aes128Gcm16, tier, &keys);
        let mut plain = sa.packet(41, 32);
        plain[16..48].fill(0);
        let sealed = sa.sealed(&plain, None);
        for counter in [2_u32, 3] {
            let block = [&keys[16..], &plain[8..16], &counter.to_be_bytes()].concat();
            let mut block: aes_gcm::aes::Block = block.as_slice().try_into().unwrap();
            aes.encrypt_block(&mut block);
            let at = counter as usize * 16 - 16;
            assert_eq!(sealed[at..at + 16], block[..], "{tier} counter {counter}");
        }
    }
}

/// Every bit of SPI, sequence number, IV, payload and ICV is authenticated.
#[test]
fn b42_every_bit_of_the_packet_is_authenticated() {
    for sa in every_sa() {
        for seq_hi in [None, Some(42)] {
            let sealed = sa.sealed(&sa.packet(42, 20), seq_hi);
            for bit in 0..sealed.len() * 8 {
                let mut wrong = sealed.clone();
                wrong[bit / 8] ^= 1 << (bit % 8);
                let result = open_one(&sa.open, &mut wrong, seq_hi);
                assert_eq!(result, REFUSED, "{} {} bit {bit}", sa.transform, sa.tier);
            }
        }
    }
}

/// The whole ICV is compared, and its length is the SA's: a cut packet has another ICV, not a shorter one.
#[test]
fn b45_whole_icv_is_compared() {
    for sa in every_sa() {
        let sealed = sa.sealed(&sa.packet(45, 64), None);
        let icv_at = sealed.len() - 16;
        for right in 0..16 {
            let mut wrong = sealed.clone();
            wrong[icv_at + right..].iter_mut().for_each(|byte| *byte = !*byte);
            assert_eq!(open_one(&sa.open, &mut wrong, None), REFUSED, "{} {right} right", sa.transform);
        }
        for cut in 1..=16 {
            let mut short = sealed[..sealed.len() - cut].to_vec();
            assert_eq!(open_one(&sa.open, &mut short, None), REFUSED, "{} cut by {cut}", sa.transform);
        }
    }
}

/// One reason, whichever transform, and whichever part of the packet was changed.
#[test]
fn b46_one_reason_for_every_transform() {
    for sa in every_sa() {
        let sealed = sa.sealed(&sa.packet(46, 100), None);
        for at in [0, 7, HEADER_LEN, 60, sealed.len() - 16, sealed.len() - 1] {
            let mut wrong = sealed.clone();
            wrong[at] ^= 4;
            assert_eq!(open_one(&sa.open, &mut wrong, None), REFUSED, "{} at {at}", sa.transform);
        }
    }
}

/// A bad ICV is told apart from nothing else: a trailer with an impossible pad length is not looked at.
#[test]
fn b47_bad_icv_before_any_trailer() {
    for sa in every_sa() {
        let mut plain = sa.packet(47, 8);
        let end = sa.payload(plain.len()).end;
        plain[end - 2] = 255;
        let mut sealed = sa.sealed(&plain, None);
        assert_eq!(open_one(&sa.open, &mut sealed.clone(), None), Ok(()), "{}", sa.transform);
        sealed[end] ^= 1;
        assert_eq!(open_one(&sa.open, &mut sealed, None), REFUSED, "{}", sa.transform);
    }
}

/// What a refused packet leaves in the buffer.
#[test]
fn refused_packets_leave_no_plaintext() {
    for sa in every_sa() {
        for payload_len in [1, 15, 16, 96, 300, 1400, 9000] {
            let plain = sa.packet(7, payload_len);
            let payload = sa.payload(plain.len());
            let mut refused = sa.sealed(&plain, Some(7));
            *refused.last_mut().unwrap() ^= 1;
            let came = refused.clone();
            assert_eq!(open_one(&sa.open, &mut refused, Some(7)), REFUSED);
            let left = &refused[payload.clone()];
            let ciphertext = left == &came[payload.clone()];
            assert!(ciphertext || left.iter().all(|byte| *byte == 0), "{} {payload_len}", sa.transform);
            assert_eq!(refused[..payload.start], came[..payload.start], "{}", sa.transform);
            assert_eq!(refused[payload.end..], came[payload.end..], "{}", sa.transform);
            if sa.transform == Transform::NullHmacSha256_128 {
                assert!(ciphertext, "NULL leaves the packet as it came");
            } else {
                assert_ne!(came[payload.clone()], plain[payload], "{} does encrypt", sa.transform);
            }
        }
    }
}
