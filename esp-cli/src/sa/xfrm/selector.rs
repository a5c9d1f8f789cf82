//! The selector of a state.

use esp_core::config::{PortRange, Prefix, Selector};

use crate::sa::fault::shown;

/// The selector of a line, unless it lets everything pass; and what it says that the engine's cannot.
///
/// # Errors
///
/// What would make the selector wider if it were left out; with what is legal.
pub(super) fn read(text: &str) -> Result<(Option<Selector>, Vec<String>), String> {
    let any: Prefix = "0.0.0.0/0".parse().map_err(|_| "no prefix")?;
    let mut selector = Selector { src: any, dst: any, protocol: None, src_port: None, dst_port: None };
    let mut left = Vec::new();
    let words: Vec<_> = text.split_whitespace().skip(1).collect();
    for pair in words.chunks(2) {
        let [name, value] = pair else { return Err(format!("a word is missing at the end; {FORM}")) };
        match *name {
            "src" => selector.src = prefix(value)?,
            "dst" => selector.dst = prefix(value)?,
            "proto" => selector.protocol = Some(protocol(value)?),
            "sport" => selector.src_port = Some(port(value)?),
            "dport" => selector.dst_port = Some(port(value)?),
            // Of the process; 0 in every state that a key exchange made.
            "uid" => {}
            _ => left.push(format!("{} {}", shown(name), shown(value))),
        }
    }
    let all = selector.src.len() == 0 && selector.dst.len() == 0 && selector.protocol.is_none();
    Ok(((!all).then_some(selector), left))
}

/// The line of a selector; `None` if the kernel's cannot say it: it has single ports, and only of protocols with ports.
pub(super) fn write(selector: &Selector) -> Option<String> {
    let mut text = format!("sel src {} dst {}", selector.src, selector.dst);
    if let Some(protocol) = selector.protocol {
        text += &format!(" proto {protocol}");
    }
    let ports = [("sport", selector.src_port), ("dport", selector.dst_port)];
    for (name, port) in ports.into_iter().filter_map(|(name, port)| Some((name, port?))) {
        let single = port.to_string().parse::<u16>().ok()?;
        let has_ports = selector.protocol.is_some_and(|protocol| WITH_PORTS.contains(&protocol));
        // The kernel takes port 0 for any port.
        text += &format!(" {name} {}", Some(single).filter(|single| has_ports && *single > 0)?);
    }
    Some(text)
}

fn prefix(text: &str) -> Result<Prefix, String> {
    text.parse().map_err(|_| format!("src, dst: an address and the bits of its prefix; {FORM}"))
}

fn port(text: &str) -> Result<PortRange, String> {
    text.parse::<u16>().map(PortRange::from).map_err(|_| format!("ports: 0..=65535; {FORM}"))
}

fn protocol(text: &str) -> Result<u8, String> {
    let named = PROTOCOLS.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
    named.or_else(|| text.parse().ok()).ok_or_else(|| {
        let names = PROTOCOLS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        format!("proto: {} is not known; legal: 0..=255, {names}", shown(text))
    })
}

const FORM: &str = "`sel src P dst P proto N sport N dport N`";
/// As `ip` takes ports for them: TCP, UDP, DCCP, SCTP.
const WITH_PORTS: [u8; 4] = [6, 17, 33, 132];
/// As Linux distributions name them in `/etc/protocols`.
const PROTOCOLS: [(&str, u8); 19] = [
    ("ip", 0),
    ("icmp", 1),
    ("igmp", 2),
    ("ipencap", 4),
    ("tcp", 6),
    ("udp", 17),
    ("dccp", 33),
    ("ipv6", 41),
    ("gre", 47),
    ("esp", 50),
    ("ah", 51),
    ("ipv6-icmp", 58),
    ("ospf", 89),
    ("pim", 103),
    ("ipcomp", 108),
    ("l2tp", 115),
    ("sctp", 132),
    ("mobility-header", 135),
    ("udplite", 136),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_comes_back() {
        for text in [
            "sel src 10.0.0.0/8 dst 0.0.0.0/0 proto 6 sport 53 dport 80",
            "sel src ::/0 dst 2001:db8::/32",
            "sel src 0.0.0.0/0 dst 0.0.0.0/0 proto 47",
        ] {
            let (selector, left) = read(text).unwrap();
            assert_eq!(write(&selector.unwrap()).as_deref(), Some(text));
            assert!(left.is_empty());
        }
        let (selector, left) = read("sel src ::/0 dst ::/0 proto ipv6-icmp type 128 dev eth0 uid 0").unwrap();
        assert_eq!(selector.unwrap().protocol, Some(58));
        assert_eq!(left, ["type 128", "dev eth0"]);
        assert_eq!(read("sel src 0.0.0.0/0 dst 0.0.0.0/0 uid 7").unwrap(), (None, vec![]));
    }

    #[test]
    fn nothing_that_narrows_is_dropped_unsaid() {
        let cases = [
            ("sel src 10.0.0.0/8 dst", "a word is missing"),
            ("sel src 10.0.0.0/33 dst ::/0", "bits of its prefix"),
            ("sel src ::/0 dst ::/0 proto carp", "proto: carp is not known; legal: 0..=255, ip, icmp"),
            ("sel src ::/0 dst ::/0 proto 256", "proto: 256 is not known"),
            ("sel src ::/0 dst ::/0 proto 6 sport 65536", "ports: 0..=65535"),
        ];
        for (text, why) in cases {
            let got = read(text).unwrap_err();
            assert!(got.contains(why), "{got}");
        }
        let any: Prefix = "::/0".parse().unwrap();
        let ports =
            |protocol, src_port| write(&Selector { src: any, dst: any, protocol, src_port, dst_port: None });
        assert_eq!(ports(Some(17), PortRange::new(5, 7)), None);
        assert_eq!(ports(Some(58), Some(5.into())), None);
        assert_eq!(ports(None, Some(5.into())), None);
        assert_eq!(ports(Some(17), Some(0.into())), None);
        assert!(ports(Some(17), Some(5.into())).is_some());
    }
}
