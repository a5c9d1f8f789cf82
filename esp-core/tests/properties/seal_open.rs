//! What is sealed opens again, here and in the slow ESP, to the packet that it was; what is refused, is refused for a
//! reason whose numbers are exact.

use esp_core::config::{Mode, SaConfig};
use esp_core::{
    Consumed, DropReason, InboundStart, OutboundStart, PacketFlags, SaId, Shape, TunnelId, Verdict,
};
use esp_testkit::builder::{Room, with_tail};
use esp_testkit::slow::{self, SlowSa};
use esp_wire::{Ip, ipv6, proto};

use crate::bytes::Bytes;
use crate::inner::Recipe;
use crate::lab::{Given, Lab, Outcome};
use crate::{outer, sas};

/// Reads an SA and bursts for it from `data`, seals them and opens what came of it.
pub(crate) fn holds(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut ends = Ends::new(&mut bytes);
    for _ in 0..MAX_BURSTS {
        if bytes.is_empty() {
            break;
        }
        let burst: Vec<Item> = (0..1 + bytes.below(36)).map(|_| Item::read(&mut bytes, &ends)).collect();
        ends.seal_and_open(&burst);
    }
}

/// Both ends of an SA on one engine.
struct Ends {
    lab: Lab,
    config: SaConfig,
    slow: SlowSa,
    shape: Shape,
    tunnel: TunnelId,
    inbound: SaId,
    /// The last sequence number that went out.
    last: u64,
    /// ... and the last one that may.
    limit: u64,
}

/// A packet to seal, and the room that it lies in.
struct Item {
    recipe: Recipe,
    dummy: bool,
    headroom: usize,
    tailroom: usize,
    l2_padding: usize,
}

impl Item {
    fn read(bytes: &mut Bytes<'_>, ends: &Ends) -> Self {
        let dummy = bytes.one_in(16);
        let bare = dummy && ends.config.mode == Mode::Tunnel;
        let recipe = if bare { Recipe::bare(bytes) } else { Recipe::read(bytes) };
        let room = ends.shape.room_needed();
        let (mut headroom, mut tailroom) = (room.headroom, room.tailroom);
        let mut l2_padding = 0;
        match bytes.next() % 8 {
            0 => headroom = bytes.below(headroom + 1),
            1 => tailroom = bytes.below(tailroom + 1),
            2 => (headroom, tailroom) = (bytes.below(headroom + 1), bytes.below(tailroom + 1)),
            3 => l2_padding = bytes.below(47),
            4 => (l2_padding, tailroom) = (bytes.below(47), bytes.below(24)),
            5 => (headroom, tailroom) = (headroom + bytes.below(256), tailroom + bytes.below(256)),
            _ => {}
        }
        if bare {
            l2_padding = 0;
        }
        Self { recipe, dummy, headroom, tailroom, l2_padding }
    }

    fn given(&self, packet: &[u8], headroom: usize, tailroom: usize) -> Given {
        let room = Room::new(headroom, &with_tail(packet, self.l2_padding), tailroom);
        Given { room, flags: if self.dummy { PacketFlags::DUMMY } else { PacketFlags::NONE } }
    }
}

impl Ends {
    fn new(bytes: &mut Bytes<'_>) -> Self {
        let config = sas::outbound(bytes);
        let limit = if config.esn { u64::MAX - 0xffff_ffff } else { 0xffff_ffff };
        let last = match bytes.next() % 8 {
            0 => limit - u64::from(bytes.next() % 64),
            1 | 2 if config.esn => 0xffff_ffe0,
            3 if config.esn => bytes.long().min(limit),
            _ => 0,
        };
        let lab = Lab::new(2);
        let start = OutboundStart { sequence: last, iv_salt: bytes.long(), null_twin: false };
        let tunnel = lab.engine.install_outbound_at(&config, start).expect("a legal SA");
        let top = InboundStart { top: Some(last), null_twin: false };
        let inbound = lab.engine.install_inbound_at(&sas::peer(&config), top).expect("its other end");
        let shape = lab.engine.shape(tunnel).expect("a live tunnel");
        Self { slow: sas::slow(&config), lab, config, shape, tunnel, inbound, last, limit }
    }

    fn seal_and_open(&mut self, burst: &[Item]) {
        let packets: Vec<Vec<u8>> = burst.iter().map(|item| item.recipe.packet()).collect();
        let given = burst.iter().zip(&packets);
        let given = given.map(|(item, packet)| item.given(packet, item.headroom, item.tailroom)).collect();
        let outcomes = self.lab.seal(self.tunnel, given);
        let mut sent = Vec::new();
        for ((item, packet), outcome) in burst.iter().zip(&packets).zip(&outcomes) {
            if outcome.verdict.delivered().is_some() {
                self.last += 1;
                self.judge_sealed(item, packet, outcome);
                sent.push((item, packet, outcome));
            }
        }
        self.assert_number();
        self.judge_opened(&sent);
        for ((item, packet), outcome) in burst.iter().zip(&packets).zip(&outcomes) {
            if let Verdict::Dropped { reason, detail } = outcome.verdict {
                self.judge_refused(item, packet, reason, detail as usize);
            }
        }
    }

    /// No number is spent on a packet that does not go out.
    fn assert_number(&self) {
        let sa = self.lab.engine.outbound_sa(self.tunnel).expect("a live tunnel");
        assert_eq!(self.lab.engine.sa_stats(sa).expect("a live SA").sequence, self.last);
    }

    /// The slow ESP finds the packet inside, and the length is what was foretold.
    fn judge_sealed(&self, item: &Item, packet: &[u8], outcome: &Outcome) {
        let sealed = outcome.data().expect("delivered");
        let grown = self.shape.overhead(packet.len(), self.header_len(item, packet));
        assert_eq!(sealed.len(), packet.len() + grown, "{:?}", self.config);
        assert!(sealed.len() <= self.config.mtu.map_or(0xffff, usize::from));
        let opened = slow::open(&self.slow, (self.last >> 32) as u32, sealed);
        let opened = opened.unwrap_or_else(|why| panic!("{why:?}: {:?}", self.config));
        assert_eq!(opened.seq_low, self.last as u32);
        if item.dummy || self.is_empty(item, packet) {
            assert_eq!(opened.next_header, proto::NO_NEXT);
        } else {
            assert_eq!(opened.inner, packet, "{:?}", self.config);
        }
        if self.config.mode == Mode::Tunnel {
            let (inner, padding) = opened.payload_raw.split_at(packet.len());
            assert!(inner == packet && padding.iter().all(|byte| *byte == 0), "{:?}", self.config);
        }
        if self.config.mode == Mode::Transport && !item.dummy && item.recipe.is_summed() {
            self.assert_same(packet, self.header_len(item, packet), sealed);
        }
        outer::judge(&self.config, (!item.dummy).then_some(packet), sealed);
    }

    /// In transport mode the slow ESP makes the very same packet.
    fn assert_same(&self, packet: &[u8], header_len: usize, sealed: &[u8]) {
        let udp_len = if self.config.udp.is_some() { 8 } else { 0 };
        let iv = *sealed[header_len + udp_len + 8..].first_chunk().expect("an IV, or what is in its place");
        let mut same = slow::seal(&self.slow, self.last, iv, packet, 0, 0);
        if self.config.udp.is_some_and(|udp| udp.zero_checksum) {
            same[header_len + 6..header_len + 8].fill(0);
        }
        assert_eq!(sealed, same, "{:?}", self.config);
    }

    /// Our own inbound walk finds it too.
    fn judge_opened(&mut self, sent: &[(&Item, &Vec<u8>, &Outcome)]) {
        let wires = sent.iter().map(|(_, _, outcome)| outcome.data().expect("delivered"));
        let given = wires.map(|wire| Given { room: Room::new(0, wire, 0), flags: PacketFlags::NONE });
        let outcomes = self.lab.open(given.collect());
        for ((item, packet, _), outcome) in sent.iter().zip(&outcomes) {
            if item.dummy || self.is_empty(item, packet) {
                assert_eq!(outcome.verdict, Verdict::Consumed(Consumed::Dummy));
                continue;
            }
            let got = outcome.verdict.delivered().copied();
            let got = got.unwrap_or_else(|| panic!("{:?}: {:?}", outcome.verdict, self.config));
            assert_eq!((got.sa, got.tun_id), (self.inbound, 0));
            let mut opened = outcome.data().expect("delivered").to_vec();
            let mut packet = (*packet).clone();
            if self.config.mode == Mode::Transport && self.config.udp.is_some() && !item.recipe.is_summed() {
                // Behind a NAT the checksum is made anew (RFC 3948 section 3.1.2), and here it was none.
                let header_len = self.header_len(item, &packet);
                for bytes in [&mut opened, &mut packet] {
                    outer::blank_checksum(bytes, header_len, got.next_header);
                }
            }
            assert_eq!(opened, packet, "{:?}", self.config);
        }
    }

    fn judge_refused(&mut self, item: &Item, packet: &[u8], reason: DropReason, detail: usize) {
        let transport = self.config.mode == Mode::Transport;
        match reason {
            DropReason::NoRoom => self.judge_no_room(item, packet, detail),
            DropReason::TooBig => self.judge_too_big(item, packet, detail),
            DropReason::SeqOverflow => assert_eq!(self.last, self.limit),
            DropReason::Fragment => assert!(transport && item.recipe.is_fragment()),
            // Only bytes that happen to continue the chain of headers lead there.
            DropReason::ExtensionHeaders => assert!(transport && !item.recipe.is_summed()),
            other => panic!("{other:?}: {item:?} of {:?}", self.config, item = item.recipe),
        }
    }

    /// With `detail` more bytes the packet passes, and with one less it lacks one.
    fn judge_no_room(&mut self, item: &Item, packet: &[u8], detail: usize) {
        let front = self.shape.room_needed().headroom.saturating_sub(item.headroom);
        let behind = self.shape.overhead(packet.len(), self.header_len(item, packet))
            - self.shape.room_needed().headroom;
        assert_eq!(detail, front + behind.saturating_sub(item.tailroom + item.l2_padding));
        let (headroom, tailroom) = (item.headroom + front, item.tailroom + detail - front);
        let lacks_one = Verdict::Dropped { reason: DropReason::NoRoom, detail: 1 };
        if front > 0 {
            assert_eq!(self.again(item, packet, headroom - 1, tailroom), lacks_one);
        }
        if detail > front {
            assert_eq!(self.again(item, packet, headroom, tailroom - 1), lacks_one);
        }
        self.passes(item, packet, headroom, tailroom);
    }

    /// A packet of `detail` bytes passes, and one of a byte more does not.
    fn judge_too_big(&mut self, item: &Item, packet: &[u8], detail: usize) {
        assert!(packet.len() > detail, "{} bytes against {detail}", packet.len());
        let mtu = self.config.mtu.map_or(0xffff, usize::from);
        assert_eq!(self.shape.inner_mtu(mtu, self.header_len(item, packet)), detail);
        let tailroom = self.shape.room_needed().tailroom;
        if let Some(largest) = item.recipe.resized(detail) {
            self.passes(item, &largest, AMPLE, tailroom);
        }
        if let Some(larger) = item.recipe.resized(detail + 1) {
            let too_big = Verdict::Dropped { reason: DropReason::TooBig, detail: detail as u32 };
            assert_eq!(self.again(item, &larger, AMPLE, tailroom), too_big);
        }
    }

    fn passes(&mut self, item: &Item, packet: &[u8], headroom: usize, tailroom: usize) {
        match self.again(item, packet, headroom, tailroom) {
            Verdict::Delivered(_) => self.last += 1,
            Verdict::Dropped { reason: DropReason::SeqOverflow, .. } => assert_eq!(self.last, self.limit),
            other => panic!("{other:?} with {headroom} and {tailroom} bytes of room, {:?}", self.config),
        }
    }

    fn again(&mut self, item: &Item, packet: &[u8], headroom: usize, tailroom: usize) -> Verdict {
        let given = item.given(packet, headroom, tailroom);
        self.lab.seal(self.tunnel, vec![given])[0].verdict
    }

    /// Bytes that stay in front of ESP in transport mode.
    fn header_len(&self, item: &Item, packet: &[u8]) -> usize {
        self.place(item, packet).0
    }

    /// Whether transport mode makes a dummy of it because its own header says that nothing follows.
    fn is_empty(&self, item: &Item, packet: &[u8]) -> bool {
        self.config.mode == Mode::Transport && self.place(item, packet).1 == proto::NO_NEXT
    }

    /// Where ESP goes in transport mode, and what stands there.
    fn place(&self, item: &Item, packet: &[u8]) -> (usize, u8) {
        if self.config.mode == Mode::Tunnel && item.dummy {
            return (0, 0);
        }
        match Ip::parse(packet).expect("a packet") {
            Ip::V4(ip) => (ip.header_len(), ip.protocol()),
            Ip::V6(ip) => ipv6::esp_place(&ip).map_or((0, 0), |place| (place.offset, place.next_header)),
        }
    }
}

/// Keeps one input short.
const MAX_BURSTS: usize = 4;
/// More headroom than any SA needs.
const AMPLE: usize = 128;
