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
