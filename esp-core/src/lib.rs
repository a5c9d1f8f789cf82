//! The ESP datapath: SAs, the outbound walk, the inbound walk.
