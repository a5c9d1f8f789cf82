//! SAs as the walks see them. Outbound and inbound SAs are different types: neither can do the other's work.

mod inbound;
mod outbound;
mod outer;
mod sequence;

pub(crate) use inbound::InboundSa;
pub(crate) use outbound::{OutboundSa, Start};
pub(crate) use outer::{Outer, OuterHeader};
pub(crate) use sequence::Sequence;
