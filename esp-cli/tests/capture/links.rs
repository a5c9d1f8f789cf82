//! Every link type there and back, and what is not looked up as ESP.

use esp_testkit::builder::{Ipv4, Ipv6, Upper};

use super::support::{Dir, Pcap};
use super::{comes_back, packets, tagged, tunnel};

/// The packet behind layer 2 of a link type.
fn framed(link: u32, packet: &[u8]) -> Vec<u8> {
    let v6 = packet[0] >> 4 == 6;
    let ether_type = if v6 { [0x86, 0xdd] } else { [0x08, 0x00] };
    let family: u32 = if v6 { 24 } else { 2 };
    let l2 = match link {
        0 => family.to_le_bytes().to_vec(),
        108 => family.to_be_bytes().to_vec(),
        113 => [&[0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0][..], &ether_type].concat(),
        276 => [&ether_type[..], &[0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]].concat(),
        _ => Vec::new(),
    };
    [&l2, packet].concat()
}

#[test]
fn every_link_type_comes_back() {
    for link in [0, 108, 113, 276] {
        let before = Pcap::new(link, packets().iter().map(|packet| framed(link, packet)));
        for outer in [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")] {
            let v6 = outer.0.contains(':');
            let dir = Dir::new("links");
            dir.write_sa("sa.toml", &tunnel(outer.0, outer.1));
            dir.write("clear", before.bytes());
            dir.esp("seal --sa sa.toml clear sealed").ended(0);
            dir.esp("open --sa sa.toml sealed opened").ended(0);
            let (sealed, opened) = (dir.read("sealed"), dir.read("opened"));
            let family = |packet: &[u8]| framed(link, packet);
            for frame in sealed.frames() {
                let l2_len = family(&[0x45]).len() - 1;
                assert_eq!(frame[l2_len] >> 4, if v6 { 6 } else { 4 });
                let l2 = family(&frame[l2_len..]);
                // A null header that changes its family takes a number that all readers know.
                let any = [0, 108].contains(&link) && v6;
                assert!(any || frame == l2, "{frame:x?}");
            }
            let versions = |pcap: &Pcap| pcap.frames().iter().map(|frame| frame.to_vec()).collect::<Vec<_>>();
            if link == 113 || link == 276 {
                assert_eq!(versions(&opened), versions(&before));
            } else {
                let behind =
                    |pcap: &Pcap| pcap.frames().iter().map(|frame| frame[4..].to_vec()).collect::<Vec<_>>();
                assert_eq!(behind(&opened), behind(&before));
            }
        }
    }
}

#[test]
fn the_old_tag_of_qinq_is_a_tag() {
    let before = Pcap::new(1, packets().iter().map(|packet| tagged(&[0x9100, 0x8100], packet)));
    comes_back("old-qinq", &tunnel("192.0.2.1", "192.0.2.2"), &before);
}

#[test]
fn b98_ah_is_not_looked_up_as_esp() {
    // Next header 4, length, reserved, an SPI that an SA has, a number, an ICV of twelve bytes.
    let ah = [&[4, 4, 0, 0, 0, 0, 0x10, 0x01, 0, 0, 0, 1][..], &[0xab; 12], &[0x45; 20]].concat();
    let v4 = Ipv4::default().packet(&Upper::Raw { protocol: 51, bytes: ah.clone() });
    let v6 = Ipv6::default().packet(&Upper::Raw { protocol: 51, bytes: ah });
    let dir = Dir::new("ah");
    dir.write_sa("sa.toml", &tunnel("192.0.2.1", "192.0.2.2"));
    let before = Pcap::new(101, [v4, v6]);
    dir.write("ah.pcap", before.bytes());
    let summary = dir.esp("open --sa sa.toml --json ah.pcap out.pcap").json(0);
    assert_eq!((&summary["others_by_kind"]["not_esp"], &summary["passed"]), (&2.into(), &2.into()));
    assert_eq!(summary["sas"][0]["packets"], 0);
    assert_eq!(dir.read("out.pcap").frames(), before.frames());
}
