//! What the outer header of a tunnel has to say (RFC 4301 section 5.1.2, RFC 6040).

use esp_core::config::{Df, Dscp, EcnMode, FlowLabel, Mode, SaConfig};
use esp_wire::{Ip, proto};

/// Checks the outer header of `sealed`, made of `inner`; a dummy packet has none.
pub(crate) fn judge(config: &SaConfig, inner: Option<&[u8]>, sealed: &[u8]) {
    let outer = Ip::parse(sealed).expect("an IP packet");
    assert_eq!(outer.total_len(), sealed.len());
    if let Ip::V4(outer) = &outer {
        assert!(outer.checksum_ok());
    }
    if config.mode == Mode::Transport {
        return;
    }
    let inner = inner.map(|inner| Ip::parse(inner).expect("an IP packet"));
    assert_eq!((Some(outer.src()), Some(outer.dst())), (config.src, config.dst));
    assert_eq!(outer.hop_limit(), config.ttl);
    assert_eq!(outer.traffic_class(), traffic_class(config, inner.as_ref().map_or(0, Ip::traffic_class)));
    match outer {
        Ip::V4(outer) => {
            let dont_fragment = match config.df {
                Df::Copy => inner.as_ref().is_some_and(no_router_may_fragment),
                Df::Set => true,
                Df::Clear => false,
            };
            assert_eq!(outer.dont_fragment(), dont_fragment);
            assert!(!outer.is_fragment());
        }
        Ip::V6(outer) => {
            let label = match (config.flow_label, &inner) {
                (FlowLabel::Set(label), _) => label,
                (FlowLabel::Copy, Some(Ip::V6(inner))) => inner.flow_label(),
                (FlowLabel::Copy, _) => 0,
            };
            assert_eq!(outer.flow_label(), label);
        }
    }
}

fn traffic_class(config: &SaConfig, inner: u8) -> u8 {
    let dscp = match config.dscp {
        Dscp::Copy => inner >> 2,
        Dscp::Set(dscp) => dscp,
    };
    let ecn = match config.ecn {
        EcnMode::Normal => inner & 3,
        EcnMode::Compatibility => 0,
    };
    dscp << 2 | ecn
}

fn no_router_may_fragment(inner: &Ip<'_>) -> bool {
    match inner {
        Ip::V4(inner) => inner.dont_fragment(),
        Ip::V6(_) => true,
    }
}

/// Zeroes the TCP, UDP or ICMPv6 checksum behind `header_len` bytes, if there is one.
pub(crate) fn blank_checksum(packet: &mut [u8], header_len: usize, protocol: u8) {
    let at = header_len
        + match protocol {
            proto::TCP => 16,
            proto::UDP => 6,
            proto::ICMPV6 => 2,
            _ => return,
        };
    if let Some(checksum) = packet.get_mut(at..at + 2) {
        checksum.fill(0);
    }
}
