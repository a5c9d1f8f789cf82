//! Bursts of any length, of many tunnels, with stale handles among them.

use esp_core::config::{ReplayWindow, SaConfig};
use esp_core::{BurstError, DropReason, Millis, Packet, Transform, TunnelId, Verdict};
use esp_testkit::builder::Room;
use esp_testkit::slow;

use super::small;
use crate::rig::{EVERY, ROOM, Rig, SPI, peer, slow as slow_sa, transport, tunnel};

const GCM: Transform = Transform::Aes128Gcm16;

#[test]
fn b75_bursts_of_every_length() {
    for count in [0, 1, 33, 257, 65_535] {
        let config = tunnel(GCM, false);
        let mut rig = Rig::new();
        let out = rig.out(&config);
        let mut inbound = peer(&config);
        inbound.replay_window = ReplayWindow::Bits(32);
        rig.inbound(&inbound);
        let inner = small(count);
        let sealed: Vec<Vec<u8>> = rig.seal(out, &inner).into_iter().map(|sealed| sealed.bytes).collect();
        for (n, sealed) in sealed.iter().enumerate() {
            assert_eq!(sealed[24..28], (1 + n as u32).to_be_bytes(), "packet {n} of {count}");
        }
        let opened = rig.open(&sealed);
        assert_eq!((sealed.len(), opened.len()), (count, count));
        for (inner, opened) in inner.iter().zip(&opened) {
            assert_eq!(opened.bytes, *inner);
        }
        let stats = rig.engine.stats();
        let bursts = count.div_ceil(32) as u64;
        assert_eq!((stats.outbound.bursts, stats.inbound.bursts), (bursts, bursts));
        assert_eq!(rig.last_seq(out), count as u64);
    }
}

/// Many SAs of many kinds.
fn many(count: u32) -> Vec<SaConfig> {
    let mut all = Vec::new();
    for n in 0..count {
        let transform = EVERY[n as usize % EVERY.len()];
        let mut config = match n % 3 {
            0 => tunnel(transform, false),
            1 => tunnel(transform, true),
            _ => transport(transform),
        };
        (config.spi, config.tun_id) = (SPI + n, u64::from(n) << 40 | 7);
        all.push(config);
    }
    all
}

#[test]
fn mixed_bursts_keep_tunnels_apart() {
    let configs = many(40);
    let mut rig = Rig::new();
    let tunnels: Vec<TunnelId> = configs.iter().map(|config| rig.out(config)).collect();
    // 7 and 40 have no common factor: every tunnel comes about equally often, in a scattered order.
    let picks: Vec<usize> = (0..300).map(|n| n * 7 % 40 / (1 + n % 2)).collect();
    let inner = small(picks.len());
    let chosen: Vec<TunnelId> = picks.iter().map(|pick| tunnels[*pick]).collect();
    let mut next = vec![0_u32; configs.len()];
    for ((pick, inner), sealed) in picks.iter().zip(&inner).zip(rig.seal_mixed(&chosen, &inner)) {
        let got = sealed.verdict.delivered().expect("sealed");
        assert_eq!(Ok(got.sa), rig.engine.outbound_sa(tunnels[*pick]));
        assert_eq!(got.tun_id, configs[*pick].tun_id);
        next[*pick] += 1;
        let opened = slow::open(&slow_sa(&configs[*pick]), 0, &sealed.bytes).expect("its own key");
        assert_eq!((opened.seq_low, &opened.inner), (next[*pick], inner), "order within the tunnel");
    }
    for (tunnel, count) in tunnels.iter().zip(&next) {
        assert_eq!(rig.last_seq(*tunnel), u64::from(*count));
    }
}

#[test]
fn mixed_bursts_with_stale_tunnels() {
    let configs = many(6);
    let mut rig = Rig::new();
    let mut tunnels: Vec<TunnelId> = configs.iter().map(|config| rig.out(config)).collect();
    for gone in [1, 4] {
        rig.engine.remove(rig.engine.outbound_sa(tunnels[gone]).expect("live")).expect("live");
    }
    tunnels.extend([0, 1, u64::MAX, 1 << 63].map(TunnelId::from_u64));
    let stale = |pick: usize| matches!(pick, 1 | 4 | 6..);
    for first in 0..tunnels.len() {
        let picks: Vec<usize> = (0..64).map(|n| (first + n) % tunnels.len()).collect();
        let chosen: Vec<TunnelId> = picks.iter().map(|pick| tunnels[*pick]).collect();
        for (pick, outcome) in picks.iter().zip(rig.seal_mixed(&chosen, &small(64))) {
            if stale(*pick) {
                outcome.assert_dropped(DropReason::StaleTunnel);
            } else {
                assert!(outcome.delivered(), "{:?}", outcome.verdict);
            }
        }
    }
    for stale in [tunnels[1], TunnelId::from_u64(12_345)] {
        for refused in rig.seal_mixed(&[stale; 33], &small(33)) {
            refused.assert_dropped(DropReason::StaleTunnel);
        }
        for refused in rig.seal(stale, &small(33)) {
            refused.assert_dropped(DropReason::StaleTunnel);
        }
    }
}

/// Slices of unequal length: nothing is touched, nothing is counted.
#[test]
fn burst_slices_must_be_equally_long() {
    let mut rig = Rig::new();
    let out = rig.out(&tunnel(GCM, false));
    let packets = small(3);
    let mut rooms: Vec<Room> = packets.iter().map(|packet| Room::new(ROOM, packet, ROOM)).collect();
    let mut verdicts = [Verdict::default(); 4];
    {
        let place = |room: &Room| (room.data_off(), room.data_len());
        let mut burst: Vec<Packet<'_>> = rooms
            .iter_mut()
            .map(|room| {
                let (off, len) = place(room);
                Packet::new(room.buf_mut(), off, len).expect("inside")
            })
            .collect();
        let worker = &mut rig.worker;
        let wrong = |others, what| Err(BurstError { packets: 3, others, what });
        for others in [0, 2, 4] {
            let some = &mut verdicts[..others];
            assert_eq!(worker.seal_burst(Millis(0), out, &mut burst, some), wrong(others, "verdicts"));
            assert_eq!(worker.open_burst(Millis(0), &mut burst, some), wrong(others, "verdicts"));
            assert_eq!(worker.seal_mixed(Millis(0), &[out; 3], &mut burst, some), wrong(others, "verdicts"));
            let tunnels = vec![out; others];
            let result = worker.seal_mixed(Millis(0), &tunnels, &mut burst, &mut verdicts[..3]);
            assert_eq!(result, wrong(others, "tunnels"));
        }
    }
    rooms.iter().for_each(Room::assert_untouched);
    assert_eq!(verdicts, [Verdict::default(); 4]);
    assert_eq!((rig.engine.stats().outbound.packets_in, rig.engine.stats().inbound.packets_in), (0, 0));
    assert_eq!(rig.last_seq(out), 0);
}
