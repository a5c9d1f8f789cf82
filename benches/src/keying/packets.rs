//! Keys and packets of any transform.

use anyhow::{Context as _, Result, ensure};
use arrayvec::ArrayVec;
use esp_crypto::{Cipher, KeyMaterial, SealJob, SealKey, Transform, seal_burst};

use super::{BURST, best};

/// Keying material of which no two DES keys are equal.
pub(super) fn keys(transform: Transform) -> KeyMaterial {
    KeyMaterial::new((1..=transform.key_len()).map(|byte| byte.to_le_bytes()[0]).collect::<Vec<u8>>())
}

/// Packets with so much payload, rounded up to what the cipher takes, in clear and with a zero ICV.
pub(super) fn clear(transform: Transform, payload: usize, count: usize) -> Vec<Vec<u8>> {
    let payload = payload.next_multiple_of(transform.align());
    let len = HEADER_LEN + transform.iv_len() + payload;
    let packet = |index: usize| {
        let bytes = (0..len).map(|at| (at * 7 + index * 31).to_le_bytes()[0]);
        bytes.chain(std::iter::repeat_n(0, transform.icv_len())).collect()
    };
    (0..count).map(packet).collect()
}

/// Seals packets, or of a transform that only receives: writes their ICV, so that they open to something.
pub(super) fn seal(transform: Transform, keys: &KeyMaterial, packets: &mut [Vec<u8>]) -> Result<()> {
    let receives = transform.cipher().cipher == Cipher::DesCbc;
    if receives && transform.icv_len() == 0 {
        return Ok(());
    }
    let key =
        if receives { mac_alone(transform, keys)? } else { SealKey::new(transform, best(transform), keys)? };
    seal_jobs(packets.iter_mut().map(|esp| SealJob { key: &key, esp, seq_hi: None }))?;
    Ok(())
}

/// The key of the transform's MAC without its cipher.
fn mac_alone(transform: Transform, keys: &KeyMaterial) -> Result<SealKey> {
    let mac = Transform::of(Cipher::Null, transform.integrity().integrity).context("no such MAC alone")?;
    let all: Vec<u8> = (1..=keys.len()).map(|byte| byte.to_le_bytes()[0]).collect();
    let own = KeyMaterial::new(all[transform.cipher_key_len()..].to_vec());
    Ok(SealKey::new(mac, best(mac), &own)?)
}

/// Seals a burst: how many packets it was.
pub(super) fn seal_jobs<'j>(jobs: impl Iterator<Item = SealJob<'j, 'j>>) -> Result<usize> {
    let mut jobs: ArrayVec<_, BURST> = jobs.collect();
    let mut results = [Ok(()); BURST];
    seal_burst(&mut jobs, &mut results);
    ensure!(results.iter().all(Result::is_ok), "a packet was not sealed");
    Ok(jobs.len())
}

/// Whether packets are the same between IV and ICV.
pub(super) fn same_payload(transform: Transform, left: &[Vec<u8>], right: &[Vec<u8>]) -> bool {
    let start = HEADER_LEN + transform.iv_len();
    let payload = |packet: &Vec<u8>| packet[start..packet.len() - transform.icv_len()].to_vec();
    left.len() == right.len() && left.iter().map(payload).eq(right.iter().map(payload))
}

/// SPI and sequence number, in bytes.
const HEADER_LEN: usize = 8;
