//! A slow ESP, written from the RFCs alone: 4303 (ESP), 3948 (UDP encapsulation), and those of every transform.
//!
//! Every step allocates and nothing is shared with the engine: it is what the engine is compared with. Modes and MACs are
//! written out over block ciphers and hash functions; only ChaCha20-Poly1305 comes whole from a library, and from
//! another than the engine's. It keeps no state: the caller gives number and IV, and there is no replay window. [`seal_raw`] makes
//! authentic packets out of any plaintext, wicked trailers included; [`wrap_esp`] puts them into an IP
//! packet.
//!
//! ```
//! use esp_testkit::builder::{Ipv4, Upper};
//! use esp_testkit::slow::{SlowMode, SlowSa, SlowTransform, open, seal};
//!
//! let sa = SlowSa {
//!     spi: 0x1000,
//!     transform: SlowTransform::named("aes-256-gcm-16").unwrap(),
//!     key: vec![7; 36],
//!     esn: true,
//!     mode: SlowMode::Tunnel { src: "2001:db8::1".parse().unwrap(), dst: "2001:db8::2".parse().unwrap() },
//!     udp: Some((4500, 4500)),
//! };
//! let packet = Ipv4::default().packet(&Upper::udp(46));
//! let sealed = seal(&sa, 0x1_0000_0001, [9; 16], &packet, 0, 0);
//! let opened = open(&sa, 1, &sealed).unwrap();
//! assert_eq!((opened.inner, opened.seq_low), (packet, 1));
//! ```

mod aead;
mod block;
mod crypto;
mod ip;
mod mac;
mod transform;

pub use ip::{tunnel_header, wrap_esp};
pub use transform::SlowTransform;

use std::net::IpAddr;

/// What both ends agreed upon. All of it is taken as it is: weak or odd values are the caller's to try.
#[derive(Clone, Debug)]
pub struct SlowSa {
    /// Security Parameters Index, host order.
    pub spi: u32,
    /// Cipher and integrity.
    pub transform: SlowTransform,
    /// Keying material: the cipher's key, its salt, the key of the separate MAC.
    pub key: Vec<u8>,
    /// Extended sequence numbers: the high half enters the ICV.
    pub esn: bool,
    /// What is put around the packet.
    pub mode: SlowMode,
    /// Source and destination port of a UDP header before ESP (RFC 3948), or none.
    pub udp: Option<(u16, u16)>,
}

/// Mode of a [`SlowSa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowMode {
    /// ESP stands behind the packet's own header.
    Transport,
    /// The whole packet goes inside; these are the outer addresses, of one family.
    Tunnel {
        /// Outer source.
        src: IpAddr,
        /// Outer destination.
        dst: IpAddr,
    },
}

/// What [`open`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowOpened {
    /// The IP packet in clear. Tunnel: cut to its own length, so without TFC padding. Transport: the headers
    /// that were before ESP, with what was inside. Empty for a dummy packet (next header 59).
    pub inner: Vec<u8>,
    /// The trailer's next header.
    pub next_header: u8,
    /// The trailer's pad length in bytes.
    pub pad_len: u8,
    /// The sequence number on the wire.
    pub seq_low: u32,
    /// All that stood before the padding, TFC padding included.
    pub payload_raw: Vec<u8>,
}

/// Why [`open`] refused a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowError {
    /// No well-formed IP packet, or one that carries neither ESP nor UDP as the SA wants it.
    NotEsp(&'static str),
    /// The SPI is another.
    OtherSpi,
    /// Too short for SPI, sequence number, IV, trailer and ICV.
    TooShort,
    /// The packet is not authentic.
    BadIcv,
    /// Authentic, but its ciphertext is not made of whole blocks.
    NoWholeBlocks,
    /// The pad length is more than there is.
    BadPadLen,
    /// The padding is not 1, 2, 3, ..
    BadPadding,
    /// The next header or the inner packet does not suit the mode.
    BadInner(&'static str),
}

/// Seals `ip_packet` under the 64-bit `seq` and `iv`: the whole packet as it goes on the wire.
///
/// `tfc` zero bytes follow the payload (RFC 4303 section 2.7), and the padding is `pad_extra` bytes longer than it has to
/// be, and then as much as whole blocks take. Of `iv`, the transform takes its [`SlowTransform::iv_len`] first bytes. Of
/// `ip_packet`, bytes beyond its own IP length are left out. Panics where it is no IP packet, or where the padding is over
/// 255 bytes.
pub fn seal(sa: &SlowSa, seq: u64, iv: [u8; 16], ip_packet: &[u8], tfc: usize, pad_extra: usize) -> Vec<u8> {
    let packet = ip::trimmed(ip_packet).expect("ip_packet is an IP packet");
    let (headers, next_header, payload) = match sa.mode {
        SlowMode::Tunnel { src, dst } => (tunnel_header(src, dst), ip::protocol_of(packet), packet.to_vec()),
        SlowMode::Transport => ip::split_for_transport(packet).expect("ip_packet has whole headers"),
    };
    let mut plaintext = payload;
    plaintext.resize(plaintext.len() + tfc, 0);
    plaintext.extend(trailer(sa.transform.align(), plaintext.len(), pad_extra, next_header));
    wrap_esp(&headers, sa.udp, &seal_raw(sa, seq, iv, &plaintext))
}

/// Padding, pad length and next header behind `payload_len` bytes: a multiple of `align` (RFC 4303 section 2.4), the
/// padding at least `pad_extra` bytes longer than that takes.
pub fn trailer(align: usize, payload_len: usize, pad_extra: usize, next_header: u8) -> Vec<u8> {
    let shortest = (payload_len + 2).next_multiple_of(align) - (payload_len + 2);
    let pad_len = shortest + pad_extra.next_multiple_of(align);
    let pad_len = u8::try_from(pad_len).expect("a pad length is at most 255");
    (1..=pad_len).chain([pad_len, next_header]).collect()
}

/// An authentic ESP packet, from SPI to ICV, out of a plaintext that is taken as it is, trailer and all.
pub fn seal_raw(sa: &SlowSa, seq: u64, iv: [u8; 16], plaintext_with_trailer: &[u8]) -> Vec<u8> {
    let [h0, h1, h2, h3, low @ ..] = seq.to_be_bytes();
    let mut esp = [sa.spi.to_be_bytes(), low].concat();
    esp.extend(crypto::protect(sa, [h0, h1, h2, h3], low, &iv, plaintext_with_trailer));
    esp
}

/// Opens a packet, from its outer IP header. `seq_hi` is the high half of its number and enters the ICV with
/// ESN.
///
/// # Errors
///
/// The first check of RFC 4303 section 3.4 that failed.
pub fn open(sa: &SlowSa, seq_hi: u32, packet: &[u8]) -> Result<SlowOpened, SlowError> {
    let packet = ip::trimmed(packet).ok_or(SlowError::NotEsp("IP header or length"))?;
    let (headers, esp) = ip::unwrap_esp(packet, sa.udp)?;
    let plaintext = decrypt(sa, seq_hi, &esp)?;
    let low = *esp[4..].first_chunk().expect("what was decrypted has a number");
    let (payload_raw, pad_len, next_header) = strip_trailer(&plaintext)?;
    let inner = match (next_header, sa.mode) {
        (NO_NEXT_HEADER, _) => Vec::new(),
        (_, SlowMode::Transport) => ip::with_protocol(&headers, next_header, &payload_raw),
        (_, SlowMode::Tunnel { .. }) => inner_packet(next_header, &payload_raw)?.to_vec(),
    };
    Ok(SlowOpened { inner, next_header, pad_len, seq_low: u32::from_be_bytes(low), payload_raw })
}

/// The plaintext of an ESP packet, from SPI to ICV, with its trailer, whatever that is. `seq_hi` enters the ICV with ESN.
///
/// # Errors
///
/// Another SPI, too short, not authentic, or no whole blocks.
pub fn decrypt(sa: &SlowSa, seq_hi: u32, esp: &[u8]) -> Result<Vec<u8>, SlowError> {
    let (spi, rest) = esp.split_first_chunk().ok_or(SlowError::TooShort)?;
    let (low, rest) = rest.split_first_chunk().ok_or(SlowError::TooShort)?;
    if *spi != sa.spi.to_be_bytes() {
        return Err(SlowError::OtherSpi);
    }
    crypto::unprotect(sa, seq_hi.to_be_bytes(), *low, rest)
}

/// Payload, pad length and next header (RFC 4303 sections 2.4 to 2.6).
fn strip_trailer(plaintext: &[u8]) -> Result<(Vec<u8>, u8, u8), SlowError> {
    let (rest, &[pad_len, next_header]) = plaintext.split_last_chunk().ok_or(SlowError::TooShort)?;
    let payload_len = rest.len().checked_sub(usize::from(pad_len)).ok_or(SlowError::BadPadLen)?;
    let (payload, padding) = rest.split_at(payload_len);
    if padding.iter().copied().ne(1..=pad_len) {
        return Err(SlowError::BadPadding);
    }
    Ok((payload.to_vec(), pad_len, next_header))
}

/// The inner packet of tunnel mode, cut to its length; its version must be what the next header says.
fn inner_packet(next_header: u8, payload: &[u8]) -> Result<&[u8], SlowError> {
    let version = payload.first().map(|first| first >> 4);
    if !matches!((next_header, version), (IPV4, Some(4)) | (IPV6, Some(6))) {
        return Err(SlowError::BadInner("next header and version"));
    }
    ip::trimmed(payload).ok_or(SlowError::BadInner("length"))
}

/// IP protocol numbers (RFC 4303 section 2.6 for 59).
const IPV4: u8 = 4;
const UDP: u8 = 17;
const IPV6: u8 = 41;
const ESP: u8 = 50;
const NO_NEXT_HEADER: u8 = 59;

#[cfg(test)]
mod tests;
