//! A complete poll-mode loop: receive, seal, send; receive, open, deliver. Run it: `cargo run --example pmd -p esp-core`.
//!
//! The ports are memory. In a switch, `rx` is `rte_eth_rx_burst` or an AF_XDP ring, and `Frame` the driver's buffer.

use std::error::Error;

use esp_core::config::{Direction, Mode, SaConfig};
use esp_core::{BURST, Engine, Millis, Packet, Transform, TunnelId, Verdict, Worker};

/// A buffer of the driver's: room, an IP packet, room.
struct Frame {
    buf: [u8; 2048],
    off: usize,
    len: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Control thread: an engine, and the two SAs of a tunnel. Here both ends are ours, so what is sealed comes back.
    let engine = Engine::builder().max_sas(16).build()?;
    let key = [7; 36]; // from IKE: 32 bytes of AES key, 4 of salt
    let mut sa = SaConfig::new(Direction::Outbound, 0x1001, Transform::Aes256Gcm16, &key[..], Mode::Tunnel);
    (sa.src, sa.dst) = (Some("192.0.2.1".parse()?), Some("192.0.2.2".parse()?));
    let tunnel = engine.install_outbound(&sa)?;
    sa.direction = Direction::Inbound;
    engine.install_inbound(&sa)?;

    // One worker a poll-mode thread.
    let worker = engine.worker()?;
    let thread = std::thread::spawn(move || poll(worker, tunnel));
    let delivered = thread.join().map_err(|_| "the poll-mode thread panicked")??;

    let stats = engine.stats();
    println!("{delivered} packets out and back, {} dropped", stats.dropped_in_all());
    assert_eq!(stats.unaccounted(), 0);
    Ok(())
}

/// The poll-mode thread. No call in the loop allocates, locks more than the replay mutex, or panics.
fn poll(mut worker: Worker, tunnel: TunnelId) -> Result<usize, esp_core::BurstError> {
    worker.enter();
    let mut frames = [const { Frame { buf: [0; 2048], off: 0, len: 0 } }; BURST];
    let mut verdicts = [Verdict::default(); BURST];
    let mut delivered = 0;
    for round in 0..1000 {
        let now = Millis(round); // the switch's own clock

        rx(&mut frames); // from the plain port
        worker.seal_burst(now, tunnel, &mut packets(&mut frames), &mut verdicts)?;
        keep(&mut frames, &verdicts); // to the protected port: send what was delivered, free the rest

        worker.open_burst(now, &mut packets(&mut frames), &mut verdicts)?;
        delivered += keep(&mut frames, &verdicts); // to the plain port
    }
    Ok(delivered)
}

fn packets(frames: &mut [Frame; BURST]) -> [Packet<'_>; BURST] {
    frames
        .each_mut()
        .map(|frame| Packet::new(&mut frame.buf, frame.off, frame.len).expect("inside the frame"))
}

/// Notes where each delivered packet lies now.
fn keep(frames: &mut [Frame], verdicts: &[Verdict]) -> usize {
    let lies = |(frame, verdict): (&mut Frame, &Verdict)| {
        let got = verdict.delivered()?;
        (frame.off, frame.len) = (got.offset as usize, got.len as usize);
        Some(())
    };
    frames.iter_mut().zip(verdicts).filter_map(lies).count()
}

/// Fills a burst with IPv4 packets of 64 bytes, 128 bytes of headroom in front.
fn rx(frames: &mut [Frame]) {
    for frame in frames {
        (frame.off, frame.len) = (128, 64);
        let header = [0x45, 0, 0, 64, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        frame.buf[128..148].copy_from_slice(&header);
    }
}
