//! Whether an authentic packet is one that the SA was made for (RFC 4301 section 5.2).

use std::net::IpAddr;

use esp_core::DropReason;
use esp_core::config::{CheckOuter, SaConfig};
use serde::Serialize;

use super::{Said, mark};
use crate::explain::story::Fate;

/// The three checks; a check that was not reached is right.
#[derive(Debug, Serialize)]
pub(crate) struct Policy {
    outer_right: bool,
    encapsulation_right: bool,
    selectors_right: bool,
    /// Selectors of the SA; 0: any packet may be inside.
    selectors: usize,
    check_outer: &'static str,
}

/// Judges a packet that came from `src` to `dst`, in UDP or not, with `packet` inside.
///
/// # Errors
///
/// The first check that it fails.
pub(crate) fn check(
    sa: &SaConfig,
    (src, dst): (IpAddr, IpAddr),
    in_udp: bool,
    packet: &[u8],
) -> (Policy, Result<(), Fate>) {
    let (to, from) = (sa.dst == Some(dst), sa.src == Some(src));
    let (outer_right, check_outer) = match sa.check_outer {
        CheckOuter::None => (true, "none"),
        CheckOuter::Dst => (to, "dst"),
        CheckOuter::SrcDst => (to && from, "src-dst"),
    };
    let encapsulation_right = sa.udp.is_some() == in_udp;
    let selectors_right =
        sa.selectors.is_empty() || sa.selectors.iter().any(|selector| selector.matches(packet));
    let judged = match (outer_right, encapsulation_right, selectors_right) {
        (false, _, _) => Err(DropReason::OuterAddress.into()),
        (true, false, _) => Err(DropReason::Encapsulation.into()),
        (true, true, false) => Err(DropReason::Selector.into()),
        (true, true, true) => Ok(()),
    };
    let selectors = sa.selectors.len();
    (Policy { outer_right, encapsulation_right, selectors_right, selectors, check_outer }, judged)
}

impl Policy {
    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        let right = |is: bool| if is { "right" } else { "WRONG" };
        let outer = match self.check_outer {
            "none" => "outer addresses not checked".to_owned(),
            which => format!("outer addresses ({which}) {}", right(self.outer_right)),
        };
        let selectors = match self.selectors {
            0 => "no selectors: any packet".to_owned(),
            1 => format!("the selector {}", right(self.selectors_right)),
            many => format!(
                "{many} selectors: {}",
                if self.selectors_right { "one matches" } else { "NONE matches" }
            ),
        };
        let encapsulation = right(self.encapsulation_right);
        let fine = self.outer_right && self.encapsulation_right && self.selectors_right;
        Said::new("policy", mark(fine), format!("{outer}; UDP or not: {encapsulation}; {selectors}"))
    }
}
