use super::*;
use crate::builder::{Ext, Ipv4, Ipv6, Upper, pattern, with_tail};
use crate::vectors;

const TRANSFORMS: [(SlowTransform, usize); 5] = [
    (SlowTransform::AesGcm16, 16),
    (SlowTransform::AesGcm16, 24),
    (SlowTransform::AesGcm16, 32),
    (SlowTransform::ChaCha20Poly1305, 32),
    (SlowTransform::NullHmacSha256_128, 32),
];

fn sa(transform: SlowTransform, key_len: usize) -> SlowSa {
    SlowSa {
        spi: 0x0102_0304,
        transform,
        key: pattern(key_len),
        salt: [0xca, 0xfe, 0xba, 0xbe],
        esn: false,
        mode: SlowMode::Transport,
        udp: None,
    }
}

fn gcm() -> SlowSa {
    sa(SlowTransform::AesGcm16, 16)
}

fn tunnel(src: &str, dst: &str) -> SlowMode {
    SlowMode::Tunnel { src: src.parse().expect("address"), dst: dst.parse().expect("address") }
}

fn modes() -> [SlowMode; 3] {
    [SlowMode::Transport, tunnel("192.0.2.1", "192.0.2.2"), tunnel("2001:db8::1", "2001:db8::2")]
}

#[test]
fn rfc_vectors_come_out_byte_for_byte() {
    let Some(vectors) = vectors::rfc_kat() else {
        return vectors::skipped("rfc_vectors_come_out_byte_for_byte");
    };
    let mut checked = 0;
    for v in vectors.iter().filter(|v| v.name.starts_with("gcm-esp-") || v.name == "rfc7634-A-esp") {
        let transform = match v.cipher.as_deref() {
            Some("aes-gcm") => SlowTransform::AesGcm16,
            Some("chacha20-poly1305") => SlowTransform::ChaCha20Poly1305,
            other => panic!("{}: {other:?}", v.name),
        };
        let salt = v.salt[..].try_into().expect("four bytes");
        let spi = v.spi.expect("an SPI");
        let sa = SlowSa {
            spi,
            transform,
            key: v.key.clone(),
            salt,
            esn: v.esn,
            mode: SlowMode::Transport,
            udp: None,
        };
        let plaintext = v.plaintext_with_trailer.clone().unwrap_or_else(|| {
            let (Some(next_header), Some(payload)) = (v.next_header, &v.payload) else {
                panic!("{}", v.name)
            };
            [payload.as_slice(), &trailer(payload.len(), 0, next_header)].concat()
        });
        let esp = v.esp_packet.as_ref().expect("a packet");
        let iv = v.iv[..].try_into().expect("eight bytes");
        assert_eq!(hex::encode(seal_raw(&sa, v.seq64(), iv, &plaintext)), hex::encode(esp), "{}", v.name);
        let packet = wrap_esp(&Ipv4::default().header(0, 0), None, esp);
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), &packet).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert_eq!(Some(opened.payload_raw), v.payload, "{}", v.name);
        assert_eq!((Some(opened.next_header), Some(opened.seq_low)), (v.next_header, v.seq), "{}", v.name);
        checked += 1;
    }
    assert!(checked >= 17, "only {checked} cases");
}

#[test]
fn dpdk_gcm_packets_open_and_seal_the_same() {
    let Some(vectors) = vectors::dpdk_kat() else {
        return vectors::skipped("dpdk_gcm_packets_open_and_seal_the_same");
    };
    let mut checked = 0;
    for v in vectors.iter().filter(|v| v.cipher == "aes-gcm" && v.icv_len == 16) {
        let mode = match v.output_packet[0] >> 4 {
            4 => tunnel("192.0.2.1", "192.0.2.2"),
            _ => tunnel("2001:db8::1", "2001:db8::2"),
        };
        let salt = v.salt[..].try_into().expect("four bytes");
        let key = v.key.clone();
        let sa =
            SlowSa { spi: v.spi, transform: SlowTransform::AesGcm16, key, salt, esn: v.esn, mode, udp: None };
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), &v.output_packet).unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(opened.payload_raw, v.input_packet, "{}", v.name);
        assert_eq!((opened.seq_low, Some(opened.next_header)), (v.seq, v.next_header), "{}", v.name);
        let iv = v.iv[..].try_into().expect("eight bytes");
        let sealed = seal(&sa, v.seq64(), iv, &v.input_packet, 0, 0);
        assert_eq!(sealed[v.outer_header_len..], v.output_packet[v.outer_header_len..], "{}", v.name);
        checked += 1;
    }
    assert!(checked >= 4, "only {checked} cases");
}

#[test]
fn linux_gcm_packets_open() {
    let Some(vectors) = vectors::linux_kat() else { return vectors::skipped("linux_gcm_packets_open") };
    let mut checked = 0;
    for v in vectors.iter().filter(|v| v.cipher == "aes-gcm" && v.icv_len == 16) {
        let salt = v.salt[..].try_into().expect("four bytes");
        let (spi, key, esn) = (v.spi, v.key.clone(), v.esn_hi.is_some());
        let mode = tunnel("192.0.2.1", "192.0.2.2");
        let sa = SlowSa { spi, transform: SlowTransform::AesGcm16, key, salt, esn, mode, udp: None };
        let packet = wrap_esp(&Ipv4::default().header(0, 0), None, &v.esp_packet);
        let opened =
            open(&sa, v.esn_hi.unwrap_or(0), &packet).unwrap_or_else(|why| panic!("{}: {why:?}", v.name));
        assert_eq!((opened.inner, opened.seq_low), (v.inner.clone(), v.seq), "{}", v.name);
        checked += 1;
    }
    assert!(checked >= 2, "only {checked} cases");
}

#[test]
fn what_is_sealed_opens() {
    let v4 = Ipv4 { options: vec![1; 8], tos: 0xff, ..Ipv4::default() };
    let exts = vec![Ext::HopByHop { len: 8 }, Ext::Routing { segments_left: 0 }, Ext::DestOpts { len: 16 }];
    let v6 = Ipv6 { exts, ..Ipv6::default() };
    for (transform, key_len) in TRANSFORMS {
        for (len, mode) in [0, 1, 2, 3, 46, 1400].iter().flat_map(|len| modes().map(|mode| (*len, mode))) {
            for (esn, udp) in
                [(false, None), (true, None), (false, Some((4500, 4501))), (true, Some((4500, 4501)))]
            {
                let sa = SlowSa { esn, mode, udp, ..sa(transform, key_len) };
                for packet in [v4.packet(&Upper::udp(len)), v6.packet(&Upper::tcp(len))] {
                    let sealed = seal(&sa, 0x7_0000_0009, [3; 8], &with_tail(&packet, 5), 0, 4);
                    let opened = open(&sa, 7, &sealed).expect("authentic");
                    assert_eq!((opened.inner, opened.seq_low), (packet, 9));
                    assert!((4..8).contains(&opened.pad_len));
                    assert_eq!(open(&sa, 8, &sealed).err(), esn.then_some(SlowError::BadIcv), "seq_hi");
                }
            }
        }
    }
}

#[test]
fn b11_alignment_is_to_four_bytes() {
    let sa = SlowSa { mode: tunnel("192.0.2.1", "192.0.2.2"), ..gcm() };
    let packet = Ipv4::default().packet(&Upper::udp(1446 - 28));
    assert_eq!(seal(&sa, 1, [0; 8], &packet, 0, 0).len(), 1500);
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
        let sealed = seal(&gcm(), 1, [0; 8], &packet, 0, 0);
        assert_eq!((sealed[at..at + 4].to_vec(), sealed[named_by]), (vec![1, 2, 3, 4], 50), "{exts:?}");
        assert_eq!(usize::from(sealed[4]) << 8 | usize::from(sealed[5]), sealed.len() - 40);
        assert_eq!(open(&gcm(), 0, &sealed).expect("authentic").inner, packet);
    }
}

#[test]
fn b28_tfc_is_cut_off_in_tunnel_mode() {
    let sa = SlowSa { mode: tunnel("192.0.2.1", "192.0.2.2"), ..gcm() };
    for packet in [Ipv4::default().packet(&Upper::udp(56)), Ipv6::default().packet(&Upper::udp(0))] {
        let opened = open(&sa, 0, &seal(&sa, 1, [0; 8], &packet, 100, 0)).expect("authentic");
        assert_eq!((&opened.inner, opened.payload_raw.len()), (&packet, packet.len() + 100));
    }
    let longer = [0x45, 0, 0, 22, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0];
    assert_eq!(
        open_tunnel(&[&longer[..], &trailer(21, 0, 4)].concat()).err(),
        Some(SlowError::BadInner("length"))
    );
}

fn open_tunnel(plaintext: &[u8]) -> Result<SlowOpened, SlowError> {
    let (src, dst) = ("192.0.2.1".parse().expect("address"), "192.0.2.2".parse().expect("address"));
    let sa = SlowSa { mode: SlowMode::Tunnel { src, dst }, ..gcm() };
    open(&sa, 0, &wrap_esp(&tunnel_header(src, dst), None, &seal_raw(&sa, 1, [0; 8], plaintext)))
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
    for (transform, key_len) in TRANSFORMS {
        let sa = SlowSa { esn: true, ..sa(transform, key_len) };
        let sealed = seal(&sa, 1, [0; 8], &Ipv4::default().packet(&Upper::udp(5)), 0, 0);
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
    let mut piece = seal(&gcm(), 1, [0; 8], &packet, 0, 0);
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
    let mut sealed = seal(&udp, 1, [0; 8], &packet, 0, 0);
    assert_eq!(sealed[26..28], [0, 0], "no checksum over IPv4");
    sealed[25] ^= 1;
    assert_eq!(refused(&udp, &sealed), "UDP length");
    let mut sealed = seal(&udp, 1, [0; 8], &Ipv6::default().packet(&Upper::udp(5)), 0, 0);
    assert_ne!(sealed[46..48], [0, 0], "a checksum over IPv6");
    sealed[40] ^= 1;
    assert_eq!(refused(&udp, &sealed), "UDP checksum");
    sealed[46..48].fill(0);
    assert!(open(&udp, 0, &sealed).is_ok(), "a zero checksum is none");
}
