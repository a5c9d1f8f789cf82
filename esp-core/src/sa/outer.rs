//! The outer header of a tunnel, prepared: what each packet changes is two masks and three fields.

use std::net::IpAddr;

use esp_wire::{Ipv4Fields, Ipv6Fields, proto};

use crate::config::{Df, Dscp, EcnMode, FlowLabel, TunnelSpec};

/// What the outer header takes from the inner packet, and what it says by itself (RFC 4301 section 5.1.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer {
    pub(crate) header: OuterHeader,
    tos_kept: u8,
    tos_set: u8,
    df_kept: bool,
    df_set: bool,
    label_kept: u32,
    label_set: u32,
}

/// The fields that never change; lengths, traffic class, ID, DF and flow label are filled in for each packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OuterHeader {
    V4(Ipv4Fields),
    V6(Ipv6Fields),
}

impl Outer {
    /// `None` if the ends are of two families, which a checked configuration never says.
    pub(crate) fn new(spec: &TunnelSpec, udp: bool) -> Option<Self> {
        let protocol = if udp { proto::UDP } else { proto::ESP };
        let header = match (spec.src, spec.dst) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => OuterHeader::V4(Ipv4Fields {
                tos: 0,
                total_len: 0,
                id: 0,
                dont_fragment: false,
                ttl: spec.ttl,
                protocol,
                src: src.octets(),
                dst: dst.octets(),
            }),
            (IpAddr::V6(src), IpAddr::V6(dst)) => OuterHeader::V6(Ipv6Fields {
                traffic_class: 0,
                flow_label: 0,
                payload_len: 0,
                next_header: protocol,
                hop_limit: spec.ttl,
                src: src.octets(),
                dst: dst.octets(),
            }),
            _ => return None,
        };
        let (dscp_kept, dscp_set) = match spec.dscp {
            Dscp::Copy => (DSCP, 0),
            Dscp::Set(dscp) => (0, dscp << 2),
        };
        // RFC 6040 section 4.1: normal mode copies the ECN field, compatibility mode clears it.
        let ecn_kept = match spec.ecn {
            EcnMode::Normal => ECN,
            EcnMode::Compatibility => 0,
        };
        let (label_kept, label_set) = match spec.flow_label {
            FlowLabel::Copy => (u32::MAX, 0),
            FlowLabel::Set(label) => (0, label),
        };
        Some(Self {
            header,
            tos_kept: dscp_kept | ecn_kept,
            tos_set: dscp_set,
            df_kept: spec.df == Df::Copy,
            df_set: spec.df == Df::Set,
            label_kept,
            label_set,
        })
    }

    /// Traffic class of the outer header.
    #[inline]
    pub(crate) const fn tos(&self, inner: u8) -> u8 {
        inner & self.tos_kept | self.tos_set
    }

    /// DF of an outer IPv4 header.
    #[inline]
    pub(crate) const fn dont_fragment(&self, inner: bool) -> bool {
        inner & self.df_kept | self.df_set
    }

    /// Flow label of an outer IPv6 header.
    #[inline]
    pub(crate) const fn flow_label(&self, inner: u32) -> u32 {
        inner & self.label_kept | self.label_set
    }

    /// Outer source and destination.
    pub(crate) fn ends(&self) -> (IpAddr, IpAddr) {
        match &self.header {
            OuterHeader::V4(fields) => (fields.src.into(), fields.dst.into()),
            OuterHeader::V6(fields) => (fields.src.into(), fields.dst.into()),
        }
    }
}

/// The upper six bits of a traffic class (RFC 2474 section 3).
const DSCP: u8 = 0xfc;
/// The lower two bits of a traffic class (RFC 3168 section 5).
const ECN: u8 = 0x03;
