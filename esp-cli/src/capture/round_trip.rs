//! The property of the fuzz target `pcap_in`.

use std::io::Cursor;

use super::{Entry, Reader, Stamp, Writer};

/// Reads any bytes as a capture and writes what was read. What was written must be read again as the same packets, and
/// then be written as the same bytes.
///
/// # Panics
///
/// It is not.
#[doc(hidden)]
pub fn round_trip(bytes: &[u8]) {
    let Some((packets, written)) = copied(bytes) else { return };
    if written.is_empty() {
        return; // a pcapng file that ends in its first block
    }
    let (again, twice) = copied(&written).expect("what was written is a capture");
    assert_eq!(again, packets);
    assert_eq!(twice, written);
}

type Packet = (u64, Option<u32>, u64, u32, Vec<u8>);

/// The packets up to the first fault, and the file that they make; `None` if it is no capture.
fn copied(bytes: &[u8]) -> Option<(Vec<Packet>, Vec<u8>)> {
    let mut reader = Reader::from_read(Box::new(Cursor::new(bytes.to_vec())), "bytes").ok()?;
    let mut writer = Writer::start(Vec::new(), &reader).ok()?;
    let (mut packets, mut stamp) = (Vec::new(), Stamp::default());
    loop {
        let block = match reader.next() {
            Ok(Some(Entry::Packet(record))) => {
                packets.push((
                    record.number,
                    record.interface,
                    record.nanos,
                    record.link.after(),
                    record.frame.to_vec(),
                ));
                stamp.set(&record);
                writer.packet(&stamp, record.frame, false).ok()?;
                continue;
            }
            Ok(Some(Entry::Block(block))) => block.to_vec(),
            Ok(None) | Err(_) => return Some((packets, writer.into_inner())),
        };
        writer.block(&block, reader.big_endian()).ok()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_that_ends_at_once_is_no_harm() {
        for bytes in [&b""[..], b"\x0a\x0d\x0d\x0a", b"\xd4\xc3\xb2\xa1"] {
            round_trip(bytes);
        }
    }

    proptest! {
        #[test]
        fn damaged_captures_are_read_as_they_are_written(
            big_endian in any::<bool>(),
            blocks in proptest::collection::vec((prop_oneof![0..8_u32, any::<u32>()], proptest::collection::vec(any::<u8>(), 0..64)), 0..8),
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let word = |word: u32| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
            let mut file = [word(0x0a0d_0d0a), word(28), word(0x1a2b_3c4d), word(1), [0xff; 4], [0xff; 4], word(28)].concat();
            file.extend([word(1), word(20), if big_endian { [0, 101, 0, 0] } else { [101, 0, 0, 0] }, word(0), word(20)].concat());
            for (block_type, body) in blocks {
                let mut body = body;
                body.resize(body.len().next_multiple_of(4), 0);
                let len = word(u32::try_from(body.len()).unwrap() + 12);
                file.extend([&word(block_type)[..], &len, &body, &len].concat());
            }
            for (at, byte) in damage {
                let at = at.index(file.len());
                file[at] = byte;
            }
            round_trip(&file);
        }
    }
}
