//! An engine with one worker, and calls that check what must hold after every burst.

use std::net::IpAddr;
use std::sync::LazyLock;

use esp_core::config::{Direction, KeySource, Mode, SaConfig};
use esp_core::{
    Consumed, Counter, DropReason, Engine, Event, HandedBack, InboundStart, Millis, OutboundStart, Packet,
    PacketFlags, SaId, Stats, Transform, TunnelId, Verdict, Worker,
};
use esp_testkit::builder::Room;
use esp_testkit::slow::{SlowMode, SlowSa, SlowTransform};

/// Room on both sides of a packet that suits every SA of these tests.
pub(crate) const ROOM: usize = 128;
pub(crate) const SPI: u32 = 0x1001;

/// An engine with one worker.
pub(crate) struct Rig {
    pub(crate) engine: Engine,
    pub(crate) worker: Worker,
    now: u64,
}

/// What became of one packet.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    /// The data of a delivered packet, else nothing.
    pub(crate) bytes: Vec<u8>,
    /// The whole buffer after the call.
    pub(crate) buf: Vec<u8>,
}

impl Outcome {
    pub(crate) fn delivered(&self) -> bool {
        self.verdict.delivered().is_some()
    }

    #[track_caller]
    pub(crate) fn assert_dropped(&self, why: DropReason) {
        assert_eq!(self.verdict.reason(), Some(why), "{:?}", self.verdict);
    }

    #[track_caller]
    pub(crate) fn assert_delivered(&self, bytes: &[u8]) {
        assert!(self.delivered(), "{:?}", self.verdict);
        assert_eq!(hex::encode(&self.bytes), hex::encode(bytes));
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::of(Engine::builder().max_sas(64).max_workers(4).build().expect("an engine"))
    }

    pub(crate) fn of(engine: Engine) -> Self {
        let worker = engine.worker().expect("a worker");
        Self { engine, worker, now: 0 }
    }

    /// Installs an outbound SA whose packets have IV = sequence number.
    #[track_caller]
    pub(crate) fn out(&self, config: &SaConfig) -> TunnelId {
        self.out_at(config, 0)
    }

    /// ... whose next sequence number is `last + 1`.
    #[track_caller]
    pub(crate) fn out_at(&self, config: &SaConfig, last: u64) -> TunnelId {
        let start = OutboundStart { sequence: last, iv_salt: 0, null_twin: false };
        self.engine.install_outbound_at(config, start).expect("outbound SA")
    }

    #[track_caller]
    pub(crate) fn inbound(&self, config: &SaConfig) -> SaId {
        self.engine.install_inbound(config).expect("inbound SA")
    }

    /// Installs an inbound SA whose window has `top` as its highest number and nothing seen below.
    #[track_caller]
    pub(crate) fn inbound_at(&self, config: &SaConfig, top: u64) -> SaId {
        let start = InboundStart { top: Some(top), null_twin: false };
        self.engine.install_inbound_at(config, start).expect("inbound SA")
    }

    /// Seals `packets`, one burst, [`ROOM`] bytes of room on both sides.
    #[track_caller]
    pub(crate) fn seal(&mut self, tunnel: TunnelId, packets: &[Vec<u8>]) -> Vec<Outcome> {
        self.seal_flagged(tunnel, packets, PacketFlags::NONE)
    }

    #[track_caller]
    pub(crate) fn seal_flagged(
        &mut self,
        tunnel: TunnelId,
        packets: &[Vec<u8>],
        flags: PacketFlags,
    ) -> Vec<Outcome> {
        let rooms = packets.iter().map(|packet| Room::new(ROOM, packet, ROOM)).collect();
        self.run(rooms, flags, |worker, now, packets, verdicts| {
            worker.seal_burst(now, tunnel, packets, verdicts).expect("one verdict each");
        })
    }

    #[track_caller]
    pub(crate) fn seal_one(&mut self, tunnel: TunnelId, packet: &[u8]) -> Outcome {
        self.seal(tunnel, &[packet.to_vec()]).remove(0)
    }

    /// Seals each packet for a tunnel of its own.
    #[track_caller]
    pub(crate) fn seal_mixed(&mut self, tunnels: &[TunnelId], packets: &[Vec<u8>]) -> Vec<Outcome> {
        let rooms = packets.iter().map(|packet| Room::new(ROOM, packet, ROOM)).collect();
        self.run(rooms, PacketFlags::NONE, |worker, now, packets, verdicts| {
            worker.seal_mixed(now, tunnels, packets, verdicts).expect("one verdict and tunnel each");
        })
    }

    /// Seals one packet with exactly this room.
    #[track_caller]
    pub(crate) fn seal_in(&mut self, tunnel: TunnelId, room: Room) -> Outcome {
        self.seal_in_flagged(tunnel, room, PacketFlags::NONE)
    }

    #[track_caller]
    pub(crate) fn seal_in_flagged(&mut self, tunnel: TunnelId, room: Room, flags: PacketFlags) -> Outcome {
        let burst = |worker: &mut Worker, now, packets: &mut [Packet<'_>], verdicts: &mut [Verdict]| {
            worker.seal_burst(now, tunnel, packets, verdicts).expect("one verdict each");
        };
        self.run(vec![room], flags, burst).remove(0)
    }

    /// Opens `packets`, one burst.
    #[track_caller]
    pub(crate) fn open(&mut self, packets: &[Vec<u8>]) -> Vec<Outcome> {
        self.open_flagged(packets, PacketFlags::NONE)
    }

    #[track_caller]
    pub(crate) fn open_flagged(&mut self, packets: &[Vec<u8>], flags: PacketFlags) -> Vec<Outcome> {
        let rooms = packets.iter().map(|packet| Room::new(ROOM, packet, ROOM)).collect();
        self.run(rooms, flags, |worker, now, packets, verdicts| {
            worker.open_burst(now, packets, verdicts).expect("one verdict each");
        })
    }

    #[track_caller]
    pub(crate) fn open_one(&mut self, packet: &[u8]) -> Outcome {
        self.open(&[packet.to_vec()]).remove(0)
    }

    /// Opens the packet that fills all of `buf`: there is no room around it.
    #[track_caller]
    pub(crate) fn open_buf(&mut self, buf: &mut [u8]) -> Verdict {
        self.now += 1;
        let before = self.engine.stats();
        let mut verdicts = [Verdict::default()];
        let len = buf.len();
        let mut packets = [Packet::new(buf, 0, len).expect("inside")];
        self.worker.open_burst(Millis(self.now), &mut packets, &mut verdicts).expect("one verdict");
        assert_counted(&before, &self.engine.stats(), &verdicts);
        verdicts[0]
    }

    /// The last sequence number that an outbound SA gave.
    #[track_caller]
    pub(crate) fn last_seq(&self, tunnel: TunnelId) -> u64 {
        let sa = self.engine.outbound_sa(tunnel).expect("a live tunnel");
        self.engine.sa_stats(sa).expect("a live SA").sequence
    }

    /// Audit events that nobody has taken yet, oldest first.
    pub(crate) fn events(&self) -> Vec<Event> {
        std::iter::from_fn(|| self.engine.poll_event()).collect()
    }

    /// One call, and what must hold after each: a verdict for every packet is counted once, and no byte outside of
    /// the data and the room it needed was touched.
    #[track_caller]
    fn run(
        &mut self,
        mut rooms: Vec<Room>,
        flags: PacketFlags,
        call: impl FnOnce(&mut Worker, Millis, &mut [Packet<'_>], &mut [Verdict]),
    ) -> Vec<Outcome> {
        self.now += 1;
        let before = self.engine.stats();
        let mut verdicts = vec![Verdict::default(); rooms.len()];
        {
            let place = |room: &mut Room| (room.data_off(), room.data_len());
            let mut packets: Vec<Packet<'_>> = rooms
                .iter_mut()
                .map(|room| {
                    let (off, len) = place(room);
                    Packet::new(room.buf_mut(), off, len).expect("inside").with_flags(flags)
                })
                .collect();
            call(&mut self.worker, Millis(self.now), &mut packets, &mut verdicts);
        }
        assert_counted(&before, &self.engine.stats(), &verdicts);
        let outcomes = rooms.into_iter().zip(verdicts).map(|(room, verdict)| outcome(&room, verdict));
        outcomes.collect()
    }
}

#[track_caller]
fn outcome(room: &Room, verdict: Verdict) -> Outcome {
    let (start, end) = (room.data_off(), room.data_off() + room.data_len());
    let bytes = match verdict {
        Verdict::Delivered(got) => {
            let (off, len) = (got.offset as usize, got.len as usize);
            room.assert_untouched_outside(start.min(off)..end.max(off + len));
            room.buf()[off..off + len].to_vec()
        }
        Verdict::HandedBack(_) => {
            room.assert_untouched();
            Vec::new()
        }
        Verdict::Consumed(_) | Verdict::Dropped { .. } => {
            room.assert_untouched_outside(start..end);
            Vec::new()
        }
    };
    Outcome { verdict, bytes, buf: room.buf().to_vec() }
}

/// Every packet of a call ended in exactly one counter.
#[track_caller]
fn assert_counted(before: &Stats, after: &Stats, verdicts: &[Verdict]) {
    assert_eq!(after.unaccounted(), 0);
    let count =
        |wanted: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count() as u64;
    let grown = |counter| after.of(counter) - before.of(counter);
    for reason in DropReason::ALL {
        let dropped = count(&|verdict| verdict.reason() == Some(*reason));
        assert_eq!(grown(Counter::Dropped(*reason)), dropped, "{}", reason.name());
    }
    let others = [
        (Counter::Dummy, Verdict::Consumed(Consumed::Dummy)),
        (Counter::Keepalive, Verdict::Consumed(Consumed::Keepalive)),
        (Counter::Ike, Verdict::HandedBack(HandedBack::Ike)),
        (Counter::NotEsp, Verdict::HandedBack(HandedBack::NotEsp)),
    ];
    for (counter, wanted) in others {
        assert_eq!(grown(counter), count(&|verdict| *verdict == wanted), "{}", counter.name());
    }
    let delivered = |stats: &Stats| stats.outbound.delivered + stats.inbound.delivered;
    assert_eq!(delivered(after) - delivered(before), count(&|verdict| verdict.delivered().is_some()));
}

/// Keying material for a transform: every byte tells its place.
pub(crate) fn key(transform: Transform) -> Vec<u8> {
    (1..=transform.key_len() as u8).collect()
}

/// An outbound SA in tunnel mode from 192.0.2.1 to 192.0.2.2, or over IPv6.
pub(crate) fn tunnel(transform: Transform, v6: bool) -> SaConfig {
    let mut config = transport(transform);
    config.mode = Mode::Tunnel;
    let (src, dst) = if v6 { ("2001:db8::1", "2001:db8::2") } else { ("192.0.2.1", "192.0.2.2") };
    (config.src, config.dst) = (src.parse().ok(), dst.parse().ok());
    config
}

/// An outbound SA in transport mode.
pub(crate) fn transport(transform: Transform) -> SaConfig {
    let mut config = SaConfig::new(Direction::Outbound, SPI, transform, key(transform), Mode::Transport);
    (config.keys, config.allow_legacy) = (KeySource::Negotiated, transform.is_legacy());
    config
}

/// Every transform that authenticates and goes both ways; without the feature `legacy` that is every one.
pub(crate) static EVERY: LazyLock<Vec<Transform>> = LazyLock::new(|| {
    let two_way = |transform: &&Transform| transform.icv_len() > 0 && !transform.name().starts_with("des-");
    Transform::ALL.iter().filter(two_way).copied().collect()
});

/// Whether the payload stands in clear on the wire.
pub(crate) fn in_clear(transform: Transform) -> bool {
    transform.name().starts_with("null-") || transform.name().ends_with("-gmac")
}

/// Whether the cipher takes whole blocks only.
pub(crate) fn in_blocks(transform: Transform) -> bool {
    transform.align() > 4
}

/// The inbound end of an outbound SA.
pub(crate) fn peer(outbound: &SaConfig) -> SaConfig {
    let mut config = outbound.clone();
    config.direction = Direction::Inbound;
    let defaults = transport(outbound.transform);
    (config.mtu, config.tfc_pad_to) = (None, None);
    (config.dscp, config.df, config.ttl, config.flow_label) =
        (defaults.dscp, defaults.df, defaults.ttl, defaults.flow_label);
    config
}

/// The same SA for the slow ESP.
pub(crate) fn slow(config: &SaConfig) -> SlowSa {
    SlowSa {
        spi: config.spi,
        transform: SlowTransform::named(config.transform.name()).expect("every transform"),
        key: config.key.expose().to_vec(),
        esn: config.esn,
        mode: match (config.mode, config.src, config.dst) {
            (Mode::Tunnel, Some(src), Some(dst)) => SlowMode::Tunnel { src, dst },
            (Mode::Tunnel, ..) => panic!("a tunnel has addresses"),
            (Mode::Transport, ..) => SlowMode::Transport,
        },
        udp: config.udp.map(|udp| (udp.src_port, udp.dst_port)),
    }
}

/// Outer addresses of a tunnel.
pub(crate) fn ends(config: &SaConfig) -> (IpAddr, IpAddr) {
    (config.src.expect("src"), config.dst.expect("dst"))
}

/// The IV of packet `seq` of an SA that [`Rig::out`] installed, if it is a counter. Behind it stands what block modes
/// take of it.
pub(crate) fn iv(seq: u64) -> [u8; 16] {
    (u128::from(seq) << 64 | u128::from(!seq)).to_be_bytes()
}
