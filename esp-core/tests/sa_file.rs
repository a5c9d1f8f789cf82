//! What is written is read back, and a check goes on behind the first fault.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use esp_core::Transform;
use esp_core::config::{
    CheckOuter, Df, Direction, Dscp, EcnMode, FlowLabel, KeySource, Lookup, Mode, PortRange, Prefix,
    ReplayWindow, SaConfig, SaFile, Secret, Selector, UdpEncap,
};
use esp_crypto::{Cipher, CipherSpec, Integrity, IntegritySpec, Iv};
use proptest::prelude::*;
use proptest::{collection, option, sample};

const REFERENCE: &str = include_str!("../../docs/sa-file.md");

proptest! {
    #[test]
    fn files_are_read_as_they_were_written(mut sas in collection::vec(any_sa(), 0..6)) {
        for (index, sa) in sas.iter_mut().enumerate() {
            sa.spi = sa.spi.saturating_sub(8).max(256) + u32::try_from(index)?; // no two alike
            sa.name = sa.name.take().map(|name| format!("{index}{name}"));
        }
        let text = SaFile::write(&sas);
        let read = SaFile::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read.len(), sas.len());
        for (read, written) in read.iter().zip(&sas) {
            prop_assert_eq!(format!("{read:?}"), format!("{written:?}"));
            prop_assert_eq!(read.key.expose(), written.key.expose());
        }
        prop_assert_eq!(&SaFile::write(&read), &text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\[\\[sa\\]\\]|[a-z_]{1,9} = |[0-9a-f\"\\[\\]{}.#\\n -]){0,60}") {
        let (sas, faults) = SaFile::check(&text);
        prop_assert_eq!(SaFile::parse(&text).is_ok(), faults.is_empty());
        prop_assert!(sas.iter().all(|(line, _)| (1..=text.lines().count()).contains(line)));
    }
}

#[test]
fn a_check_finds_every_fault_and_every_sound_sa() {
    let sound = "[[sa]]\ndirection = 'outbound'\nspi = 0x1001\ntransform = 'null-hmac-sha256-128'\nkey = '"
        .to_owned()
        + &"1f".repeat(32)
        + "'\nmode = 'transport'\n";
    let text = [
        sound.clone(),
        sound.replace("0x1001", "255"),
        sound.replace("'transport'", "'tunnel'"),
        sound.replace("1f'", "1'") + "mtu = 5\n",
        sound.replace("outbound", "inbound"),
        sound.replace("outbound", "inbound"),
    ]
    .concat();
    let (sas, faults) = SaFile::check(&text);
    assert_eq!(sas.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 26]);
    let faults: Vec<_> = faults.iter().map(|fault| (fault.line(), fault.sa(), fault.field())).collect();
    let field = |line, sa, name| (line, Some(sa), Some(name));
    assert_eq!(faults, [field(9, 2, "spi"), field(13, 3, "src"), field(23, 4, "key"), field(34, 6, "spi")]);
    assert_eq!(SaFile::parse(&text).unwrap_err().line(), 9, "the first");
}

#[test]
fn fields_of_the_other_direction_or_mode_are_refused_at_their_defaults_too() {
    let base =
        "[[sa]]\nspi = 0x1001\ntransform = 'null-hmac-sha256-128'\nkey = '".to_owned() + &"1f".repeat(32);
    let sa = |direction: &str, mode: &str, more: &str| {
        let addresses = "src = '192.0.2.1'\ndst = '192.0.2.2'\n";
        let text = format!("{base}'\ndirection = '{direction}'\nmode = '{mode}'\n{addresses}{more}\n");
        SaFile::parse(&text).map_err(|error| error.to_string())
    };
    let refused = [
        ("outbound", "tunnel", "replay_window = 64", "for inbound SAs only"),
        ("outbound", "tunnel", "lookup = 'spi'", "for inbound SAs only"),
        ("outbound", "tunnel", "check_outer = 'none'", "for inbound SAs only"),
        ("inbound", "tunnel", "ttl = 64", "for outbound SAs only"),
        ("inbound", "tunnel", "dscp = 'copy'", "for outbound SAs only"),
        ("inbound", "tunnel", "df = 'copy'", "for outbound SAs only"),
        ("inbound", "tunnel", "flow_label = 'copy'", "for outbound SAs only"),
        ("outbound", "transport", "ttl = 64", "for tunnel mode only"),
        ("inbound", "transport", "ecn = 'normal'", "for tunnel mode only"),
    ];
    for (direction, mode, more, legal) in refused {
        let error = sa(direction, mode, more).expect_err(more);
        assert!(error.contains("line 9, column") && error.contains(legal), "{error}");
    }
    assert_eq!(sa("outbound", "tunnel", "ecn = 'normal'").unwrap().len(), 1);
}

#[test]
fn an_outbound_sa_may_say_what_it_is_for() {
    let (src, dst) = ("10.1.0.0/16".parse().unwrap(), "10.2.0.7".parse().unwrap());
    let mut packet =
        [0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 1, 9, 9, 10, 2, 0, 7, 0, 53, 4, 0, 0, 8, 0, 0];
    let plain = Selector { src, dst, protocol: None, src_port: None, dst_port: None };
    let exact = Selector {
        protocol: Some(17),
        src_port: Some(53.into()),
        dst_port: Some(1024.into()),
        ..plain.clone()
    };
    for selector in [&plain, &exact] {
        assert!(selector.matches(&packet));
        assert!(!selector.matches(&packet[..19]), "no whole header");
        assert!(!selector.matches(b""));
    }
    packet[6] = 1; // a later fragment has no ports
    assert!(plain.matches(&packet) && !exact.matches(&packet));
    packet[19] = 8;
    assert!(!plain.matches(&packet));

    let mut sa = SaConfig::new(Direction::Outbound, 0x1001, Transform::Aes128Gcm16, [1; 20], Mode::Transport);
    sa.selectors = vec![exact];
    assert_eq!(sa.outbound().unwrap().selectors, sa.selectors);
}

/// The reference prints the table of the code.
#[test]
fn the_tables_of_the_reference_are_those_of_the_code() {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let table = |head: &str, rows: Vec<String>| {
        let line = format!("|{}", "---|".repeat(head.matches('|').count() - 1));
        [head.to_owned(), line].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    };
    let cipher = |spec: &CipherSpec| {
        let numbers = [spec.key_len, spec.salt_len, spec.iv_len, spec.align, spec.icv_len];
        let about = [
            format!("`{}`", spec.name),
            spec.rfc.to_string(),
            spec.iana_id.to_string(),
            spec.level.to_string(),
        ];
        row(about.into_iter().chain(numbers.map(|number| number.to_string())).collect())
    };
    let ciphers = |keep: fn(&CipherSpec) -> bool| {
        Cipher::ALL.iter().filter(|spec| keep(spec)).map(|spec| cipher(spec)).collect::<Vec<_>>()
    };
    let integrities = |legacy: bool| {
        let kept = Integrity::ALL.iter().filter(|spec| spec.legacy == legacy && spec.icv_len > 0);
        let cells = |spec: &&IntegritySpec| {
            let number = |n: u16| if n == 0 { "none".to_owned() } else { n.to_string() };
            let about =
                [format!("`{}`", spec.name), number(spec.rfc), number(spec.iana_id), spec.level.to_string()];
            row(about.into_iter().chain([spec.key_len, spec.icv_len].map(|n| n.to_string())).collect())
        };
        kept.map(cells).collect::<Vec<_>>()
    };
    let head = "| cipher | RFC | IANA | level | key | salt | IV | multiple of | ICV |";
    let integrity_head = "| integrity | RFC | IANA | level | key | ICV |";
    for wanted in [
        table(&head.replace("cipher", "combined mode"), ciphers(|spec| spec.icv_len > 0)),
        table(head, ciphers(|spec| spec.icv_len == 0 && !spec.legacy)),
        table(integrity_head, integrities(false)),
        table(head, ciphers(|spec| spec.legacy)),
        table(integrity_head, integrities(true)),
    ] {
        assert!(REFERENCE.contains(&wanted), "docs/sa-file.md lacks this table:\n{wanted}");
    }
}

static AUTHENTIC: LazyLock<Vec<Transform>> = LazyLock::new(|| {
    let both_ways = |transform: &&Transform| transform.icv_len() > 0 && !transform.name().starts_with("des-");
    Transform::ALL.iter().filter(both_ways).copied().collect()
});

/// Any SA that passes the checks.
fn any_sa() -> impl Strategy<Value = SaConfig> {
    let common = (
        option::of("[^\\p{Cc}]{1,60}"),
        256..=u32::MAX,
        sample::select(AUTHENTIC.as_slice()),
        collection::vec(any::<u8>(), 128),
        any::<(bool, bool, bool, bool, u64)>(),
        addresses(),
    );
    let more = (
        option::of((1..=u16::MAX, 1..=u16::MAX, any::<bool>())),
        collection::vec(any_selector(), 0..3),
        (32..=2_097_152_u32, 0..3_u8, 0..3_u8, any::<bool>()),
        (
            option::of(1280..=u16::MAX),
            option::of(1..=u16::MAX),
            0..3_u8,
            any::<u8>().prop_map(|ttl| ttl.max(1)),
        ),
        (option::of(0..64_u8), option::of(0..1_u32 << 20)),
    );
    (common, more).prop_map(|(common, more)| sa(common, more))
}

type Common = (Option<String>, u32, Transform, Vec<u8>, (bool, bool, bool, bool, u64), (IpAddr, IpAddr));
type More = (
    Option<(u16, u16, bool)>,
    Vec<Selector>,
    (u32, u8, u8, bool),
    (Option<u16>, Option<u16>, u8, u8),
    (Option<u8>, Option<u32>),
);

fn sa((name, spi, transform, key, flags, (src, dst)): Common, more: More) -> SaConfig {
    let (outbound, tunnel, esn, compatibility, tun_id) = flags;
    let (udp, selectors, (window, lookup, check_outer, off), (mtu, tfc_pad_to, df, ttl), (dscp, flow_label)) =
        more;
    let direction = if outbound { Direction::Outbound } else { Direction::Inbound };
    let mode = if tunnel { Mode::Tunnel } else { Mode::Transport };
    let mut sa = SaConfig::new(direction, spi, transform, &key[..transform.key_len()], mode);
    sa.allow_legacy = transform.is_legacy();
    split_key(&mut sa, key[127]);
    (sa.name, sa.esn, sa.tun_id, sa.selectors) = (name, esn, tun_id, selectors);
    (sa.src, sa.dst) = (Some(src), Some(dst));
    sa.udp = udp.map(|(src_port, dst_port, zero)| UdpEncap {
        src_port,
        dst_port,
        zero_checksum: zero && src.is_ipv6(),
    });
    if tunnel && compatibility {
        sa.ecn = EcnMode::Compatibility;
    }
    if !outbound {
        sa.replay_window = if off && !esn { ReplayWindow::Off } else { ReplayWindow::Bits(window) };
        sa.lookup = [Lookup::Spi, Lookup::SpiDst, Lookup::SpiDstSrc][usize::from(lookup)];
        sa.check_outer = [CheckOuter::None, CheckOuter::Dst, CheckOuter::SrcDst][usize::from(check_outer)];
        return sa;
    }
    sa.mtu = mtu;
    if tunnel {
        (sa.tfc_pad_to, sa.ttl, sa.df) = (tfc_pad_to, ttl, [Df::Copy, Df::Set, Df::Clear][usize::from(df)]);
        sa.dscp = dscp.map_or(Dscp::Copy, Dscp::Set);
        sa.flow_label = flow_label.map_or(FlowLabel::Copy, FlowLabel::Set);
    }
    sa
}

/// Keys of either source, the integrity key by itself or behind the cipher's.
fn split_key(sa: &mut SaConfig, choice: u8) {
    let transform = sa.transform;
    if transform.cipher().iv == Iv::Implicit || choice & 1 == 1 {
        sa.keys = KeySource::Negotiated;
    }
    if transform.integrity().key_len > 0 && choice & 2 == 2 {
        let (cipher, integrity) = sa.key.expose().split_at(transform.cipher_key_len());
        let (cipher, integrity) = (Secret::from(cipher), Secret::from(integrity));
        (sa.key, sa.integrity_key) = (cipher, Some(integrity));
    }
}

fn addresses() -> impl Strategy<Value = (IpAddr, IpAddr)> {
    let v4 = any::<(u8, u8)>().prop_map(|(a, b)| {
        (IpAddr::V4(Ipv4Addr::new(192, 0, 2, a)), IpAddr::V4(Ipv4Addr::new(198, 51, 100, b)))
    });
    let v6 = any::<(u16, u16)>().prop_map(|(a, b)| {
        let host = |last| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 1, last));
        (host(a), host(b))
    });
    prop_oneof![v4, v6]
}

fn any_selector() -> impl Strategy<Value = Selector> {
    let v4 = (any::<u32>(), 0..=32_u8).prop_map(|(bits, len)| {
        let mask = u32::MAX.checked_shl(32 - u32::from(len)).unwrap_or(0);
        Prefix::new(IpAddr::V4((bits & mask).into()), len).expect("no bit behind its length")
    });
    let v6 = (any::<u128>(), 0..=128_u8).prop_map(|(bits, len)| {
        let mask = u128::MAX.checked_shl(128 - u32::from(len)).unwrap_or(0);
        Prefix::new(IpAddr::V6((bits & mask).into()), len).expect("no bit behind its length")
    });
    let prefixes = prop_oneof![(v4.clone(), v4), (v6.clone(), v6)];
    let ports = (any::<u16>(), any::<u16>()).prop_map(|(a, b)| PortRange::new(a.min(b), a.max(b)));
    let protocol = option::of(sample::select(&[1_u8, 6, 17, 58, 132][..]));
    (prefixes, protocol, ports.clone(), ports).prop_map(|((src, dst), protocol, src_port, dst_port)| {
        let with_ports = matches!(protocol, Some(6 | 17 | 132));
        let (src_port, dst_port) = (src_port.filter(|_| with_ports), dst_port.filter(|_| with_ports));
        Selector { src, dst, protocol, src_port, dst_port }
    })
}
