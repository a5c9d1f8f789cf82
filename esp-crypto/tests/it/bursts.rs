//! Many packets at once, each judged alone.

use esp_crypto::{JobError, OpenJob, OpenKey, SealJob, SealKey, open_burst, seal_burst};
use proptest::prelude::*;

use crate::esp::{HEADER_LEN, Sa, every_authentic_sa, every_sa, noise, open_one, seal_one};

/// Bad packets first, last and in between do no harm to the good ones between them.
#[test]
fn b16_bad_jobs_harm_no_neighbour() {
    for sa in every_authentic_sa() {
        for bad in [0b0000_0001_u32, 0b1000_0000, 0b1010_0101, 0b0111_1110, 0xff, 0] {
            let plain: Vec<_> = (0..8_u8).map(|at| sa.packet(u64::from(at), 60 + usize::from(at))).collect();
            let mut packets: Vec<_> = plain.iter().map(|packet| sa.sealed(packet, None)).collect();
            let is_bad = |at: usize| bad & (1 << at) != 0;
            for (at, packet) in packets.iter_mut().enumerate().filter(|(at, _)| is_bad(*at)) {
                match at % 3 {
                    0 => packet[0] ^= 1,
                    1 => packet.truncate(3),
                    _ => *packet.last_mut().unwrap() ^= 1,
                }
            }
            let mut results = [Err(JobError::TooShort); 8];
            let jobs = packets.iter_mut().map(|esp| OpenJob { key: &sa.open, esp, seq_hi: None });
            open_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
            for (at, result) in results.into_iter().enumerate() {
                let expected = match at % 3 {
                    _ if !is_bad(at) => Ok(()),
                    1 => Err(JobError::TooShort),
                    _ => Err(JobError::AuthFailed),
                };
                assert_eq!(result, expected, "{} on {} at {at} of {bad:#b}", sa.transform, sa.tier);
                let payload = sa.payload(plain[at].len());
                assert!(is_bad(at) || packets[at][payload.clone()] == plain[at][payload]);
            }
        }
    }
}

/// Header, IV and ICV without any payload is the shortest packet; below that nothing is touched.
#[test]
fn short_packets_are_not_touched() {
    for sa in every_sa() {
        let shortest = HEADER_LEN + sa.transform.iv_len() + sa.transform.icv_len();
        for len in 0..shortest {
            let came = noise(len as u64, len);
            let mut esp = came.clone();
            assert_eq!(seal_one(&sa.seal, &mut esp, None), Err(JobError::TooShort), "{}", sa.transform);
            assert_eq!(open_one(&sa.open, &mut esp, Some(1)), Err(JobError::TooShort), "{}", sa.transform);
            assert_eq!(esp, came, "{} {len}", sa.transform);
        }
        assert_eq!(seal_one(&sa.seal, &mut noise(1, shortest), None), Ok(()), "{}", sa.transform);
    }
}

/// Sealing writes payload and ICV, and nothing of the header or the IV.
#[test]
fn header_and_iv_are_left_alone() {
    for sa in every_sa() {
        let plain = sa.packet(3, 77);
        let start = sa.payload(plain.len()).start;
        let mut esp = sa.sealed(&plain, Some(3));
        assert_eq!(esp[..start], plain[..start], "{}", sa.transform);
        let icv_at = esp.len() - sa.transform.icv_len();
        let icv = esp[icv_at..].to_vec();
        assert_eq!(open_one(&sa.open, &mut esp, Some(3)), Ok(()));
        assert_eq!(esp[..icv_at], plain[..icv_at], "{}", sa.transform);
        assert_eq!(esp[icv_at..], icv, "{}", sa.transform);
    }
}

/// Every length of a payload, whole packets of a burst as long as each other or not.
#[test]
fn every_length_comes_back() {
    for sa in every_sa() {
        for seq_hi in [None, Some(0x0102_0304)] {
            let plain: Vec<_> = (0..=300)
                .filter(|len| len % sa.block_len() == 0)
                .map(|len| sa.raw_packet(len as u64, len))
                .collect();
            let mut burst = plain.clone();
            let mut results = vec![Err(JobError::TooShort); burst.len()];
            let jobs = burst.iter_mut().map(|esp| SealJob { key: &sa.seal, esp, seq_hi });
            seal_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
            assert!(results.iter().all(Result::is_ok), "{}", sa.transform);
            for (sealed, plain) in burst.iter().zip(&plain) {
                assert!(sa.transform.icv_len() == 0 || sealed != plain, "{}", sa.transform);
            }
            let jobs = burst.iter_mut().map(|esp| OpenJob { key: &sa.open, esp, seq_hi });
            open_burst(&mut jobs.collect::<Vec<_>>(), &mut results);
            assert!(results.iter().all(Result::is_ok), "{}", sa.transform);
            for (opened, plain) in burst.iter().zip(&plain) {
                let end = sa.payload(plain.len()).end;
                assert_eq!(opened[..end], plain[..end], "{} {}", sa.transform, plain.len());
            }
        }
    }
}

#[test]
fn results_beyond_the_jobs_are_left_alone() {
    let mark = Err(JobError::AuthFailed);
    for sa in every_sa() {
        let mut esp = sa.packet(1, 20);
        let mut results = [mark; 3];
        seal_burst(&mut [SealJob { key: &sa.seal, esp: &mut esp, seq_hi: None }], &mut results);
        assert_eq!(results, [Ok(()), mark, mark]);
        results = [mark; 3];
        open_burst(&mut [OpenJob { key: &sa.open, esp: &mut esp, seq_hi: None }], &mut results);
        assert_eq!(results, [Ok(()), mark, mark]);
        seal_burst(&mut [], &mut results);
        open_burst(&mut [], &mut []);
        assert_eq!(results, [Ok(()), mark, mark]);
    }
}

#[test]
fn null_twin_costs_no_cryptography() {
    let (seal, open) = (SealKey::null_twin(8, 16), OpenKey::null_twin(8, 16));
    let came = noise(9, 8 + 8 + 30 + 16);
    let mut esp = came.clone();
    assert_eq!(seal_one(&seal, &mut esp, Some(1)), Ok(()));
    assert_eq!(esp[..46], came[..46]);
    assert_eq!(esp[46..], [0; 16]);
    assert_eq!(open_one(&open, &mut came.clone(), None), Ok(()));
    assert_eq!(open_one(&open, &mut came[..31].to_vec(), None), Err(JobError::TooShort));
    assert_eq!(seal_one(&SealKey::null_twin(0, 12), &mut came[..20].to_vec(), None), Ok(()));
}

proptest! {
    /// A burst of any mixture of SAs gives what the packets give one by one, and every job has its own result.
    #[test]
    fn mixed_burst_is_its_packets_one_by_one(
        picks in prop::collection::vec((0_usize..1000, 0_usize..200, any::<Option<u32>>(), 0_u8..4), 0..70),
    ) {
        let sas: Vec<Sa> = every_authentic_sa().collect();
        let pick = |at: usize| &sas[at % sas.len()];
        let plain: Vec<_> = picks.iter().zip(0..).map(|(p, n)| pick(p.0).packet(n, p.1)).collect();
        let mut burst = plain.clone();
        let mut results = vec![Err(JobError::AuthFailed); burst.len()];
        let mut jobs: Vec<_> = burst.iter_mut().zip(&picks)
            .map(|(esp, p)| SealJob { key: &pick(p.0).seal, esp, seq_hi: p.2 }).collect();
        seal_burst(&mut jobs, &mut results);
        prop_assert!(results.iter().all(Result::is_ok));
        for ((sealed, plain), p) in burst.iter().zip(&plain).zip(&picks) {
            prop_assert_eq!(sealed, &pick(p.0).sealed(plain, p.2));
        }

        for (esp, p) in burst.iter_mut().zip(&picks) {
            if p.3 == 0 { *esp.last_mut().unwrap() ^= 1 }
        }
        let mut jobs: Vec<_> = burst.iter_mut().zip(&picks)
            .map(|(esp, p)| OpenJob { key: &pick(p.0).open, esp, seq_hi: p.2 }).collect();
        open_burst(&mut jobs, &mut results);
        for ((esp, plain), (p, result)) in burst.iter().zip(&plain).zip(picks.iter().zip(&results)) {
            let payload = pick(p.0).payload(esp.len());
            prop_assert_eq!(*result, if p.3 == 0 { Err(JobError::AuthFailed) } else { Ok(()) });
            prop_assert!(p.3 == 0 || esp[payload.clone()] == plain[payload]);
        }
    }
}
