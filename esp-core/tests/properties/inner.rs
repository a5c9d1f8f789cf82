//! Packets to protect, well formed and of every kind.

use esp_testkit::builder::{Ext, Ipv4, Ipv6, Upper};

use crate::bytes::{Bytes, noise};

/// A packet whose length can be changed without changing anything else.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    header: Header,
    upper: Kind,
    seed: u64,
    len: usize,
}

#[derive(Clone, Debug)]
enum Header {
    V4(Ipv4),
    V6(Ipv6),
    /// No packet, only bytes: what a dummy packet in tunnel mode may carry.
    None,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Udp,
    Tcp,
    Icmp,
    Raw(u8),
}

impl Recipe {
    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Self {
        let v6 = bytes.flag();
        Self::of_family(bytes, v6)
    }

    pub(crate) fn of_family(bytes: &mut Bytes<'_>, v6: bool) -> Self {
        let header = if v6 { Header::V6(ipv6(bytes)) } else { Header::V4(ipv4(bytes)) };
        let upper = match bytes.next() % 8 {
            0..3 => Kind::Udp,
            3 | 4 => Kind::Tcp,
            5 => Kind::Icmp,
            _ => Kind::Raw(bytes.pick(&[253, 6, 17, 50, 4, 41, 59, 58, 60, 255])),
        };
        let len = match bytes.next() {
            len @ 0..=200 => usize::from(len),
            201..=250 => usize::from(bytes.short() % 2000),
            _ => usize::from(bytes.short()),
        };
        let mut recipe = Self { header, upper, seed: u64::from(bytes.short()), len: 0 };
        recipe.len = len.min(recipe.most());
        recipe
    }

    /// Bytes that are no packet.
    pub(crate) fn bare(bytes: &mut Bytes<'_>) -> Self {
        let len = usize::from(bytes.short()) % 1600;
        Self { header: Header::None, upper: Kind::Raw(0), seed: u64::from(bytes.next()), len }
    }

    /// Short enough to be wrapped a few times.
    pub(crate) fn brief(mut self) -> Self {
        self.len = self.len.min(1600);
        self
    }

    pub(crate) fn packet(&self) -> Vec<u8> {
        self.with_len(self.len)
    }

    /// The packet of `total` bytes in all; `None` if it would be shorter than its headers or longer than can be.
    pub(crate) fn resized(&self, total: usize) -> Option<Vec<u8>> {
        let len = total.checked_sub(self.with_len(0).len()).filter(|len| *len <= self.most())?;
        Some(self.with_len(len))
    }

    /// Whether the packet is a fragment.
    pub(crate) fn is_fragment(&self) -> bool {
        match &self.header {
            Header::V4(header) => header.mf || header.frag_offset > 0,
            Header::V6(header) => header
                .exts
                .iter()
                .any(|ext| matches!(ext, Ext::Fragment { offset, more, .. } if *offset > 0 || *more)),
            Header::None => false,
        }
    }

    /// Whether a transport checksum in the packet is a right one.
    pub(crate) fn is_summed(&self) -> bool {
        !matches!(self.upper, Kind::Raw(_))
    }

    fn with_len(&self, len: usize) -> Vec<u8> {
        let upper = match self.upper {
            Kind::Udp => Upper::udp(len),
            Kind::Tcp => Upper::tcp(len),
            Kind::Icmp => Upper::Icmp { len },
            Kind::Raw(protocol) => Upper::Raw { protocol, bytes: noise(self.seed, len) },
        };
        match &self.header {
            Header::V4(header) => header.packet(&upper),
            Header::V6(header) => header.packet(&upper),
            Header::None => noise(self.seed, len),
        }
    }

    /// Most bytes behind the headers: what the length fields hold.
    fn most(&self) -> usize {
        let headers = self.with_len(0).len();
        match &self.header {
            Header::V4(_) | Header::None => 0xffff - headers,
            Header::V6(_) => 0xffff + 40 - headers,
        }
    }
}

fn ipv4(bytes: &mut Bytes<'_>) -> Ipv4 {
    let mut header = Ipv4 { tos: bytes.next(), id: bytes.short(), ..Ipv4::default() };
    let what = bytes.next();
    header.df = what & 1 != 0;
    header.ttl = if what & 2 != 0 { 1 } else { 64 };
    if what & 0x0c == 0x0c {
        header.options = vec![1; 4 * (1 + usize::from(what >> 4) % 10)];
    }
    if what >> 4 == 15 {
        (header.mf, header.frag_offset) = (bytes.flag(), bytes.short() & 0x1fff);
    }
    header.src[3] = bytes.next();
    header
}

fn ipv6(bytes: &mut Bytes<'_>) -> Ipv6 {
    let mut header = Ipv6 { traffic_class: bytes.next(), ..Ipv6::default() };
    header.flow_label = u32::from(bytes.short()) << 4;
    header.src[15] = bytes.next();
    for place in 0..bytes.next() % 4 {
        header.exts.push(match bytes.next() % 8 {
            0 if place == 0 => Ext::HopByHop { len: 8 },
            0..4 => Ext::DestOpts { len: 8 * (1 + bytes.below(4)) },
            4 | 5 => Ext::Routing { segments_left: bytes.next() % 2 },
            6 => Ext::Fragment { offset: 0, more: false, id: 7 },
            _ => Ext::Fragment { offset: bytes.short() & 0x1fff, more: bytes.flag(), id: 7 },
        });
    }
    header
}
