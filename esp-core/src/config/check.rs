//! The checks between a configuration and an SA. Each refusal names the field and what is legal.

use std::net::IpAddr;

use esp_replay::WindowSize;
use esp_wire::Spi;

use super::legal::{MIN_MTU_V4, MIN_MTU_V6, because, of, refuse};
use super::{
    CheckOuter, Df, Direction, Dscp, EcnMode, FlowLabel, InboundSpec, Lookup, Mode, OutboundSpec,
    ReplayWindow, SaConfig, Selector, TunnelSpec, UdpEncap,
};
use crate::SaError;

impl SaConfig {
    /// Checks the configuration of an outbound SA, and copies the key once all is well.
    ///
    /// # Errors
    ///
    /// [`SaError::KeyLength`], or [`SaError::Field`] for the first field that is out of range, contradicts another,
    /// or belongs to inbound SAs.
    pub fn outbound(&self) -> Result<OutboundSpec, SaError> {
        self.check_direction(Direction::Outbound)?;
        let spi = self.check_shared()?;
        self.check_nothing_inbound()?;
        if self.mode == Mode::Transport {
            self.check_nothing_of_a_tunnel()?;
        }
        self.check_mtu()?;
        let tunnel = match self.mode {
            Mode::Tunnel => Some(self.check_tunnel()?),
            Mode::Transport => None,
        };
        Ok(OutboundSpec {
            name: self.name.clone(),
            spi,
            transform: self.transform,
            key: self.keying_material()?,
            tunnel,
            udp: self.udp,
            esn: self.esn,
            mtu: self.mtu,
            tfc_pad_to: self.tfc_pad_to,
            selectors: self.selectors.clone(),
            tun_id: self.tun_id,
        })
    }

    /// Checks the configuration of an inbound SA, and copies the key once all is well.
    ///
    /// # Errors
    ///
    /// [`SaError::KeyLength`], or [`SaError::Field`] for the first field that is out of range, contradicts another,
    /// or belongs to outbound SAs.
    pub fn inbound(&self) -> Result<InboundSpec, SaError> {
        self.check_direction(Direction::Inbound)?;
        let spi = self.check_shared()?;
        self.check_nothing_outbound()?;
        if self.mode == Mode::Transport {
            self.check_nothing_of_a_tunnel()?;
        }
        let window = self.check_window()?;
        self.check_addresses_present()?;
        Ok(InboundSpec {
            name: self.name.clone(),
            spi,
            transform: self.transform,
            key: self.keying_material()?,
            tunnel: self.mode == Mode::Tunnel,
            src: self.src,
            dst: self.dst,
            lookup: self.lookup,
            check_outer: self.check_outer,
            udp: self.udp,
            ecn: self.ecn,
            esn: self.esn,
            window,
            selectors: self.selectors.clone(),
            tun_id: self.tun_id,
        })
    }

    fn check_direction(&self, wanted: Direction) -> Result<(), SaError> {
        if self.direction == wanted {
            return Ok(());
        }
        Err(match wanted {
            Direction::Outbound => because("direction", &"inbound", "outbound, to make an outbound SA"),
            Direction::Inbound => because("direction", &"outbound", "inbound, to make an inbound SA"),
        })
    }

    /// What both directions have.
    fn check_shared(&self) -> Result<Spi, SaError> {
        if let Some(name) = self.name.as_deref().filter(|name| !is_name(name)) {
            return Err(refuse("name", &format_args!("{} characters", name.chars().count())));
        }
        let spi = Spi::new(self.spi).map_err(|_| refuse("spi", &self.spi))?;
        self.check_keys()?;
        self.check_transform()?;
        self.check_addresses()?;
        if let Some(udp) = self.udp {
            self.check_udp(udp)?;
        }
        for (index, selector) in self.selectors.iter().enumerate() {
            check_selector(selector)
                .map_err(|why| because("selectors", &format_args!("selectors[{index}]"), why))?;
        }
        Ok(spi)
    }

    fn check_addresses(&self) -> Result<(), SaError> {
        if let Some(src) = self.src.filter(|src| !is_unicast(*src)) {
            return Err(refuse("src", &src));
        }
        if let Some(dst) = self.dst.filter(|dst| !may_be_outer(*dst)) {
            return Err(refuse("dst", &dst));
        }
        match (self.src, self.dst) {
            (Some(src), Some(dst)) if src.is_ipv4() != dst.is_ipv4() => {
                Err(because("dst", &dst, format!("an {} address, as src is", family(src))))
            }
            _ => Ok(()),
        }
    }

    fn check_udp(&self, udp: UdpEncap) -> Result<(), SaError> {
        if udp.src_port == 0 {
            return Err(refuse("udp.src_port", &0));
        }
        if udp.dst_port == 0 {
            return Err(refuse("udp.dst_port", &0));
        }
        if udp.zero_checksum && self.outer().is_some_and(|outer| outer.is_ipv4()) {
            let legal =
                "false over IPv4, where the checksum sent is always zero; true is for IPv6 (RFC 6935)";
            return Err(because("udp.zero_checksum", &true, legal));
        }
        Ok(())
    }

    fn check_nothing_inbound(&self) -> Result<(), SaError> {
        first_set(
            &[
                ("replay_window", self.replay_window != ReplayWindow::default()),
                ("lookup", self.lookup != Lookup::default()),
                ("check_outer", self.check_outer != CheckOuter::default()),
            ],
            "for inbound SAs only; leave it out of an outbound SA",
        )
    }

    fn check_nothing_outbound(&self) -> Result<(), SaError> {
        first_set(
            &[
                ("mtu", self.mtu.is_some()),
                ("tfc_pad_to", self.tfc_pad_to.is_some()),
                ("dscp", self.dscp != Dscp::default()),
                ("df", self.df != Df::default()),
                ("ttl", self.ttl != super::DEFAULT_TTL),
                ("flow_label", self.flow_label != FlowLabel::default()),
            ],
            "for outbound SAs only; leave it out of an inbound SA",
        )
    }

    fn check_nothing_of_a_tunnel(&self) -> Result<(), SaError> {
        if let Some(pad_to) = self.tfc_pad_to {
            let legal = "for tunnel mode only: the receiver finds the end of the payload by the inner IP length, \
                         which transport mode does not have (RFC 4303 section 2.7)";
            return Err(because("tfc_pad_to", &pad_to, legal));
        }
        first_set(
            &[
                ("dscp", self.dscp != Dscp::default()),
                ("ecn", self.ecn != EcnMode::default()),
                ("df", self.df != Df::default()),
                ("ttl", self.ttl != super::DEFAULT_TTL),
                ("flow_label", self.flow_label != FlowLabel::default()),
            ],
            "for tunnel mode only; in transport mode the packet keeps its own header",
        )
    }

    fn check_mtu(&self) -> Result<(), SaError> {
        let least = match self.outer() {
            Some(IpAddr::V6(_)) => MIN_MTU_V6,
            Some(IpAddr::V4(_)) | None => MIN_MTU_V4,
        };
        match self.mtu {
            Some(mtu) if mtu < least => Err(because("mtu", &mtu, format!("{least}..=65535 bytes"))),
            _ => Ok(()),
        }
    }

    fn check_tunnel(&self) -> Result<TunnelSpec, SaError> {
        let needed =
            |field| because(field, &"nothing", format!("{}; an outbound tunnel needs it", of(field)));
        let src = self.src.ok_or_else(|| needed("src"))?;
        let dst = self.dst.ok_or_else(|| needed("dst"))?;
        if self.tfc_pad_to == Some(0) {
            return Err(refuse("tfc_pad_to", &0));
        }
        if let Dscp::Set(dscp @ 64..) = self.dscp {
            return Err(refuse("dscp", &dscp));
        }
        if self.ttl == 0 {
            return Err(refuse("ttl", &0));
        }
        if let FlowLabel::Set(label @ 0x10_0000..) = self.flow_label {
            return Err(refuse("flow_label", &label));
        }
        let (dscp, ecn, df, ttl, flow_label) = (self.dscp, self.ecn, self.df, self.ttl, self.flow_label);
        Ok(TunnelSpec { src, dst, dscp, ecn, df, ttl, flow_label })
    }

    /// RFC 4303 section 3.4.3: without anti-replay a receiver should not negotiate ESN, since the window is what
    /// tells the high half of a number.
    fn check_window(&self) -> Result<Option<WindowSize>, SaError> {
        match self.replay_window {
            ReplayWindow::Bits(bits) => {
                WindowSize::new(bits).map(Some).map_err(|_| refuse("replay_window", &bits))
            }
            ReplayWindow::Off if self.esn => {
                let legal = "32..=2097152 bits with esn: the window tells the high half of a sequence number";
                Err(because("replay_window", &"off", legal))
            }
            ReplayWindow::Off => Ok(None),
        }
    }

    /// The addresses that `lookup` and `check_outer` look at.
    fn check_addresses_present(&self) -> Result<(), SaError> {
        let (dst, src) = match self.lookup {
            Lookup::Spi => (false, false),
            Lookup::SpiDst => (true, false),
            Lookup::SpiDstSrc => (true, true),
        };
        self.check_present("lookup", dst, src)?;
        let (dst, src) = match self.check_outer {
            CheckOuter::None => (false, false),
            CheckOuter::Dst => (true, false),
            CheckOuter::SrcDst => (true, true),
        };
        self.check_present("check_outer", dst, src)
    }

    fn check_present(&self, field: &'static str, dst: bool, src: bool) -> Result<(), SaError> {
        let missing = match () {
            () if dst && self.dst.is_none() => "dst",
            () if src && self.src.is_none() => "src",
            () => return Ok(()),
        };
        Err(because(
            field,
            &format_args!("no {missing}"),
            format!("a value that does not look at {missing}, or set {missing}"),
        ))
    }

    /// Either outer address; once checked they are of one family.
    fn outer(&self) -> Option<IpAddr> {
        self.dst.or(self.src)
    }
}

/// Why a selector can match nothing or means nothing.
fn check_selector(selector: &Selector) -> Result<(), String> {
    if selector.src.addr().is_ipv4() != selector.dst.addr().is_ipv4() {
        return Err("src and dst of one address family".to_owned());
    }
    let ports = selector.src_port.is_some() || selector.dst_port.is_some();
    if ports && !selector.protocol.is_some_and(|protocol| WITH_PORTS.contains(&protocol)) {
        return Err(format!("ports together with a protocol that has them, one of {WITH_PORTS:?}"));
    }
    Ok(())
}

/// A name is shown in every message about its SA.
fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LEN).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

fn first_set(options: &[(&'static str, bool)], legal: &str) -> Result<(), SaError> {
    options.iter().find(|(_, set)| *set).map_or(Ok(()), |(field, _)| Err(because(field, &"a value", legal)))
}

/// An address that a host can send from. An IPv4-mapped IPv6 address is never on the wire (RFC 6890).
fn is_unicast(addr: IpAddr) -> bool {
    may_be_outer(addr) && !addr.is_multicast() && addr != IpAddr::V4(std::net::Ipv4Addr::BROADCAST)
}

fn may_be_outer(addr: IpAddr) -> bool {
    let mapped = matches!(addr, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some());
    !addr.is_unspecified() && !mapped
}

fn family(addr: IpAddr) -> &'static str {
    if addr.is_ipv4() { "IPv4" } else { "IPv6" }
}

/// Characters.
const MAX_NAME_LEN: usize = 64;
/// TCP, UDP, DCCP, SCTP, UDP-Lite.
const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];
