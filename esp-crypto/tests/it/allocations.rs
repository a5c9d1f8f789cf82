//! No memory is obtained for a packet, good or bad.

use esp_crypto::{JobError, OpenJob, SealJob, open_burst, seal_burst};
use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};

use crate::esp::{Sa, every_authentic_sa};

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

/// Packets sealed and opened in all, over the transforms: a million where the code is optimised.
const PACKETS: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
const BURST: usize = 32;

/// Bursts of all transforms mixed, so that each kernel meets each place in a burst.
#[test]
fn no_packet_allocates() {
    let sas: Vec<Sa> = every_authentic_sa().collect();
    let mut packets: Vec<_> = (0..BURST as u64).map(|seed| sas[0].raw_packet(seed, 200)).collect();
    let mut results = [Ok(()); BURST];
    let (mut done, mut turn) = (0, 0);
    while done < PACKETS {
        let sa_of = |at: usize| &sas[(turn * BURST + at) % sas.len()];
        let seq_hi = (turn % 2 == 0).then_some(7);
        for (at, packet) in packets.iter_mut().enumerate() {
            *packet = sa_of(at).packet(at as u64, (turn * 7 + at) % 300);
        }
        let mut jobs: Vec<_> = packets
            .iter_mut()
            .enumerate()
            .map(|(at, esp)| SealJob { key: &sa_of(at).seal, esp, seq_hi })
            .collect();
        assert_eq!(allocations_during(|| seal_burst(&mut jobs, &mut results)), 0, "seal, turn {turn}");
        assert_eq!(results, [Ok(()); BURST], "turn {turn}");

        packets[9].truncate(4);
        packets[10][3] ^= 1;
        let mut jobs: Vec<_> = packets
            .iter_mut()
            .enumerate()
            .map(|(at, esp)| OpenJob { key: &sa_of(at).open, esp, seq_hi })
            .collect();
        assert_eq!(allocations_during(|| open_burst(&mut jobs, &mut results)), 0, "open, turn {turn}");
        assert_eq!(results[9..12], [Err(JobError::TooShort), Err(JobError::AuthFailed), Ok(())], "{turn}");
        (done, turn) = (done + BURST, turn + 1);
    }
    assert!(turn * BURST > 100 * sas.len(), "every transform met many packets");
}
