//! pcapng files: written here byte by byte, judged by a library, and by their own bytes where nothing may change.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use pcap_file::pcapng::{Block, PcapNgReader};

use super::support::Dir;
use super::{arp, packets, tagged, tunnel};

/// A file in one byte order.
#[derive(Clone, Default)]
pub(super) struct Ng {
    pub(super) big_endian: bool,
    pub(super) bytes: Vec<u8>,
}

impl Ng {
    pub(super) fn word(&self, value: u32) -> [u8; 4] {
        if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn half(&self, value: u16) -> [u8; 2] {
        if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    pub(super) fn options(&self, options: &[(u16, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (code, value) in options {
            bytes.extend(self.half(*code));
            bytes.extend(self.half(value.len().try_into().unwrap()));
            bytes.extend(*value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes.extend([0; 4]);
        bytes
    }

    pub(super) fn block(&mut self, block_type: u32, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let len = self.word(u32::try_from(body.len()).unwrap() + 12);
        let block = [&self.word(block_type)[..], &len, &body, &len].concat();
        self.bytes.extend(&block);
        block
    }

    pub(super) fn section(&mut self, options: &[(u16, &[u8])]) {
        let body =
            [&self.word(0x1a2b_3c4d)[..], &self.half(1), &self.half(0), &[0, 0, 0, 0, 0, 0, 2, 0]].concat();
        self.block(0x0a0d_0d0a, &[body, self.options(options)].concat());
    }

    pub(super) fn interface(&mut self, link: u16, snaplen: u32, options: &[(u16, &[u8])]) {
        let body = [&self.half(link)[..], &[0, 0], &self.word(snaplen)].concat();
        self.block(1, &[body, self.options(options)].concat());
    }

    pub(super) fn packet(&mut self, interface: u32, ticks: u64, frame: &[u8], options: &[(u16, &[u8])]) {
        let len = u32::try_from(frame.len()).unwrap();
        let (high, low) = ((ticks >> 32) as u32, u32::try_from(ticks & 0xffff_ffff).unwrap());
        let mut body = [interface, high, low, len, len].map(|word| self.word(word)).concat();
        body.extend(frame);
        body.resize(body.len().next_multiple_of(4), 0);
        if !options.is_empty() {
            body.extend(self.options(options));
        }
        self.block(6, &body);
    }
}

/// What the library makes of a file: link types and options of interfaces, packets, and the number of other blocks.
#[derive(Debug, Default, PartialEq)]
struct Read {
    links: Vec<u32>,
    packets: Vec<(u32, u128, Vec<u8>, String)>,
    others: Vec<String>,
}

fn read(bytes: &[u8]) -> Read {
    let mut reader = PcapNgReader::new(bytes).unwrap();
    let mut read = Read::default();
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::InterfaceDescription(interface) => read.links.push(interface.linktype.into()),
            Block::EnhancedPacket(packet) => read.packets.push((
                packet.interface_id,
                packet.timestamp.as_nanos(),
                packet.data.to_vec(),
                format!("{:?}", packet.options),
            )),
            other => read.others.push(format!("{other:?}")),
        }
    }
    read
}

/// Two interfaces of different link types, nanoseconds, comments, and blocks of all sorts between the packets.
fn rich(big_endian: bool) -> Ng {
    let mut file = Ng { big_endian, bytes: Vec::new() };
    file.section(&[(1, b"a section"), (4, b"made by hand")]);
    file.interface(1, 65_535, &[(2, b"eth0"), (9, &[9])]);
    file.interface(101, 0, &[(2, b"tun0"), (9, &[9]), (1, b"no layer 2")]);
    file.block(0x0000_0bad, b"a custom block of nobody's");
    for (at, packet) in packets().iter().enumerate() {
        let ticks = 1_700_000_000_123_456_789 + at as u64;
        let comment = format!("packet {at} of the file");
        match at % 3 {
            0 => file.packet(0, ticks, &tagged(&[0x8100], packet), &[(1, comment.as_bytes())]),
            1 => file.packet(1, ticks, packet, &[]),
            _ => file.packet(1, ticks, packet, &[(4, &[0; 8]), (0x8bad, b"odd"), (1, b"\xff no text")]),
        }
        if at == 40 {
            let names = [&file.half(1)[..], &file.half(7), &[192, 0, 2, 1], b"gw\0\0", &[0; 4]].concat();
            file.block(4, &names);
            let statistics = [file.word(0), file.word(1), file.word(2)].concat();
            file.block(5, &statistics);
        }
    }
    file.packet(0, 1_700_000_001_000_000_000, &arp(), &[(1, b"not ours"), (3, &[2, 1, 2, 3, 4])]);
    file
}

#[test]
fn interfaces_nanoseconds_comments_and_other_blocks_are_kept() {
    for big_endian in [false, true] {
        let dir = Dir::new(if big_endian { "ng-big" } else { "ng-little" });
        dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
        let before = rich(big_endian);
        dir.write("clear", &before.bytes);
        let sealed = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
        assert_eq!((&sealed["sealed"], &sealed["format"]), (&100.into(), &"pcapng".into()));
        assert_eq!(sealed["link_types"], serde_json::json!(["Ethernet", "raw IP"]));
        dir.esp("open --sa sa.toml sealed opened").ended(0);
        // The section has no known length, and the interfaces no snap length, since sealed packets are longer.
        let mut expected = before.bytes.clone();
        let at = |what: &[u8]| before.bytes.windows(what.len()).position(|window| window == what).unwrap();
        expected[16..24].fill(0xff);
        let first = at(&[before.word(65_535)].concat());
        expected[first..first + 4].fill(0);
        assert_eq!(std::fs::read(dir.path("opened")).unwrap(), expected);

        let sealed = std::fs::read(dir.path("sealed")).unwrap();
        assert_eq!(&expected[..first], &sealed[..first], "the section as it will be again");
        let find = |what: &[u8]| sealed.windows(what.len()).filter(|window| *window == what).count();
        assert_eq!([find(b"packet 99 of the file"), find(b"\xff no text"), find(b"nobody's")], [1, 33, 1]);
    }
}

#[test]
fn a_library_reads_what_is_written() {
    let dir = Dir::new("ng-library");
    dir.write_sa("sa.toml", &tunnel("2001:db8::1", "2001:db8::2"));
    let mut file = Ng::default();
    file.section(&[(1, b"first")]);
    file.interface(229, 96, &[(9, &[0x80 | 20])]);
    let v6: Vec<_> = packets().into_iter().filter(|packet| packet[0] >> 4 == 6).collect();
    for packet in &v6 {
        file.packet(0, 1 << 50, packet, &[(1, b"six"), (3, &[2, 1, 2, 3, 4]), (2, &file.word(1))]);
    }
    let mut second = Ng { big_endian: true, bytes: Vec::new() };
    second.section(&[]);
    second.interface(228, 0, &[]);
    second.packet(0, 7, &packets()[0], &[]);
    dir.write("clear", [file.bytes, second.bytes].concat());
    let summary = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
    assert_eq!(summary["sealed"], v6.len() + 1);

    let before = read(&std::fs::read(dir.path("clear")).unwrap());
    let after = read(&std::fs::read(dir.path("sealed")).unwrap());
    assert_eq!(
        after.links,
        [101, 101],
        "the tunnel may change the version, so the interface no longer names it"
    );
    assert_eq!(after.packets.len(), before.packets.len());
    for (after, before) in after.packets.iter().zip(&before.packets) {
        assert_eq!((after.0, after.1), (before.0, before.1));
        assert!(after.2.len() > before.2.len());
        assert_eq!(after.3.contains("Comment"), before.3.contains("Comment"));
        assert_eq!(after.3.contains("Flags(1)"), before.3.contains("Flags(1)"));
        assert!(!after.3.contains("Hash"), "it is no longer its own: {}", after.3);
    }
    dir.esp("open --sa sa.toml sealed opened").ended(0);
    let opened = read(&std::fs::read(dir.path("opened")).unwrap());
    let data = |read: &Read| read.packets.iter().map(|packet| packet.2.clone()).collect::<Vec<_>>();
    assert_eq!(data(&opened), data(&before));
}

#[test]
fn simple_and_obsolete_packet_blocks_are_packets() {
    let dir = Dir::new("ng-blocks");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let mut file = Ng::default();
    file.section(&[]);
    file.interface(101, 0, &[]);
    let packet = &packets()[0];
    let len = u32::try_from(packet.len()).unwrap();
    file.block(3, &[&file.word(len)[..], packet].concat());
    let head =
        [&file.half(0)[..], &file.half(9), &file.word(1), &file.word(2), &file.word(len), &file.word(len)];
    file.block(2, &[&head.concat()[..], packet].concat());
    dir.write("clear", &file.bytes);
    let summary = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
    assert_eq!(summary["sealed"], 2);
    dir.esp("open --sa sa.toml sealed opened").ended(0);
    let mut expected = file.bytes.clone();
    expected[16..24].fill(0xff);
    assert_eq!(std::fs::read(dir.path("opened")).unwrap(), expected);
}

#[test]
fn frame_check_sequences_go_with_what_announced_them() {
    for (interface, flags) in
        [(Some(4_u8), None), (Some(32), None), (None, Some(4_u32 << 5)), (Some(2), Some(4 << 5))]
    {
        let dir = Dir::new("ng-fcs");
        dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
        let mut file = Ng::default();
        file.section(&[]);
        let fcs_len = interface.map(|len| [len]);
        let options: Vec<_> = fcs_len.iter().map(|len| (13, &len[..])).chain([(2, &b"eth0"[..])]).collect();
        file.interface(1, 0, &options);
        let frame = [tagged(&[], &packets()[0]), vec![0xfc; 4]].concat();
        let flags = flags.map(|flags| file.word(flags | 1));
        let options: Vec<_> = flags.iter().map(|flags| (2, &flags[..])).collect();
        file.packet(0, 7, &frame, &options);
        dir.write("clear", &file.bytes);
        let summary = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
        assert_eq!(summary["sealed"], 1);
        dir.esp("open --sa sa.toml sealed opened").ended(0);
        let opened = std::fs::read(dir.path("opened")).unwrap();
        let read = read(&opened);
        assert_eq!(read.packets[0].2, frame[..frame.len() - 4], "{interface:?} {flags:?}");
        assert!(!opened.windows(4).any(|window| window == [13, 0, 1, 0]));
        assert_eq!(read.packets[0].3.contains("Flags(1)"), flags.is_some(), "{}", read.packets[0].3);
    }
}

#[test]
fn contradictions_are_named_by_their_block() {
    let dir = Dir::new("ng-wrong");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let good = || {
        let mut file = Ng::default();
        file.section(&[]);
        file.interface(101, 0, &[]);
        file
    };
    let with = |block_type: u32, body: &[u8]| {
        let mut file = good();
        file.block(block_type, body);
        file.bytes
    };
    let patched = |at: usize, value: &[u8]| {
        let mut bytes = good().bytes;
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let second = 32;
    let cases = [
        (patched(8, &[1, 2, 3, 4]), "block 1: a section header without byte-order magic"),
        (patched(4, &[30, 0]), "block 1: length 30; legal: 12 to 16777216, a multiple of 4"),
        (patched(4, &[8, 0]), "block 1: length 8; legal: 12 to"),
        (patched(4, &[0xfc, 0xff, 0xff, 0xff]), "block 1: length 4294967292; legal: 12 to"),
        (patched(28, &[36]), "block 1: length 32 at its start and 36 at its end"),
        (patched(second + 4, &[16]), "block 2: length 16 at its start and 0 at its end"),
        (with(1, &[1]), "block 3: an interface description of 16 bytes"),
        (with(6, &words(&[0, 0, 0, 4])), "block 3: a packet block of 28 bytes"),
        (with(6, &words(&[1, 0, 0, 0, 0])), "block 3: interface 1; the section describes 1"),
        (with(6, &words(&[0, 0, 0, 8, 8, 0])), "block 3: 8 captured bytes, and the block has room for 4"),
        (with(6, &words(&[0, 0, 0, 262_145, 8, 0])), "block 3: 262145 captured bytes; legal: 0 to 262144"),
        (with(3, &[]), "block 3: a simple packet block of 12 bytes"),
        (with(3, &words(&[9])), "block 3: 9 captured bytes, and the block has room for 0"),
        (with(2, &words(&[0xffff, 0, 0, 0, 0])), "block 3: interface 65535; the section describes 1"),
    ];
    for (bytes, why) in cases {
        dir.write("bad", bytes);
        for command in ["seal", "open"] {
            dir.esp(&format!("{command} --sa sa.toml bad out")).refused(&format!("bad: {why}"));
        }
    }
    assert_eq!(dir.names(), ["bad", "sa.toml"]);
}

#[test]
fn packets_of_an_interface_that_we_do_not_read_pass() {
    let dir = Dir::new("ng-usb");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let mut file = Ng::default();
    file.section(&[]);
    file.interface(220, 0, &[]);
    file.packet(0, 7, &[0x45; 60], &[]);
    dir.write("clear", &file.bytes);
    let summary = dir.esp("seal --sa sa.toml --json clear sealed").json(0);
    assert_eq!((&summary["others_by_kind"]["not_ip"], &summary["written"]), (&1.into(), &1.into()));
}
