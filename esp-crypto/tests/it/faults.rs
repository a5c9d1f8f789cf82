//! Faults that ESP implementations have had, each with the trigger that showed it.

use aes_gcm::KeyInit;
use aes_gcm::aes::Aes128;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use esp_crypto::{Cipher, JobError, Tier, Transform};

use crate::esp::{HEADER_LEN, Sa, every_authentic_sa, every_sa, noise, open_one, seal_one};

const REFUSED: Result<(), JobError> = Err(JobError::AuthFailed);

/// The high half enters the ICV, all of it, and "no ESN" is not "high half zero".
#[test]
fn b05_high_half_is_authenticated() {
    for sa in every_authentic_sa() {
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
    let sa = Sa::numbered(Transform::NullHmacSha256_128, Tier::Portable, 6);
    let sealed = sa.sealed(&sa.packet(6, 24), Some(0x0102_0304));
    let (covered, icv) = sealed.split_at(sealed.len() - 16);
    let longer = [covered, &[1, 2, 3, 4], icv].concat();
    assert_eq!(sa.sealed(&longer, None)[longer.len() - 16..], *icv);
}

/// A payload of nothing, and one of a trailer only, are ordinary packets.
#[test]
fn b27_empty_payload() {
    for sa in every_authentic_sa() {
        let packets = [0, 16].map(|payload_len| sa.packet(27, payload_len));
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
        let icv = sealed.each_ref().map(|sealed| &sealed[sealed.len() - sa.transform.icv_len()..]);
        assert_ne!(icv[0], icv[1]);
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
    for sa in every_authentic_sa() {
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

/// AES-GMAC encrypts nothing, and its IV and payload are as authentic as its header (RFC 4543).
#[test]
fn b43_gmac_covers_iv_and_payload_in_clear() {
    for sa in every_authentic_sa().filter(|sa| sa.transform.name().ends_with("gmac")) {
        for (payload_len, seq_hi) in [(0, None), (1, Some(9)), (64, Some(9)), (1400, None), (1401, Some(0))] {
            let plain = sa.packet(43, payload_len);
            let sealed = sa.sealed(&plain, seq_hi);
            let end = sealed.len() - 16;
            assert_eq!(sealed[..end], plain[..end], "{} {payload_len}", sa.transform);
            for (at, wrong_hi) in (8..end).map(|at| (at, seq_hi)).chain([(end, seq_hi)]) {
                let mut wrong = sealed.clone();
                wrong[at] ^= 0x10;
                let came = wrong.clone();
                assert_eq!(open_one(&sa.open, &mut wrong, wrong_hi), REFUSED, "{} byte {at}", sa.transform);
                assert_eq!(wrong, came, "{}: all is put back", sa.transform);
            }
            let mut opened = sealed.clone();
            assert_eq!(open_one(&sa.open, &mut opened, seq_hi), Ok(()), "{}", sa.transform);
            assert_eq!(opened, sealed, "{}: all is put back", sa.transform);
        }
    }
}

/// The whole ICV is compared, and its length is the SA's: a cut packet has another ICV, not a shorter one.
#[test]
fn b45_whole_icv_is_compared() {
    for sa in every_authentic_sa() {
        let (sealed, icv_len) = (sa.sealed(&sa.packet(45, 64), None), sa.transform.icv_len());
        let icv_at = sealed.len() - icv_len;
        for right in 0..icv_len {
            let mut wrong = sealed.clone();
            wrong[icv_at + right..].iter_mut().for_each(|byte| *byte = !*byte);
            assert_eq!(open_one(&sa.open, &mut wrong, None), REFUSED, "{} {right} right", sa.transform);
        }
        for cut in 1..=icv_len {
            let mut short = sealed[..sealed.len() - cut].to_vec();
            assert_eq!(open_one(&sa.open, &mut short, None), REFUSED, "{} cut by {cut}", sa.transform);
            let mut long = [&sealed[..], &noise(1, cut)].concat();
            assert_eq!(open_one(&sa.open, &mut long, None), REFUSED, "{} longer by {cut}", sa.transform);
        }
    }
}

/// The ICV has the length of the name, and a peer that cuts the same MAC otherwise is refused: all lengths of AES-GCM,
/// AES-CCM and HMAC-SHA-256.
#[test]
fn b38_icv_of_another_length_is_refused() {
    let mut pairs = 0;
    let sas: Vec<Sa> = every_authentic_sa().collect();
    for sa in &sas {
        let keys = noise(38, sa.transform.key_len());
        for other in sas.iter().filter(|other| other.transform.key_len() == keys.len()) {
            let family = |sa: &Sa| {
                let (cipher, integrity) = (sa.transform.cipher(), sa.transform.integrity());
                (cipher.rfc, cipher.key_len, integrity.key_len, sa.transform.iv_len())
            };
            if sa.transform.icv_len() == other.transform.icv_len() || family(sa) != family(other) {
                continue;
            }
            let sealed = Sa::new(sa.transform, sa.tier, &keys);
            let opens = Sa::new(other.transform, other.tier, &keys);
            let packet = sealed.sealed(&sealed.packet(38, 64), None);
            let cut = packet.len() - sa.transform.icv_len() + other.transform.icv_len();
            let same_place = [&packet[..], &[0; 32]].concat()[..cut].to_vec();
            for mut esp in [packet, same_place] {
                let result = open_one(&opens.open, &mut esp, None);
                // The tag of a cut MAC is the start of the longer one's: that alone is no harm.
                let shorter = other.transform.icv_len() < sa.transform.icv_len() && esp.len() == cut;
                if !shorter {
                    assert_eq!(result, REFUSED, "{} as {}", sa.transform, other.transform);
                }
            }
            pairs += 1;
        }
    }
    assert!(pairs > 30, "{pairs}");
}

/// A payload that is no whole number of blocks: nothing is sealed of it, and of an authentic packet nothing is touched.
/// A forged one is forged first.
#[test]
fn b85_payload_of_broken_blocks() {
    for sa in every_authentic_sa().filter(|sa| sa.block_len() > 1) {
        let null = Transform::of(Cipher::Null, sa.transform.integrity().integrity).unwrap();
        let keys = noise(85, sa.transform.key_len());
        let sa = Sa::new(sa.transform, sa.tier, &keys);
        let mac = Sa::new(null, sa.tier, &keys[sa.transform.cipher_key_len()..]);
        for payload_len in (1..100).filter(|len| len % sa.block_len() != 0) {
            let came = sa.raw_packet(85, payload_len);
            let mut esp = came.clone();
            assert_eq!(seal_one(&sa.seal, &mut esp, Some(1)), Err(JobError::BadLength), "{}", sa.transform);
            assert_eq!(esp, came, "{} {payload_len}", sa.transform);
            assert_eq!(open_one(&sa.open, &mut esp, Some(1)), REFUSED, "{} forged", sa.transform);
            assert_eq!(esp, came, "{} {payload_len}", sa.transform);
            let authentic = mac.sealed(&came, Some(1));
            let mut esp = authentic.clone();
            assert_eq!(open_one(&sa.open, &mut esp, Some(1)), Err(JobError::BadLength), "{}", sa.transform);
            assert_eq!(esp, authentic, "{} {payload_len}", sa.transform);
        }
    }
}

/// Blocks are raw: a last block that looks like a library's padding is text.
#[test]
fn b85_last_block_looks_like_padding() {
    for sa in every_authentic_sa().filter(|sa| sa.block_len() > 1) {
        for pad in [1, 8, 16, 0, 0xff] {
            let mut plain = sa.packet(85, 48);
            let payload = sa.payload(plain.len());
            plain[payload.end - sa.block_len()..payload.end].fill(pad);
            let mut esp = sa.sealed(&plain, None);
            assert_eq!(esp.len(), plain.len(), "{}", sa.transform);
            assert_eq!(open_one(&sa.open, &mut esp, None), Ok(()), "{}", sa.transform);
            assert_eq!(esp[..payload.end], plain[..payload.end], "{} {pad}", sa.transform);
        }
    }
}

/// The IV on the wire is the cipher's own: 16 bytes of AES-CBC, 8 of DES and the counter modes, none where it is implied.
#[test]
fn b84_iv_of_the_packet_is_used_whole() {
    for sa in every_sa().filter(|sa| sa.transform.iv_len() > 0) {
        let plain = sa.packet(84, 32);
        let payload = sa.payload(plain.len());
        let sealed = sa.sealed(&plain, None);
        for at in HEADER_LEN..payload.start {
            let mut other = plain.clone();
            other[at] ^= 1;
            let other = sa.sealed(&other, None);
            let differs = other[payload.start..] != sealed[payload.start..];
            assert!(differs, "{} byte {at}", sa.transform);
        }
    }
}

/// One reason, whichever transform, and whichever part of the packet was changed.
#[test]
fn b46_one_reason_for_every_transform() {
    for sa in every_authentic_sa() {
        let sealed = sa.sealed(&sa.packet(46, 100), None);
        for at in [0, 7, HEADER_LEN, 60, sealed.len() - sa.transform.icv_len(), sealed.len() - 1] {
            let mut wrong = sealed.clone();
            wrong[at] ^= 4;
            assert_eq!(open_one(&sa.open, &mut wrong, None), REFUSED, "{} at {at}", sa.transform);
        }
    }
}

/// A bad ICV is told apart from nothing else: a trailer with an impossible pad length is not looked at.
#[test]
fn b47_bad_icv_before_any_trailer() {
    for sa in every_authentic_sa() {
        let mut plain = sa.packet(47, 16);
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
    for sa in every_authentic_sa() {
        for payload_len in [4, 15, 16, 96, 300, 1400, 9000] {
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
            if !sa.transform.is_combined() {
                assert!(ciphertext, "{}: verified before it is decrypted", sa.transform);
            }
            let encrypted = came[payload.clone()] != plain[payload.clone()];
            assert_eq!(encrypted, sa.encrypts(), "{}", sa.transform);
        }
    }
}
