//! No memory is obtained for a packet, good or bad.

use esp_crypto::{JobError, OpenJob, SealJob, open_burst, seal_burst};
use esp_testkit::alloc_counter::{CountingAlloc, allocations_during};

use crate::esp::{Sa, every_sa};

#[global_allocator]
static ALLOC: CountingAlloc = CountingAlloc;

#[test]
fn no_packet_allocates() {
    let sas: Vec<Sa> = every_sa().collect();
    let mut packets: Vec<_> = (0..64).map(|n| sas[n % sas.len()].packet(n as u64, n * 40)).collect();
    let mut results = [Ok(()); 64];
    let key_of = |at: u32| &sas[at as usize % sas.len()];

    let mut jobs: Vec<_> = packets
        .iter_mut()
        .zip(0_u32..)
        .map(|(esp, at)| SealJob { key: &key_of(at).seal, esp, seq_hi: Some(at) })
        .collect();
    assert_eq!(allocations_during(|| seal_burst(&mut jobs, &mut results)), 0, "seal");
    assert_eq!(results, [Ok(()); 64]);

    packets[9].truncate(4);
    packets[10][3] ^= 1;
    let mut jobs: Vec<_> = packets
        .iter_mut()
        .zip(0_u32..)
        .map(|(esp, at)| OpenJob { key: &key_of(at).open, esp, seq_hi: Some(at) })
        .collect();
    assert_eq!(allocations_during(|| open_burst(&mut jobs, &mut results)), 0, "open");
    assert_eq!(results[9..12], [Err(JobError::TooShort), Err(JobError::AuthFailed), Ok(())]);
}
