//! The ESP trailer against its definition, byte by byte.

use esp_wire::trailer::{self, TRAILER_LEN, Trailer, TrailerError};
use proptest::prelude::*;

/// What RFC 4303 sections 2.4 to 2.6 say, by counting.
fn by_definition(plaintext: &[u8]) -> Result<Trailer, TrailerError> {
    let [before @ .., pad_len, next_header] = plaintext else { return Err(TrailerError::TooShort) };
    if before.len() < usize::from(*pad_len) {
        return Err(TrailerError::PadTooLong);
    }
    let mut value = *pad_len;
    for byte in before.iter().rev().take(usize::from(*pad_len)) {
        if *byte != value {
            return Err(TrailerError::PadContent);
        }
        value -= 1;
    }
    let payload_len = before.len() - usize::from(*pad_len);
    Ok(Trailer { payload_len, pad_len: *pad_len, next_header: *next_header })
}

/// `payload_len` bytes of 0xaa and a correct trailer.
fn plaintext(payload_len: usize, pad_len: u8, next_header: u8) -> Vec<u8> {
    let mut bytes = vec![0xaa; payload_len];
    bytes.extend(1..=pad_len);
    bytes.extend([pad_len, next_header]);
    bytes
}

#[test]
fn b09_pad_length_larger_than_the_plaintext() {
    let mut bytes = [1; 30];
    for (pad_len, want) in [(0xff, Err(TrailerError::PadTooLong)), (29, Err(TrailerError::PadTooLong))] {
        bytes[28] = pad_len;
        assert_eq!(trailer::read(&bytes), want, "pad length {pad_len} of 30 bytes");
    }
    for before in 0..300 {
        for pad_len in 0..=255_u8 {
            let mut bytes = vec![0x55; before];
            bytes.extend([pad_len, 4]);
            assert_eq!(
                trailer::read(&bytes),
                by_definition(&bytes),
                "pad length {pad_len} after {before} bytes"
            );
        }
    }
}

#[test]
fn b09_padding_may_be_all_there_is() {
    for pad_len in 0..=255 {
        let bytes = plaintext(0, pad_len, 59);
        assert_eq!(trailer::read(&bytes), Ok(Trailer { payload_len: 0, pad_len, next_header: 59 }));
    }
}

#[test]
fn b10_padding_counts_from_one() {
    let read = |padding: &[u8]| {
        let mut bytes = vec![0; 20];
        bytes.extend(padding);
        bytes.extend([u8::try_from(padding.len()).unwrap(), 4]);
        trailer::read(&bytes).map(|trailer| trailer.payload_len)
    };
    assert_eq!(read(&[1, 2, 3]), Ok(20));
    for wrong in [&[0, 0, 0][..], &[0, 1, 2], &[1, 2, 4], &[2, 2, 3], &[3, 2, 1], &[0], &[2]] {
        assert_eq!(read(wrong), Err(TrailerError::PadContent), "{wrong:?}");
    }
}

#[test]
fn b10_every_padding_byte_is_inspected() {
    for payload_len in [0, 1, 13, 14, 15, 40] {
        for pad_len in 0..=255_u8 {
            let good = plaintext(payload_len, pad_len, 41);
            assert_eq!(trailer::read(&good), Ok(Trailer { payload_len, pad_len, next_header: 41 }));
            for at in payload_len..payload_len + usize::from(pad_len) {
                let mut bad = good.clone();
                bad[at] ^= 1 << (at % 8);
                assert_eq!(
                    trailer::read(&bad),
                    Err(TrailerError::PadContent),
                    "byte {at}, pad length {pad_len}"
                );
            }
        }
    }
}

#[test]
fn b11_padding_is_the_least_that_aligns() {
    // An IPv4 packet of 1446 bytes in an AES-GCM-16 tunnel fills an MTU of 1500 exactly.
    let pad = usize::from(trailer::pad_len(1446, 4));
    assert_eq!(20 + 8 + 8 + 1446 + pad + TRAILER_LEN + 16, 1500);
    for align in [4, 8, 16, 32, 64] {
        for content_len in (0..300).chain(65_500..65_600) {
            let least = (0..).find(|pad| (content_len + pad + TRAILER_LEN).is_multiple_of(align));
            assert_eq!(
                Some(usize::from(trailer::pad_len(content_len, align))),
                least,
                "{content_len} to {align}"
            );
        }
    }
    assert_eq!(trailer::pad_len(usize::MAX, 16), 15);
    let _any = trailer::pad_len(usize::MAX, 0);
}

#[test]
fn b22_no_room_for_a_trailer() {
    assert_eq!(trailer::read(&[]), Err(TrailerError::TooShort));
    assert_eq!(trailer::read(&[0]), Err(TrailerError::TooShort));
    assert_eq!(trailer::read(&[0, 4]), Ok(Trailer { payload_len: 0, pad_len: 0, next_header: 4 }));
}

#[test]
fn what_is_written_is_what_is_read() {
    for len in 0..=260_usize {
        let mut dest = vec![0xee; len];
        let written = trailer::write(&mut dest, 6);
        assert_eq!(written, (2..=257).contains(&len), "{len} bytes");
        if written {
            let pad_len = u8::try_from(len - 2).unwrap();
            assert_eq!(dest, plaintext(0, pad_len, 6));
            assert_eq!(trailer::read(&dest), Ok(Trailer { payload_len: 0, pad_len, next_header: 6 }));
        } else {
            assert!(dest.iter().all(|byte| *byte == 0xee), "{len} bytes: nothing is written");
        }
    }
}

#[test]
fn with_room_the_trailer_is_the_same() {
    for pad_len in 0..=255_u8 {
        let len = usize::from(pad_len) + TRAILER_LEN;
        for room_len in (0..40).chain(len.saturating_sub(2)..len + 40) {
            let mut room = vec![0xee; room_len];
            let written = trailer::write_with_room(&mut room, pad_len, 41);
            assert_eq!(written, room_len >= len, "pad length {pad_len}, room {room_len}");
            let touched = if written { len.max(16) } else { 0 };
            assert!(
                room.iter().skip(touched).all(|byte| *byte == 0xee),
                "pad length {pad_len}, room {room_len}"
            );
            assert!(!written || room[..len] == plaintext(0, pad_len, 41));
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_judged_by_the_definition(bytes in prop::collection::vec(0..20_u8, 0..40)) {
        prop_assert_eq!(trailer::read(&bytes), by_definition(&bytes));
    }

    #[test]
    fn a_correct_trailer_behind_any_payload(payload in prop::collection::vec(any::<u8>(), 0..80), pad_len: u8) {
        let mut bytes = payload.clone();
        bytes.extend(plaintext(0, pad_len, 17));
        prop_assert_eq!(
            trailer::read(&bytes),
            Ok(Trailer { payload_len: payload.len(), pad_len, next_header: 17 })
        );
    }
}
