//! The SA database. Lookups are wait-free; entering and leaving a burst is wait-free; everything that changes the
//! database (install, remove, reserve, reclaim, register) takes a mutex or is run by control threads only.
//!
//! | who            | how many      | may call                                       | may block on        |
//! |----------------|---------------|------------------------------------------------|---------------------|
//! | worker         | `max_readers` | `enter`, `quiesce`, `find`, `find_burst`, `get` | nothing             |
//! | control thread | any           | everything else                                | the writers' mutex  |
//!
//! The crate is mechanism: it stores any `T` and knows nothing of ciphers or sequence numbers.
//!
//! - [`Domain`], [`Reader`] and [`Guard`] (module [`reclaim`]) say when nobody can still look at a removed SA. The
//!   argument, with the partner of every memory ordering, is in that module's documentation.
//! - [`Slab`] keeps values in slots that are named by a [`SlotId`]: an index and a generation. An identifier that
//!   outlived its SA finds nothing, never another SA. Outbound SAs live in a plain `Slab`.
//! - [`InboundSad`] finds an SA from the SPI and the addresses of a packet, one at a time or a burst at once.
//!
//! ```
//! use std::net::{IpAddr, Ipv4Addr};
//! use esp_sad::{Domain, InboundSad, Keyed, SaKey};
//!
//! struct Sa { key: SaKey }
//! impl Keyed for Sa {
//!     fn key(&self) -> &SaKey { &self.key }
//! }
//!
//! let domain = Domain::new(4);
//! let sad = InboundSad::new(1000, &domain)?;
//! let mut reader = domain.register().expect("one of four");
//!
//! let reserved = sad.allocate_spi()?;
//! let spi = reserved.spi();
//! let id = sad.install_reserved(reserved, Sa { key: SaKey::Spi(spi) })?;
//!
//! let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
//! assert_eq!(sad.find(&reader.enter(), spi.get(), any, any).map(|(found, _)| found), Some(id));
//!
//! assert!(sad.remove(id));
//! assert!(sad.find(&reader.enter(), spi.get(), any, any).is_none());
//! assert_eq!(sad.reclaim(|freed| assert_eq!(freed, id)), 1);
//! # Ok::<(), esp_sad::SadError>(())
//! ```

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod error;
mod hash;
mod inbound;
mod key;
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the prefetch intrinsic takes a raw pointer; the module makes it safe")
)]
mod prefetch;
pub mod reclaim;
#[expect(unsafe_code, reason = "slots hold values that readers see without a lock; the module proves when")]
mod slab;
mod spi;
mod sync;
mod table;

pub use crate::error::SadError;
pub use crate::inbound::{Found, InboundSad};
pub use crate::key::{Keyed, Query, SaKey};
pub use crate::prefetch::prefetch_read;
pub use crate::reclaim::{Domain, Epoch, Guard, Reader, Style};
pub use crate::slab::{Reserved, Slab, SlotId};
pub use crate::spi::ReservedSpi;
