mod kat;

use super::*;
use crate::builder::{Ext, Ipv4, Ipv6, Upper, pattern, with_tail};

/// Every name there is.
fn names() -> Vec<String> {
    let bits = ["128", "192", "256"];
    let combined =
        ["gcm-16", "gcm-12", "gcm-8", "ccm-16", "ccm-12", "ccm-8", "gmac", "gcm-16-iiv", "ccm-8-iiv"];
    let macs = [
        "hmac-sha1-96",
        "hmac-sha256-128",
        "hmac-sha256-96",
        "hmac-sha384-192",
        "hmac-sha512-256",
        "hmac-md5-96",
        "aes-xcbc-96",
        "aes-cmac-96",
        "none",
    ];
    let aes = |mode: &str| bits.map(|bits| format!("aes-{bits}-{mode}"));
    let ciphers: Vec<_> = ["cbc", "ctr"].into_iter().flat_map(aes).collect();
    let others = ["null", "3des-cbc", "des-cbc"].map(str::to_owned);
    let separate = ciphers.into_iter().chain(others);
    let separate = separate.flat_map(|cipher| macs.map(|mac| format!("{cipher}-{mac}")));
    let chacha = ["chacha20-poly1305", "chacha20-poly1305-iiv"].map(str::to_owned);
    combined.into_iter().flat_map(aes).chain(separate).chain(chacha).collect()
}

fn transforms() -> impl Iterator<Item = SlowTransform> {
    names().into_iter().map(|name| named(&name))
}

#[track_caller]
fn named(name: &str) -> SlowTransform {
    SlowTransform::named(name).unwrap_or_else(|| panic!("no transform {name}"))
}

fn sa(transform: SlowTransform) -> SlowSa {
    let (spi, key) = (0x0102_0304, pattern(transform.key_len()));
    SlowSa { spi, transform, key, esn: false, mode: SlowMode::Transport, udp: None }
}

fn gcm() -> SlowSa {
    sa(SlowTransform::AES_128_GCM_16)
}

fn tunnel(src: &str, dst: &str) -> SlowMode {
    SlowMode::Tunnel { src: src.parse().expect("address"), dst: dst.parse().expect("address") }
}

fn modes() -> [SlowMode; 3] {
    [SlowMode::Transport, tunnel("192.0.2.1", "192.0.2.2"), tunnel("2001:db8::1", "2001:db8::2")]
}

#[test]
fn what_is_sealed_opens() {
    let v4 = Ipv4 { options: vec![1; 8], tos: 0xff, ..Ipv4::default() };
    let exts = vec![Ext::HopByHop { len: 8 }, Ext::Routing { segments_left: 0 }, Ext::DestOpts { len: 16 }];
    let v6 = Ipv6 { exts, ..Ipv6::default() };
    for transform in transforms() {
        for (len, mode) in [0, 1, 2, 3, 46, 1400].iter().flat_map(|len| modes().map(|mode| (*len, mode))) {
            for (esn, udp) in
                [(false, None), (true, None), (false, Some((4500, 4501))), (true, Some((4500, 4501)))]
            {
                let sa = SlowSa { esn, mode, udp, ..sa(transform) };
                for packet in [v4.packet(&Upper::udp(len)), v6.packet(&Upper::tcp(len))] {
                    let sealed = seal(&sa, 0x7_0000_0009, [3; 16], &with_tail(&packet, 5), 0, 4);
                    let opened = open(&sa, 7, &sealed).expect("authentic");
                    assert_eq!((opened.inner, opened.seq_low), (packet, 9));
                    let align = u8::try_from(transform.align()).expect("at most 16");
                    assert!((align..2 * align).contains(&opened.pad_len), "{transform:?}");
                    let noticed = esn && transform.icv_len() > 0;
                    assert_eq!(open(&sa, 8, &sealed).err(), noticed.then_some(SlowError::BadIcv), "seq_hi");
                }
            }
        }
    }
}

#[test]
fn b11_alignment_is_to_four_bytes() {
    let sa = SlowSa { mode: tunnel("192.0.2.1", "192.0.2.2"), ..gcm() };
    let packet = Ipv4::default().packet(&Upper::udp(1446 - 28));
    assert_eq!(seal(&sa, 1, [0; 16], &packet, 0, 0).len(), 1500);
}

#[test]
fn b29_ipv6_transport_stands_behind_the_right_header() {
    let fragment = Ext::Fragment { offset: 0, more: false, id: 1 };
    let (hop, routing, dest) =
        (Ext::HopByHop { len: 8 }, Ext::Routing { segments_left: 0 }, Ext::DestOpts { len: 8 });
    for (exts, at, named_by) in [
        (vec![], 40, 6),
        (vec![dest], 40, 6),
        (vec![hop], 48, 40),
        (vec![hop, dest], 48, 40),
        (vec![hop, dest, routing], 80, 56),
        (vec![hop, dest, routing, fragment, dest], 88, 80),
    ] {
        let packet = Ipv6 { exts: exts.clone(), ..Ipv6::default() }.packet(&Upper::udp(7));
        let sealed = seal(&gcm(), 1, [0; 16], &packet, 0, 0);
        assert_eq!((sealed[at..at + 4].to_vec(), sealed[named_by]), (vec![1, 2, 3, 4], 50), "{exts:?}");
        assert_eq!(usize::from(sealed[4]) << 8 | usize::from(sealed[5]), sealed.len() - 40);
        assert_eq!(open(&gcm(), 0, &sealed).expect("authentic").inner, packet);
    }
}

#[test]
fn b28_tfc_is_cut_off_in_tunnel_mode() {
    let sa = SlowSa { mode: tunnel("192.0.2.1", "192.0.2.2"), ..gcm() };
    for packet in [Ipv4::default().packet(&Upper::udp(56)), Ipv6::default().packet(&Upper::udp(0))] {
        let opened = open(&sa, 0, &seal(&sa, 1, [0; 16], &packet, 100, 0)).expect("authentic");
        assert_eq!((&opened.inner, opened.payload_raw.len()), (&packet, packet.len() + 100));
    }
    let longer = [0x45, 0, 0, 22, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0];
    assert_eq!(
        open_tunnel(&[&longer[..], &trailer(4, 21, 0, 4)].concat()).err(),
        Some(SlowError::BadInner("length"))
    );
}

fn open_tunnel(plaintext: &[u8]) -> Result<SlowOpened, SlowError> {
    let (src, dst) = ("192.0.2.1".parse().expect("address"), "192.0.2.2".parse().expect("address"));
    let sa = SlowSa { mode: SlowMode::Tunnel { src, dst }, ..gcm() };
    open(&sa, 0, &wrap_esp(&tunnel_header(src, dst), None, &seal_raw(&sa, 1, [0; 16], plaintext)))
}

#[test]
fn wicked_trailers_are_told_apart() {
    assert_eq!(open_tunnel(&[]).err(), Some(SlowError::TooShort));
    assert_eq!(open_tunnel(&[4]).err(), Some(SlowError::TooShort));
    assert_eq!(open_tunnel(&[0; 30].map(|_| 0xff)).err(), Some(SlowError::BadPadLen));
    assert_eq!(open_tunnel(&[1, 2, 4, 3, 59]).err(), Some(SlowError::BadPadding));
    assert!(open_tunnel(&[1, 2, 2, 59]).expect("a dummy").inner.is_empty());
    assert_eq!(open_tunnel(&[1, 2, 2, 17]).err(), Some(SlowError::BadInner("next header and version")));
    assert_eq!(open_tunnel(&[0x60, 1, 1, 4]).err(), Some(SlowError::BadInner("next header and version")));
}

#[test]
fn every_byte_under_the_icv_counts() {
    for transform in transforms().filter(|transform| transform.icv_len() > 0) {
        let sa = SlowSa { esn: true, ..sa(transform) };
        let sealed = seal(&sa, 1, [0; 16], &Ipv4::default().packet(&Upper::udp(5)), 0, 0);
        for at in 20..sealed.len() {
            let mut forged = sealed.clone();
            forged[at] ^= 0x10;
            let why = if at < 24 { SlowError::OtherSpi } else { SlowError::BadIcv };
            assert_eq!(open(&sa, 0, &forged).err(), Some(why), "{transform:?}, byte {at}");
        }
        for len in 20..sealed.len() {
            let cut = wrap_esp(&sealed[..20], None, &sealed[20..len]);
            assert!(
                matches!(open(&sa, 0, &cut).err(), Some(SlowError::BadIcv | SlowError::TooShort)),
                "{len}"
            );
        }
    }
}

#[test]
fn outer_headers_are_judged() {
    let packet = Ipv4::default().packet(&Upper::udp(5));
    let refused = |sa: &SlowSa, sealed: &[u8]| match open(sa, 0, sealed) {
        Err(SlowError::NotEsp(why)) => why,
        other => panic!("{other:?}"),
    };
    let mut piece = seal(&gcm(), 1, [0; 16], &packet, 0, 0);
    assert_eq!(refused(&gcm(), &piece[..piece.len() - 1]), "IP header or length");
    assert_eq!(refused(&gcm(), &packet), "protocol is not ESP");
    piece[6] = 0x20;
    assert_eq!(refused(&gcm(), &piece), "fragment");
    for (offset, more) in [(0, true), (1, false)] {
        let exts = vec![Ext::Fragment { offset, more, id: 1 }];
        let piece = Ipv6 { exts, ..Ipv6::default() }.packet(&Upper::Raw { protocol: 50, bytes: pattern(40) });
        assert_eq!(refused(&gcm(), &piece), "fragment");
    }
    let udp = SlowSa { udp: Some((4500, 4500)), ..gcm() };
    let mut sealed = seal(&udp, 1, [0; 16], &packet, 0, 0);
    assert_eq!(sealed[26..28], [0, 0], "no checksum over IPv4");
    sealed[25] ^= 1;
    assert_eq!(refused(&udp, &sealed), "UDP length");
    let mut sealed = seal(&udp, 1, [0; 16], &Ipv6::default().packet(&Upper::udp(5)), 0, 0);
    assert_ne!(sealed[46..48], [0, 0], "a checksum over IPv6");
    sealed[40] ^= 1;
    assert_eq!(refused(&udp, &sealed), "UDP checksum");
    sealed[46..48].fill(0);
    assert!(open(&udp, 0, &sealed).is_ok(), "a zero checksum is none");
}
