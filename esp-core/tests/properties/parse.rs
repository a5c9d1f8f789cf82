//! Arbitrary bytes: every view of `esp-wire` says yes or no, and every walk gives a verdict.

use std::cell::RefCell;

use esp_core::{Consumed, DropReason, HandedBack, PacketFlags, Transform, TunnelId, Verdict};
use esp_testkit::builder::Room;
use esp_wire::{Ecn, EspHeader, Ip, UdpHeader, ecn, ipv4, ipv6, trailer, udp};

use crate::lab::{Given, Lab};
use crate::sas;

/// Looks at `data` as all that it could be, and offers it to the walks, behind some headroom and before some tailroom.
pub(crate) fn holds(data: &[u8]) {
    views(data);
    WALKS.with_borrow_mut(|walks| walks.take(data));
}

fn views(data: &[u8]) {
    let parsed = Ip::parse(data).ok();
    if let Some(ip) = &parsed {
        assert_eq!(ip.bytes(), &data[..ip.total_len()]);
        assert_eq!(ip.src().is_ipv4(), ip.dst().is_ipv4());
        let _ = ecn::decap(Ecn::from_tos(ip.traffic_class()), Ecn::from_tos(ip.hop_limit()));
    }
    match parsed {
        Some(Ip::V4(ip)) => {
            assert!(ip.header_len() + ip.payload().len() == ip.total_len() && ip.header_len() >= 20);
            assert!(ip.is_fragment() || ip.fragment_offset() == 0);
            let mut copy = data.to_vec();
            let fits = ipv4::patch(&mut copy, ip.header_len() as u16, ip.protocol());
            assert!(fits && ipv4::Ipv4::parse(&copy).is_ok_and(|patched| patched.checksum_ok()));
            let _ = udp::checksum_v4(ip.src(), ip.dst(), ip.payload());
        }
        Some(Ip::V6(ip)) => {
            assert_eq!(ip.payload_len() + 40, ip.total_len());
            let (upper, place) = (ipv6::find_upper(&ip), ipv6::esp_place(&ip));
            assert_eq!(upper.is_ok(), place.is_ok());
            if let (Ok(upper), Ok(place)) = (upper, place) {
                assert!(place.offset <= upper.offset && upper.offset <= ip.total_len());
                assert_eq!(data[upper.field], upper.next_header);
                assert_eq!(data[place.field], place.next_header);
            }
            let _ = udp::checksum_v6(ip.src(), ip.dst(), ip.payload());
        }
        None => {}
    }
    assert!(EspHeader::read(data).is_none_or(|header| header.write() == data[..8]));
    assert!(UdpHeader::read(data).is_none_or(|header| header.write() == data[..8]));
    if let Ok(found) = trailer::read(data) {
        let rest = &data[found.payload_len..];
        let mut same = vec![0; rest.len()];
        assert!(trailer::write(&mut same, found.next_header) && same == rest);
    }
}

/// An engine with nothing to find, and two tunnels that take anything.
struct Walks {
    lab: Lab,
    tunnels: [TunnelId; 2],
}

thread_local! {
    static WALKS: RefCell<Walks> = RefCell::new(Walks::new());
}

impl Walks {
    fn new() -> Self {
        let lab = Lab::new(4);
        let configs = [sas::tunnel(TRANSFORM, false), sas::transport(TRANSFORM)];
        let tunnels = configs.map(|config| lab.engine.install_outbound(&config).expect("a legal SA"));
        Self { lab, tunnels }
    }

    fn take(&mut self, data: &[u8]) {
        let given = || Given { room: Room::new(64, data, 64), flags: PacketFlags::NONE };
        let is_ip = Ip::parse(data).is_ok();
        match self.lab.open(vec![given()])[0].verdict {
            Verdict::Dropped { reason: DropReason::Malformed, .. } => {}
            Verdict::Dropped {
                reason:
                    DropReason::ExtensionHeaders | DropReason::Fragment | DropReason::TooShort | DropReason::NoSa,
                ..
            }
            | Verdict::Consumed(Consumed::Keepalive)
            | Verdict::HandedBack(HandedBack::Ike | HandedBack::NotEsp) => assert!(is_ip),
            other => panic!("an engine without SAs says {other:?}"),
        }
        for tunnel in self.tunnels {
            match self.lab.seal(tunnel, vec![given()])[0].verdict {
                Verdict::Dropped { reason: DropReason::Malformed, .. } => assert!(!is_ip),
                Verdict::Delivered(_)
                | Verdict::Dropped {
                    reason:
                        DropReason::ExtensionHeaders
                        | DropReason::Fragment
                        | DropReason::TooBig
                        | DropReason::Loop,
                    ..
                } => assert!(is_ip),
                other => panic!("with room enough, sealing says {other:?}"),
            }
        }
    }
}

const TRANSFORM: Transform = Transform::Aes128Gcm16;
