//! One test a refusal: change one thing in a good SA and see it named.

use std::collections::BTreeSet;

use esp_replay::WindowSize;

use super::*;
use crate::SaError;

const GCM: Transform = Transform::Aes256Gcm16;

fn outbound_tunnel() -> SaConfig {
    let mut config = SaConfig::new(Direction::Outbound, 0x1000, GCM, [7; 36], Mode::Tunnel);
    config.src = Some(ip("192.0.2.1"));
    config.dst = Some(ip("192.0.2.2"));
    config
}

fn outbound_transport() -> SaConfig {
    SaConfig::new(Direction::Outbound, 0x1000, GCM, [7; 36], Mode::Transport)
}

fn inbound_tunnel() -> SaConfig {
    SaConfig::new(Direction::Inbound, 0x1000, GCM, [7; 36], Mode::Tunnel)
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn selector(src: &str, dst: &str) -> Selector {
    let (src, dst) = (src.parse().unwrap(), dst.parse().unwrap());
    Selector { src, dst, protocol: None, src_port: None, dst_port: None }
}

/// Sets the fields of a good SA to something else and returns the refusal, as field and whole message.
#[track_caller]
fn refused(mut config: SaConfig, change: impl FnOnce(&mut SaConfig)) -> (&'static str, String) {
    assert_eq!(check(&config), Ok(()), "good before the change");
    change(&mut config);
    let error = check(&config).expect_err("refused");
    let field = match &error {
        SaError::Field { field, .. } => field,
        SaError::KeyLength { .. } => "key",
        other => panic!("not a refusal of a field: {other}"),
    };
    (field, error.to_string())
}

#[track_caller]
fn accepted(mut config: SaConfig, change: impl FnOnce(&mut SaConfig)) {
    change(&mut config);
    assert_eq!(check(&config), Ok(()));
}

fn check(config: &SaConfig) -> Result<(), SaError> {
    match config.direction {
        Direction::Outbound => config.outbound().map(drop),
        Direction::Inbound => config.inbound().map(drop),
    }
}

#[track_caller]
fn says((field, message): (&'static str, String), wanted: &str, words: &[&str]) {
    assert_eq!(field, wanted, "{message}");
    for word in words {
        assert!(message.contains(word), "`{word}` not in: {message}");
    }
}

#[test]
fn defaults_reach_the_specification() {
    let spec = outbound_tunnel().outbound().unwrap();
    let tunnel = spec.tunnel.unwrap();
    assert_eq!((spec.spi.get(), spec.transform, spec.key.len()), (0x1000, GCM, 36));
    assert_eq!((spec.udp, spec.esn, spec.mtu, spec.tfc_pad_to, spec.tun_id), (None, false, None, None, 0));
    assert_eq!((tunnel.src, tunnel.dst, tunnel.ttl), (ip("192.0.2.1"), ip("192.0.2.2"), 64));
    assert_eq!((tunnel.dscp, tunnel.ecn, tunnel.df), (Dscp::Copy, EcnMode::Normal, Df::Copy));
    assert_eq!(tunnel.flow_label, FlowLabel::Copy);

    let spec = inbound_tunnel().inbound().unwrap();
    assert_eq!((spec.spi.get(), spec.transform, spec.key.len(), spec.tunnel), (0x1000, GCM, 36, true));
    assert_eq!((spec.window.map(WindowSize::bits), spec.esn), (Some(64), false));
    assert_eq!((spec.lookup, spec.check_outer), (Lookup::Spi, CheckOuter::None));
    assert_eq!((spec.src, spec.dst, spec.selectors.len()), (None, None, 0));
}

#[test]
fn every_option_reaches_the_specification() {
    let mut config = outbound_tunnel();
    config.name = Some("west".to_owned());
    config.udp = Some(UdpEncap { src_port: 1, dst_port: 65535, zero_checksum: false });
    (config.esn, config.mtu, config.tfc_pad_to, config.tun_id) = (true, Some(576), Some(512), 9);
    (config.dscp, config.ecn, config.df) = (Dscp::Set(63), EcnMode::Compatibility, Df::Set);
    (config.ttl, config.flow_label) = (255, FlowLabel::Set(0xf_ffff));
    let spec = config.outbound().unwrap();
    let tunnel = spec.tunnel.unwrap();
    assert_eq!((spec.name.as_deref(), spec.udp), (Some("west"), config.udp));
    assert_eq!((spec.esn, spec.mtu, spec.tfc_pad_to, spec.tun_id), (true, Some(576), Some(512), 9));
    assert_eq!((tunnel.dscp, tunnel.ecn, tunnel.df), (Dscp::Set(63), EcnMode::Compatibility, Df::Set));
    assert_eq!((tunnel.ttl, tunnel.flow_label), (255, FlowLabel::Set(0xf_ffff)));

    let mut config = inbound_tunnel();
    (config.src, config.dst) = (Some(ip("2001:db8::1")), Some(ip("2001:db8::2")));
    config.udp = Some(UdpEncap { zero_checksum: true, ..UdpEncap::default() });
    (config.lookup, config.check_outer) = (Lookup::SpiDstSrc, CheckOuter::SrcDst);
    (config.ecn, config.esn, config.replay_window) = (EcnMode::Compatibility, true, ReplayWindow::Bits(1000));
    config.selectors = vec![selector("10.0.0.0/8", "10.1.0.0/16")];
    let spec = config.inbound().unwrap();
    assert_eq!((spec.src, spec.dst, spec.udp), (config.src, config.dst, config.udp));
    assert_eq!((spec.lookup, spec.check_outer), (Lookup::SpiDstSrc, CheckOuter::SrcDst));
    assert_eq!((spec.ecn, spec.esn, spec.window.unwrap().bits()), (EcnMode::Compatibility, true, 1000));
    assert_eq!(spec.selectors, config.selectors);
}

#[test]
fn transport_mode_has_no_outer_header() {
    assert_eq!(outbound_transport().outbound().unwrap().tunnel, None);
    let mut config = outbound_transport();
    config.direction = Direction::Inbound;
    assert!(!config.inbound().unwrap().tunnel);
}

#[test]
fn a_direction_is_not_the_other() {
    let why = inbound_tunnel().outbound().unwrap_err();
    assert!(matches!(why, SaError::Field { field: "direction", .. }), "{why}");
    let why = outbound_tunnel().inbound().unwrap_err();
    assert!(matches!(why, SaError::Field { field: "direction", .. }), "{why}");
}

#[test]
fn b56_spi_zero_and_reserved_are_refused() {
    for spi in [0, 1, 255] {
        says(
            refused(inbound_tunnel(), |sa| sa.spi = spi),
            "spi",
            &["256..=4294967295", &format!("got {spi};")],
        );
        says(refused(outbound_tunnel(), |sa| sa.spi = spi), "spi", &["256..=4294967295"]);
    }
    accepted(inbound_tunnel(), |sa| sa.spi = 256);
    accepted(inbound_tunnel(), |sa| sa.spi = u32::MAX);
}

#[test]
fn b39_b40_key_length_is_exact_for_every_transform() {
    for &transform in Transform::ALL {
        let exact = transform.key_len();
        let negotiated = |sa: &mut SaConfig| {
            (sa.transform, sa.keys, sa.allow_legacy) =
                (transform, KeySource::Negotiated, transform.is_legacy());
            if transform.icv_len() == 0 {
                sa.replay_window = ReplayWindow::Off;
            }
        };
        for len in [0, exact - 4, exact - 1, exact + 1, exact + 4] {
            let (field, message) = refused(inbound_tunnel(), |sa| {
                negotiated(sa);
                sa.key = vec![0xa5; len].into();
            });
            let wanted = [transform.name(), &format!("exactly {exact} bytes"), &format!("got {len}")];
            says((field, message.clone()), "key", &wanted);
            assert!(!message.contains("a5a5") && !message.contains("165"), "{message}");
        }
        accepted(inbound_tunnel(), |sa| {
            negotiated(sa);
            sa.key = (0..exact).map(|byte| byte.to_le_bytes()[0] << 1).collect::<Vec<u8>>().into();
        });
    }
}

#[test]
fn outbound_tunnel_needs_both_addresses() {
    says(refused(outbound_tunnel(), |sa| sa.src = None), "src", &["an outbound tunnel needs it"]);
    says(refused(outbound_tunnel(), |sa| sa.dst = None), "dst", &["an outbound tunnel needs it"]);
}

#[test]
fn outer_addresses_are_of_one_family() {
    says(refused(outbound_tunnel(), |sa| sa.dst = Some(ip("2001:db8::2"))), "dst", &["IPv4", "2001:db8::2"]);
    says(
        refused(inbound_tunnel(), |sa| (sa.src, sa.dst) = (Some(ip("2001:db8::2")), Some(ip("192.0.2.1")))),
        "dst",
        &["IPv6", "192.0.2.1"],
    );
}

#[test]
fn a_source_is_unicast() {
    for src in ["0.0.0.0", "224.0.0.1", "239.1.2.3", "255.255.255.255"] {
        says(refused(outbound_tunnel(), |sa| sa.src = Some(ip(src))), "src", &["unicast", src]);
    }
    for src in ["::", "ff02::1", "::ffff:192.0.2.1"] {
        says(refused(inbound_tunnel(), |sa| sa.src = Some(ip(src))), "src", &["unicast", src]);
    }
}

#[test]
fn a_destination_may_be_multicast_but_not_unspecified() {
    accepted(inbound_tunnel(), |sa| sa.dst = Some(ip("239.1.2.3")));
    for dst in ["0.0.0.0", "::", "::ffff:192.0.2.1"] {
        says(refused(inbound_tunnel(), |sa| sa.dst = Some(ip(dst))), "dst", &[dst]);
    }
}

#[test]
fn b53_window_size_has_a_range_and_off_is_spelled_out() {
    for bits in [0, 1, 31, (1 << 21) + 1, 1 << 31, u32::MAX] {
        let refusal = refused(inbound_tunnel(), |sa| sa.replay_window = ReplayWindow::Bits(bits));
        says(refusal, "replay_window", &["32..=2097152", "spell out \"off\"", &format!("got {bits};")]);
    }
    for bits in [32, 33, 64, 100, 1000, 4096, 1 << 21] {
        accepted(inbound_tunnel(), |sa| sa.replay_window = ReplayWindow::Bits(bits));
    }
    let mut config = inbound_tunnel();
    config.replay_window = ReplayWindow::Off;
    assert_eq!(config.inbound().unwrap().window, None);
}

#[test]
fn b48_esn_needs_a_window() {
    let refusal = refused(inbound_tunnel(), |sa| (sa.esn, sa.replay_window) = (true, ReplayWindow::Off));
    says(refusal, "replay_window", &["off", "32..=2097152 bits with esn", "high half"]);
}

#[test]
fn tfc_padding_needs_an_inner_length() {
    let refusal = refused(outbound_transport(), |sa| sa.tfc_pad_to = Some(1400));
    says(refusal, "tfc_pad_to", &["tunnel mode only", "inner IP length", "2.7"]);
    says(refused(outbound_tunnel(), |sa| sa.tfc_pad_to = Some(0)), "tfc_pad_to", &["1..=65535"]);
    accepted(outbound_tunnel(), |sa| sa.tfc_pad_to = Some(65535));
}

#[test]
fn mtu_is_at_least_what_the_outer_family_promises() {
    says(refused(outbound_tunnel(), |sa| sa.mtu = Some(575)), "mtu", &["576..=65535", "got 575"]);
    says(refused(outbound_transport(), |sa| sa.mtu = Some(0)), "mtu", &["576..=65535"]);
    accepted(outbound_tunnel(), |sa| sa.mtu = Some(576));
    let v6 = |mtu| {
        move |sa: &mut SaConfig| {
            (sa.src, sa.dst, sa.mtu) = (Some(ip("2001:db8::1")), Some(ip("2001:db8::2")), Some(mtu));
        }
    };
    says(refused(outbound_tunnel(), v6(1279)), "mtu", &["1280..=65535", "got 1279"]);
    says(refused(outbound_transport(), v6(1279)), "mtu", &["1280..=65535", "got 1279"]);
    accepted(outbound_tunnel(), v6(1280));
}

#[test]
fn outer_header_values_have_ranges() {
    says(refused(outbound_tunnel(), |sa| sa.ttl = 0), "ttl", &["1..=255"]);
    says(refused(outbound_tunnel(), |sa| sa.dscp = Dscp::Set(64)), "dscp", &["0..=63", "got 64"]);
    says(
        refused(outbound_tunnel(), |sa| sa.flow_label = FlowLabel::Set(1 << 20)),
        "flow_label",
        &["0..=1048575", "got 1048576"],
    );
    accepted(outbound_tunnel(), |sa| (sa.ttl, sa.dscp) = (1, Dscp::Set(0)));
}

#[test]
fn zero_udp_checksum_is_for_ipv6() {
    let zero = Some(UdpEncap { zero_checksum: true, ..UdpEncap::default() });
    says(refused(outbound_tunnel(), |sa| sa.udp = zero), "udp.zero_checksum", &["IPv4", "RFC 6935"]);
    let refusal = refused(inbound_tunnel(), |sa| (sa.udp, sa.src) = (zero, Some(ip("192.0.2.1"))));
    says(refusal, "udp.zero_checksum", &["IPv4"]);
    accepted(inbound_tunnel(), |sa| sa.udp = zero);
    accepted(inbound_tunnel(), |sa| (sa.udp, sa.dst) = (zero, Some(ip("2001:db8::2"))));
}

#[test]
fn udp_ports_are_not_zero() {
    let ports = |src_port, dst_port| Some(UdpEncap { src_port, dst_port, zero_checksum: false });
    says(refused(outbound_tunnel(), |sa| sa.udp = ports(0, 1)), "udp.src_port", &["1..=65535"]);
    says(refused(inbound_tunnel(), |sa| sa.udp = ports(1, 0)), "udp.dst_port", &["1..=65535"]);
}

#[test]
fn lookup_and_check_outer_need_their_addresses() {
    let (src, dst) = (Some(ip("192.0.2.1")), Some(ip("192.0.2.2")));
    let with = |lookup, check_outer, src, dst| {
        move |sa: &mut SaConfig| {
            (sa.lookup, sa.check_outer, sa.src, sa.dst) = (lookup, check_outer, src, dst);
        }
    };
    let (any, spi) = (CheckOuter::None, Lookup::Spi);
    says(refused(inbound_tunnel(), with(Lookup::SpiDst, any, src, None)), "lookup", &["no dst", "set dst"]);
    says(refused(inbound_tunnel(), with(Lookup::SpiDstSrc, any, src, None)), "lookup", &["no dst"]);
    says(
        refused(inbound_tunnel(), with(Lookup::SpiDstSrc, any, None, dst)),
        "lookup",
        &["no src", "set src"],
    );
    says(refused(inbound_tunnel(), with(spi, CheckOuter::Dst, src, None)), "check_outer", &["no dst"]);
    says(refused(inbound_tunnel(), with(spi, CheckOuter::SrcDst, src, None)), "check_outer", &["no dst"]);
    says(refused(inbound_tunnel(), with(spi, CheckOuter::SrcDst, None, dst)), "check_outer", &["no src"]);
    accepted(inbound_tunnel(), with(Lookup::SpiDst, CheckOuter::Dst, None, dst));
    accepted(inbound_tunnel(), with(Lookup::SpiDstSrc, CheckOuter::SrcDst, src, dst));
}

#[test]
fn options_of_the_other_direction_are_refused_not_ignored() {
    type Change = fn(&mut SaConfig);
    let inbound: [(&str, Change); 4] = [
        ("replay_window", |sa| sa.replay_window = ReplayWindow::Bits(128)),
        ("replay_window", |sa| sa.replay_window = ReplayWindow::Off),
        ("lookup", |sa| sa.lookup = Lookup::SpiDst),
        ("check_outer", |sa| sa.check_outer = CheckOuter::Dst),
    ];
    for (field, change) in inbound {
        says(refused(outbound_tunnel(), change), field, &["for inbound SAs only"]);
    }
    let outbound: [(&str, Change); 6] = [
        ("mtu", |sa| sa.mtu = Some(1500)),
        ("tfc_pad_to", |sa| sa.tfc_pad_to = Some(1500)),
        ("dscp", |sa| sa.dscp = Dscp::Set(0)),
        ("df", |sa| sa.df = Df::Set),
        ("ttl", |sa| sa.ttl = 63),
        ("flow_label", |sa| sa.flow_label = FlowLabel::Set(0)),
    ];
    for (field, change) in outbound {
        says(refused(inbound_tunnel(), change), field, &["for outbound SAs only"]);
    }
}

#[test]
fn options_of_a_tunnel_are_refused_in_transport_mode() {
    type Change = fn(&mut SaConfig);
    let tunnel: [(&str, Change); 5] = [
        ("dscp", |sa| sa.dscp = Dscp::Set(0)),
        ("ecn", |sa| sa.ecn = EcnMode::Compatibility),
        ("df", |sa| sa.df = Df::Clear),
        ("ttl", |sa| sa.ttl = 255),
        ("flow_label", |sa| sa.flow_label = FlowLabel::Set(0)),
    ];
    for (field, change) in tunnel {
        says(refused(outbound_transport(), change), field, &["tunnel mode only"]);
    }
}

#[test]
fn selectors_are_of_one_family_and_ports_need_a_protocol() {
    let two = |second: Selector| {
        move |sa: &mut SaConfig| {
            sa.selectors = vec![selector("10.0.0.0/8", "10.0.0.0/8"), second];
        }
    };
    let mixed = selector("10.0.0.0/8", "2001:db8::/32");
    says(refused(inbound_tunnel(), two(mixed)), "selectors", &["selectors[1]", "one address family"]);
    for protocol in [None, Some(1), Some(50)] {
        let ports = Selector { protocol, dst_port: Some(443.into()), ..selector("10.0.0.0/8", "10.0.0.0/8") };
        says(refused(inbound_tunnel(), two(ports)), "selectors", &["selectors[1]", "protocol"]);
    }
    let ports =
        Selector { protocol: Some(6), src_port: Some(443.into()), ..selector("10.0.0.0/8", "10.0.0.0/8") };
    accepted(inbound_tunnel(), two(ports));
}

#[test]
fn prefixes_hold_their_addresses_and_no_other() {
    let prefix: Prefix = "10.16.0.0/12".parse().unwrap();
    assert!(prefix.contains(ip("10.16.0.0")) && prefix.contains(ip("10.31.255.255")));
    assert!(!prefix.contains(ip("10.15.255.255")) && !prefix.contains(ip("10.32.0.0")));
    assert!(!prefix.contains(ip("::10.16.0.0")));
    let any: Prefix = "0.0.0.0/0".parse().unwrap();
    assert!(any.contains(ip("255.255.255.255")) && !any.contains(ip("::")));
    let one: Prefix = "2001:db8::1".parse().unwrap();
    assert!(one.contains(ip("2001:db8::1")) && !one.contains(ip("2001:db8::")));
    assert_eq!((one.len(), one.to_string()), (128, "2001:db8::1/128".to_owned()));
    assert!("::/0".parse::<Prefix>().unwrap().contains(ip("ffff::")));
}

#[test]
fn a_prefix_with_host_bits_is_told_what_was_meant() {
    let why = "10.1.2.3/8".parse::<Prefix>().unwrap_err().to_string();
    assert!(why.contains("write 10.0.0.0/8, or 10.1.2.3/32"), "{why}");
    let why = "2001:db8::1/32".parse::<Prefix>().unwrap_err().to_string();
    assert!(why.contains("write 2001:db8::/32, or 2001:db8::1/128"), "{why}");
    assert_eq!("10.0.0.0/33".parse::<Prefix>(), Err(PrefixError::Length { len: 33, max: 32 }));
    for text in ["", "10.0.0.0/", "/8", "10.0.0/8", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/256", " ::/0"] {
        assert_eq!(text.parse::<Prefix>(), Err(PrefixError::Syntax), "{text:?}");
    }
}

#[test]
fn b82_a_secret_shows_its_length_only() {
    let config = inbound_tunnel();
    let shown = format!("{config:?} {:?}", config.inbound().unwrap());
    assert!(shown.contains("Secret(36 bytes)"), "{shown}");
    assert!(!shown.contains("7, 7") && !shown.contains("0707"), "{shown}");
}

#[test]
fn the_legal_transforms_are_all_of_them() {
    let every = Transform::ALL.iter().filter(|transform| !transform.is_legacy());
    let every: BTreeSet<_> = every.map(|transform| transform.name().to_owned()).collect();
    let patterns = legal::of("transform").replace(", ", " ");
    let spelled: Vec<_> = patterns.split(' ').flat_map(expanded).collect();
    assert_eq!(spelled.len(), every.len());
    assert_eq!(spelled.into_iter().collect::<BTreeSet<_>>(), every);
}

/// `a-{b,c}-{d,e}` as a shell spells it out.
fn expanded(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (choices, tail) = rest.split_once('}').unwrap();
    let tails = expanded(tail);
    let join = |choice: &str| tails.iter().map(|tail| format!("{head}{choice}{tail}")).collect::<Vec<_>>();
    choices.split(',').flat_map(join).collect()
}
