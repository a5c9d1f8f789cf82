//! Which packets go to the engine, and outbound, through which SA.

use esp_core::TunnelId;
use esp_core::config::Selector;

use crate::capture::Content;

/// Which way packets go.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// Out, each through the first of these SAs that is for it.
    Seal(Vec<Outbound>),
    /// In, by their SPI.
    Open,
}

/// An outbound SA and what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    pub(crate) tunnel: TunnelId,
    /// Empty: anything.
    pub(crate) selectors: Vec<Selector>,
}

impl Route {
    /// Whether packets go in.
    pub(crate) fn opens(&self) -> bool {
        matches!(self, Self::Open)
    }

    /// The tunnel for a packet; none inbound, for what is no packet, and if no SA is for it.
    pub(crate) fn tunnel(&self, content: Content, packet: &[u8]) -> Option<TunnelId> {
        match (self, content) {
            (Self::Seal(sas), Content::Ip { .. }) => {
                sas.iter().find(|sa| sa.is_for(packet)).map(|sa| sa.tunnel)
            }
            _ => None,
        }
    }
}

impl Outbound {
    fn is_for(&self, packet: &[u8]) -> bool {
        self.selectors.is_empty() || self.selectors.iter().any(|selector| selector.matches(packet))
    }
}
