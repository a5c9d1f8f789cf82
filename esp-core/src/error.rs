//! Why the control plane refused: rich, for people; packets have their own one-byte drop reasons.

use esp_crypto::Transform;

/// Why an SA, an engine or a worker could not be set up. No variant carries key bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaError {
    /// A field of the configuration holds a value outside its legal range, or one that contradicts another field.
    #[error("{field}: got {value}; legal: {legal}")]
    Field {
        /// The field, as it is spelled in the SA file; `udp.src_port` for one inside a table.
        field: &'static str,
        /// The refused value; never key text.
        value: String,
        /// The legal range, with the reason where it is not plain.
        legal: String,
    },
    /// The keying material is not exactly as long as the transform needs; nothing was copied, cut or padded.
    #[error(
        "key: {transform} takes exactly {expected} bytes of keying material{}, got {got}",
        parts(transform)
    )]
    KeyLength {
        /// Name of the transform.
        transform: &'static str,
        /// Keying material that it takes, in bytes, salt included.
        expected: usize,
        /// Keying material that was given, in bytes.
        got: usize,
    },
    /// The SPI belongs to a live SA, or is reserved.
    #[error("SPI {spi:#010x} is live or reserved; remove its SA first, or choose another SPI")]
    Exists {
        /// The SPI, host byte order.
        spi: u32,
    },
    /// Every slot holds a live SA.
    #[error("all {max_sas} SAs are live; remove one, or build the engine with a larger max_sas")]
    Full {
        /// Capacity of the engine, in SAs of one direction.
        max_sas: u32,
    },
    /// Slots are free but workers may still be looking at them; it passes when every worker finishes a burst.
    #[error("freed SAs wait for {}; let every worker finish a burst, quiesce or go offline, then retry", stalled(*.stalled_worker))]
    Busy {
        /// The worker that holds reclamation up, by index, when it is known.
        stalled_worker: Option<usize>,
    },
    /// The handle names no live SA: it was removed, or comes from another engine.
    #[error("the handle names no live SA; look the SA up again, or install it")]
    Stale,
    /// The operating system gives no random numbers, which IVs need.
    #[error(
        "the operating system gives no random numbers; a worker needs them for unpredictable IVs, and an outbound SA to tell its IVs from those of an earlier one"
    )]
    NoRandom,
    /// Every worker index is taken.
    #[error(
        "all {max_workers} worker indices are taken; drop a worker, or build the engine with a larger max_workers"
    )]
    NoRoomForWorkers {
        /// Workers that the engine has room for.
        max_workers: usize,
    },
}

fn stalled(worker: Option<usize>) -> String {
    worker.map_or_else(|| "a worker".to_owned(), |index| format!("worker {index}"))
}

/// What keying material is made of, where it is of several parts.
fn parts(transform: &str) -> String {
    let Some(transform) = Transform::from_name(transform) else { return String::new() };
    let (cipher, integrity) = (transform.cipher(), transform.integrity());
    let parts = [(cipher.key_len, "key"), (cipher.salt_len, "salt"), (integrity.key_len, "integrity key")];
    let parts: Vec<_> =
        parts.iter().filter(|(len, _)| *len > 0).map(|(len, what)| format!("{len} {what}")).collect();
    if parts.len() > 1 { format!(" ({})", parts.join(", ")) } else { String::new() }
}
