//! Jobs of the crypto layer under any transforms and keys, mixed in one burst, against the slow ESP.

use esp_core::{KeyMaterial, Tier, Tiers, Transform};
use esp_crypto::{JobError, OpenJob, OpenKey, SealJob, SealKey, open_burst, seal_burst};
use esp_testkit::slow::{SlowError, SlowMode, SlowSa, SlowTransform, decrypt, seal_raw};

use crate::bytes::{Bytes, noise};

/// Seals a burst and compares it byte for byte; harms some of it, and opens it: both say the same of every packet, what
/// verified is the plaintext, and of the rest no plaintext is there.
pub(crate) fn holds(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let keys: Vec<Key> = (0..=bytes.below(4)).map(|n| Key::of(&mut bytes, n as u64)).collect();
    let mut packets = Vec::new();
    for number in 1..=u64::from(bytes.next() % 40) {
        packets.push(Sent::of(&mut bytes, &keys, number));
    }
    let mut sealed: Vec<Vec<u8>> = packets.iter().map(|sent| sent.clear.clone()).collect();
    let mut results = vec![Ok(()); packets.len()];
    seal(&keys, &packets, &mut sealed, &mut results);
    for ((sent, sealed), result) in packets.iter().zip(&sealed).zip(&results) {
        let key = &keys[sent.key];
        assert_eq!(*result, Ok(()), "{}", key.transform);
        let slow = seal_raw(&key.slow, sent.seq, sent.iv, &sent.plaintext);
        assert_eq!(*sealed, slow, "{} on {}", key.transform, key.tier.name());
    }
    for (sent, sealed) in packets.iter_mut().zip(&mut sealed) {
        sent.harm(&mut bytes, sealed);
    }
    let arriving = sealed.clone();
    unseal(&keys, &packets, &mut sealed, &mut results);
    for (((sent, opened), arrived), result) in packets.iter().zip(&sealed).zip(&arriving).zip(&results) {
        sent.judge(&keys[sent.key], arrived, opened, *result);
    }
}

/// Keyed state on a tier, and the same for the slow ESP.
struct Key {
    transform: Transform,
    tier: Tier,
    seal: SealKey,
    open: OpenKey,
    slow: SlowSa,
}

impl Key {
    fn of(bytes: &mut Bytes<'_>, seed: u64) -> Self {
        let two_way: Vec<_> =
            Transform::ALL.iter().filter(|transform| is_two_way(**transform)).copied().collect();
        let transform = bytes.pick(&two_way);
        let tiers: Vec<Tier> = Tiers::detect(&[]).all(transform).collect();
        let tier = bytes.pick(&tiers);
        let mut key = noise(seed, transform.key_len());
        let own = bytes.some(8);
        key[..own.len()].copy_from_slice(own);
        let material = KeyMaterial::from_slice(&key);
        let slow = SlowSa {
            spi: u32::from(bytes.short()) << 16 | 0x1001,
            transform: SlowTransform::named(transform.name()).expect("every transform"),
            key,
            esn: bytes.flag(),
            mode: SlowMode::Transport,
            udp: None,
        };
        let seal = SealKey::new(transform, tier, &material).expect("a key");
        Self { transform, tier, seal, open: OpenKey::new(transform, tier, &material).expect("a key"), slow }
    }
}

fn is_two_way(transform: Transform) -> bool {
    transform.icv_len() > 0 && !transform.name().starts_with("des-")
}

/// A packet, and what is done to it.
struct Sent {
    key: usize,
    seq: u64,
    iv: [u8; 16],
    plaintext: Vec<u8>,
    /// Header, IV, plaintext, room for the ICV.
    clear: Vec<u8>,
    /// The high half that the receiver infers.
    seq_hi: u32,
}

impl Sent {
    fn of(bytes: &mut Bytes<'_>, keys: &[Key], number: u64) -> Self {
        let key = bytes.below(keys.len());
        let Key { transform, slow, .. } = &keys[key];
        let seq = u64::from(bytes.next()) << 32 | number;
        let len = bytes.below(1600);
        let align = if transform.align() > 4 { transform.align() } else { 1 };
        let plaintext = noise(seq, len.next_multiple_of(align));
        let iv: [u8; 16] = noise(!seq, 16).try_into().expect("16 bytes");
        let header = [slow.spi.to_be_bytes(), (seq as u32).to_be_bytes()].concat();
        let icv = vec![0xee; transform.icv_len()];
        let clear = [&header[..], &iv[..transform.iv_len()], &plaintext, &icv].concat();
        Self { key, seq, iv, plaintext, clear, seq_hi: (seq >> 32) as u32 }
    }

    /// Flips a bit, cuts, appends, or has the receiver infer another high half; or does nothing.
    fn harm(&mut self, bytes: &mut Bytes<'_>, sealed: &mut Vec<u8>) {
        match bytes.next() % 8 {
            0 => {
                let bit = usize::from(bytes.short()) % (sealed.len() * 8);
                sealed[bit / 8] ^= 1 << (bit % 8);
            }
            1 => sealed.truncate(usize::from(bytes.short()) % (sealed.len() + 1)),
            2 => sealed.extend(bytes.some(20)),
            3 => self.seq_hi ^= 1 << (bytes.next() % 32),
            _ => {}
        }
    }

    fn judge(&self, key: &Key, arrived: &[u8], opened: &[u8], result: Result<(), JobError>) {
        let Key { transform, slow, .. } = key;
        let text = text_of(*transform, arrived.len());
        let expected = slow_open(slow, self.seq_hi, arrived);
        let judged = match (result, &expected) {
            (Ok(()), Ok(plaintext)) => opened[text.clone()] == plaintext[..],
            (Err(JobError::TooShort), Err(SlowError::TooShort)) => true,
            (Err(JobError::AuthFailed), Err(SlowError::BadIcv)) => true,
            (Err(JobError::BadLength), Err(SlowError::NoWholeBlocks)) => true,
            _ => false,
        };
        assert!(judged, "{transform}: {result:?}, and the slow ESP says {expected:?}");
        if result == Ok(()) {
            return;
        }
        let now = &opened[text.clone()];
        let wiped = now.iter().all(|byte| *byte == 0);
        assert!(wiped || *now == arrived[text], "{transform}: neither wiped nor as it came");
    }
}

/// Where ciphertext stands in a packet of `len` bytes; nothing if it is too short for any.
fn text_of(transform: Transform, len: usize) -> std::ops::Range<usize> {
    let front = 8 + transform.iv_len();
    front.min(len)..len.saturating_sub(transform.icv_len()).max(front.min(len))
}

/// All that the slow ESP decrypts.
fn slow_open(sa: &SlowSa, seq_hi: u32, esp: &[u8]) -> Result<Vec<u8>, SlowError> {
    // Jobs do not compare the SPI, which is covered by the ICV like everything else.
    let Some(spi) = esp.first_chunk() else { return Err(SlowError::TooShort) };
    let sa = SlowSa { spi: u32::from_be_bytes(*spi), ..sa.clone() };
    decrypt(&sa, seq_hi, esp)
}

fn seal(keys: &[Key], packets: &[Sent], sealed: &mut [Vec<u8>], results: &mut [Result<(), JobError>]) {
    let mut jobs: Vec<_> = packets
        .iter()
        .zip(sealed)
        .map(|(sent, esp)| {
            let key = &keys[sent.key];
            SealJob { key: &key.seal, esp, seq_hi: key.slow.esn.then_some(sent.seq_hi) }
        })
        .collect();
    seal_burst(&mut jobs, results);
}

fn unseal(keys: &[Key], packets: &[Sent], sealed: &mut [Vec<u8>], results: &mut [Result<(), JobError>]) {
    results.fill(Ok(()));
    let mut jobs: Vec<_> = packets
        .iter()
        .zip(sealed)
        .map(|(sent, esp)| {
            let key = &keys[sent.key];
            OpenJob { key: &key.open, esp, seq_hi: key.slow.esn.then_some(sent.seq_hi) }
        })
        .collect();
    open_burst(&mut jobs, results);
}
