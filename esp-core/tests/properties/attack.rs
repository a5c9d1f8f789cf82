//! Packets from the network, made to deceive.

use esp_core::PacketFlags;
use esp_core::config::Mode;
use esp_testkit::builder::{Ext, Ipv4, Ipv6};
use esp_testkit::slow;

use crate::bytes::{Bytes, noise};
use crate::inner::Recipe;
use crate::sas::UDP_PORT;
use crate::targets::Target;

/// One packet on the wire, and what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attack {
    pub(crate) wire: Vec<u8>,
    pub(crate) flags: PacketFlags,
    /// What was sealed in it, and where in `wire` that stands enciphered; empty if nothing was.
    pub(crate) plaintext: Vec<u8>,
    pub(crate) plaintext_at: usize,
    /// An honest peer sent it with this number, and nobody touched it: (target, number).
    pub(crate) honest: Option<(usize, u64)>,
}

impl Attack {
    /// The next packet of the program; `earlier` are those before it.
    pub(crate) fn read(bytes: &mut Bytes<'_>, targets: &mut [Target], earlier: &[Attack]) -> Self {
        let kind = bytes.next();
        let mut attack = match kind % 16 {
            0..12 => sealed(bytes, targets, kind % 16 < 7),
            12 if !earlier.is_empty() => bytes.pick(earlier),
            13 => plain(bytes),
            14 => Self { wire: Recipe::read(bytes).brief().packet(), ..Self::default() },
            _ => Self { wire: bytes.take(usize::from(kind)).to_vec(), ..Self::default() },
        };
        if kind >> 4 == 1 {
            attack.flags =
                [PacketFlags::GSO, PacketFlags::SHARED, PacketFlags::SEGMENTED, PacketFlags::DUMMY]
                    [bytes.below(4)];
            attack.honest = None;
        }
        if kind >> 4 > 8 {
            attack.damage(bytes);
        }
        attack
    }

    /// Changes, cuts or lengthens the packet.
    fn damage(&mut self, bytes: &mut Bytes<'_>) {
        for _ in 0..1 + bytes.below(3) {
            let len = self.wire.len().max(1);
            match bytes.next() % 8 {
                0 => self.wire.truncate(bytes.below(len)),
                1 => self.wire.extend(noise(1, bytes.below(64))),
                2 => {
                    // The length fields at the front are where the walks look first.
                    let at = bytes.below(64).min(len - 1);
                    self.set(at, |_| bytes.next());
                }
                3 => {
                    let at = len - 1 - bytes.below(24).min(len - 1);
                    self.set(at, |byte| byte ^ bytes.next());
                }
                _ => {
                    let at = bytes.below(len);
                    self.set(at, |byte| byte ^ 1 << (bytes.next() % 8));
                }
            }
        }
        self.honest = None;
    }

    fn set(&mut self, at: usize, change: impl FnOnce(u8) -> u8) {
        if let Some(byte) = self.wire.get_mut(at) {
            *byte = change(*byte);
        }
    }
}

/// An authentic packet of one of the targets, or of one whose key is another.
fn sealed(bytes: &mut Bytes<'_>, targets: &mut [Target], honest: bool) -> Attack {
    let at = bytes.below(targets.len());
    let seq = number(bytes, &mut targets[at]);
    let target = &targets[at];
    let plaintext = if honest { proper(bytes, target) } else { wicked(bytes, target) };
    let mut sa = target.slow.clone();
    if bytes.one_in(16) {
        sa.key[0] ^= 1;
    }
    let esp = slow::seal_raw(&sa, seq, noise(seq, 16).try_into().expect("16 bytes"), &plaintext);
    let odd = bytes.one_in(4);
    let headers = if odd { odd_headers(bytes, target) } else { headers(target) };
    if odd && bytes.one_in(4) {
        sa.udp = if sa.udp.is_some() { None } else { Some((UDP_PORT, UDP_PORT)) };
    }
    let iv_len = target.config.transform.iv_len();
    Attack {
        plaintext_at: headers.len() + if sa.udp.is_some() { 8 } else { 0 } + 8 + iv_len,
        wire: slow::wrap_esp(&headers, sa.udp, &esp),
        plaintext,
        flags: PacketFlags::NONE,
        honest: (honest && !odd && sa.key == target.slow.key).then_some((at, seq)),
    }
}

/// The next number in turn, or one from where windows go wrong.
fn number(bytes: &mut Bytes<'_>, target: &mut Target) -> u64 {
    let next = target.sent.wrapping_add(1);
    let seq = match bytes.next() {
        0..160 => next,
        160..190 => target.sent.wrapping_sub(u64::from(bytes.next())),
        190..210 => next.wrapping_add(u64::from(bytes.next())),
        210..220 => next.wrapping_add(u64::from(bytes.short())),
        220..230 => target.sent.wrapping_sub(u64::from(bytes.short())),
        230..235 => next.wrapping_add(1 << 32),
        235..240 => next.wrapping_add((1 << 32) - u64::from(bytes.next())),
        240..245 => u64::from(bytes.next()) << 32,
        _ => bytes.long(),
    };
    if seq > target.sent && seq - target.sent < 1 << 31 {
        target.sent = seq;
    }
    seq
}

/// A plaintext as an honest peer makes it.
fn proper(bytes: &mut Bytes<'_>, target: &Target) -> Vec<u8> {
    let (mut plaintext, next_header) = payload(bytes, target);
    if bytes.one_in(8) && target.config.mode == Mode::Tunnel {
        plaintext.extend(noise(2, usize::from(bytes.next())));
    }
    let next_header = if bytes.one_in(16) { 59 } else { next_header };
    let pad_extra = if bytes.one_in(8) { bytes.below(15) * 16 } else { 0 };
    let align = target.slow.transform.align();
    plaintext.extend(slow::trailer(align, plaintext.len(), pad_extra, next_header));
    plaintext
}

/// A plaintext that whoever holds the key could make.
fn wicked(bytes: &mut Bytes<'_>, target: &Target) -> Vec<u8> {
    let (mut plaintext, next_header) = payload(bytes, target);
    let next_header = bytes.pick(&[next_header, next_header, 4, 41, 59, 50, 17, 6, 0, 43, 44, 60, 255]);
    match bytes.next() % 8 {
        0 => plaintext.truncate(bytes.below(plaintext.len().max(1))),
        1 => plaintext = bytes.some(64).to_vec(),
        2 | 3 => {
            for _ in 0..1 + bytes.below(3) {
                let at = bytes.below(64).min(plaintext.len().max(1) - 1);
                if let Some(byte) = plaintext.get_mut(at) {
                    *byte = bytes.next();
                }
            }
        }
        _ => {}
    }
    match bytes.next() % 8 {
        0 => plaintext.extend(bytes.take(6)),
        1 => plaintext.extend([bytes.next(), next_header]),
        2 => {
            let pad_len = bytes.next();
            plaintext.extend((1..=pad_len).chain([pad_len, next_header]));
            let last = plaintext.len() - 1;
            plaintext[last - bytes.below(last.min(40) + 1)] ^= 1 << (bytes.next() % 8);
        }
        3 => plaintext.extend([0; 9].iter().chain(&[9, next_header])),
        4 => plaintext.extend([1, 2, bytes.next(), next_header]),
        _ => plaintext.extend(slow::trailer(target.slow.transform.align(), plaintext.len(), 0, next_header)),
    }
    plaintext
}

/// What ESP carries: an IP packet in tunnel mode, what is behind the IP header in transport mode.
fn payload(bytes: &mut Bytes<'_>, target: &Target) -> (Vec<u8>, u8) {
    if target.config.mode == Mode::Tunnel {
        let v6 = bytes.one_in(3);
        let packet = Recipe::of_family(bytes, v6).brief().packet();
        return (packet, if v6 { 41 } else { 4 });
    }
    let len = usize::from(bytes.next());
    let protocol = bytes.pick(&[17, 6, 1, 58, 253, 4, 60]);
    (noise(u64::from(bytes.next()), len), protocol)
}

fn headers(target: &Target) -> Vec<u8> {
    slow::tunnel_header(target.config.src.expect("src"), target.config.dst.expect("dst"))
}

/// Outer headers that ESP can come behind, but does not from this peer: options, extension headers, ECN marks,
/// fragments, other addresses, the other family.
fn odd_headers(bytes: &mut Bytes<'_>, target: &Target) -> Vec<u8> {
    let v6 = if bytes.one_in(8) { !target.v6 } else { target.v6 };
    let host = bytes.pick(&[1, 1, 1, 2, 3]);
    if v6 {
        let base = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let address = |host| [&base[..], &[host]].concat().try_into().expect("16 bytes");
        let mut header = Ipv6 { src: address(host), dst: address(2), ..Ipv6::default() };
        header.traffic_class = bytes.next();
        for place in 0..bytes.below(4) {
            header.exts.push(match bytes.next() % 8 {
                0..3 if place == 0 => Ext::HopByHop { len: 8 * (1 + bytes.below(4)) },
                0..4 => Ext::DestOpts { len: 8 * (1 + bytes.below(20)) },
                4 => Ext::Routing { segments_left: 0 },
                5 | 6 => Ext::Fragment { offset: 0, more: false, id: 1 },
                _ => Ext::Fragment { offset: bytes.short() & 1, more: bytes.flag(), id: 1 },
            });
        }
        return header.header(50, 0);
    }
    let mut header =
        Ipv4 { src: [192, 0, 2, host], dst: [192, 0, 2, 2], tos: bytes.next(), ..Ipv4::default() };
    let what = bytes.next();
    header.options = vec![1; 4 * usize::from(what % 11)];
    (header.mf, header.frag_offset) = (what >> 4 == 1, u16::from(what >> 4 == 2));
    header.header(50, 0)
}

/// What else comes to the port of UDP-encapsulated ESP, and ESP too short to be any.
fn plain(bytes: &mut Bytes<'_>) -> Attack {
    let (src, dst) = if bytes.flag() { ("2001:db8::1", "2001:db8::2") } else { ("192.0.2.1", "192.0.2.2") };
    let headers = slow::tunnel_header(src.parse().expect("src"), dst.parse().expect("dst"));
    let udp = bytes.flag().then_some((bytes.short(), if bytes.one_in(8) { 500 } else { UDP_PORT }));
    let esp = match bytes.next() % 4 {
        0 => vec![0xff; bytes.pick(&[1, 1, 2, 12])],
        1 => [&[0; 4], bytes.take(40)].concat(),
        2 => [&0x1000_u32.to_be_bytes(), bytes.take(40)].concat(),
        _ => bytes.some(256).to_vec(),
    };
    Attack { wire: slow::wrap_esp(&headers, udp, &esp), ..Attack::default() }
}
