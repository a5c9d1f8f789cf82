//! Known answers of one computation each.

use super::field;
use serde::Deserialize;

/// One value printed in an RFC or a draft.
///
/// What a field holds depends on `level`: `esp` fills the packet fields, `aead` and `cipher` have `plaintext`
/// and `ciphertext`, `mac` has `mac`, `message` and `icv`. Byte fields without an `Option` are empty when
/// absent. All bytes are in the order in which they go on the wire.
#[derive(Clone, Debug, Deserialize)]
pub struct RfcVector {
    /// Name of the case, such as `gcm-esp-01`.
    pub name: String,
    /// The document it was printed in, and by which way it came here.
    #[serde(default)]
    pub source: String,
    /// `esp`, `aead`, `cipher` or `mac`.
    pub level: String,
    /// `aes-gcm`, `null-gmac`, `chacha20-poly1305`, `aes-cbc`, `aes-ctr`, `aes-ccm` or `3des-cbc`.
    #[serde(default)]
    pub cipher: Option<String>,
    /// `hmac-sha256` and the like, at level `mac`.
    #[serde(default)]
    pub mac: Option<String>,
    /// The integrity algorithm beside the cipher, at level `esp`.
    #[serde(default)]
    pub auth: Option<String>,
    /// `transport` or `tunnel`, where the source says so.
    #[serde(default)]
    pub mode: Option<String>,
    /// The key, without the salt.
    #[serde(default, deserialize_with = "field::bytes")]
    pub key: Vec<u8>,
    /// The salt, first bytes of the nonce.
    #[serde(default, deserialize_with = "field::bytes")]
    pub salt: Vec<u8>,
    /// The IV; at level `esp` the bytes of the wire, at level `aead` what follows the salt in the nonce.
    #[serde(default, deserialize_with = "field::bytes")]
    pub iv: Vec<u8>,
    /// SPI in host order.
    #[serde(default)]
    pub spi: Option<u32>,
    /// The low half of the sequence number, as it is on the wire.
    #[serde(default)]
    pub seq: Option<u32>,
    /// Whether the SA uses extended sequence numbers.
    #[serde(default)]
    pub esn: bool,
    /// The high half of the sequence number when `esn`.
    #[serde(default)]
    pub esn_hi: Option<u32>,
    /// Length of the ICV in bytes; 0 is no integrity.
    #[serde(default)]
    pub icv_len: Option<usize>,
    /// Length in bytes to which a `mac` is cut.
    #[serde(default)]
    pub truncate_to: Option<usize>,
    /// Additional authenticated data.
    #[serde(default, deserialize_with = "field::bytes")]
    pub aad: Vec<u8>,
    /// Plaintext at level `aead` or `cipher`.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub plaintext: Option<Vec<u8>>,
    /// Payload, padding, pad length and next header, at level `esp`.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub plaintext_with_trailer: Option<Vec<u8>>,
    /// Ciphertext without IV and ICV.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub ciphertext: Option<Vec<u8>>,
    /// The ICV, of `icv_len` or `truncate_to` bytes.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub icv: Option<Vec<u8>>,
    /// The ESP packet from SPI to ICV.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub esp_packet: Option<Vec<u8>>,
    /// What is left once padding and trailer are stripped.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub payload: Option<Vec<u8>>,
    /// What a `mac` covers.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub message: Option<Vec<u8>>,
    /// The trailer's next header.
    #[serde(default)]
    pub next_header: Option<u8>,
    /// The trailer's pad length in bytes.
    #[serde(default)]
    pub pad_len: Option<u8>,
    /// A remark of whoever collected the case.
    #[serde(default)]
    pub note: String,
}

impl RfcVector {
    /// The transform's name as configuration writes it; `None` for what is no packet of ESP.
    pub fn transform(&self) -> Option<String> {
        let cipher = self.cipher.as_deref().filter(|_| self.level == "esp")?;
        Some(named(cipher, self.auth.as_deref(), self.key.len(), self.icv_len.unwrap_or(0)))
    }

    /// Keying material: key, then salt. No packet of this file has a separate MAC.
    pub fn keying_material(&self) -> Vec<u8> {
        [self.key.as_slice(), &self.salt].concat()
    }

    /// The 64-bit sequence number: `esn_hi` over `seq`, each 0 when absent.
    pub fn seq64(&self) -> u64 {
        join(self.esn_hi, self.seq.unwrap_or(0))
    }
}

/// One whole packet before and after ESP, from an implementation's tests.
#[derive(Clone, Debug, Deserialize)]
pub struct PacketVector {
    /// Name of the case, such as `pkt_aes_192_gcm`.
    pub name: String,
    /// `tunnel` or `transport`.
    pub mode: String,
    /// Family of the outer header in tunnel mode: `ipv4` or `ipv6`.
    #[serde(default)]
    pub tunnel_type: Option<String>,
    /// `egress`, from clear to sealed, or `ingress`.
    #[serde(default)]
    pub direction: String,
    /// SPI in host order.
    pub spi: u32,
    /// Whether the SA uses extended sequence numbers.
    #[serde(default)]
    pub esn: bool,
    /// The high half of the sequence number when `esn`.
    #[serde(default)]
    pub esn_hi: Option<u32>,
    /// The low half of the sequence number.
    pub seq: u32,
    /// `aes-gcm`, `aes-ccm`, `aes-cbc`, `3des-cbc`, `des-cbc`, `aes-ctr` or `null`.
    pub cipher: String,
    /// The integrity algorithm, `None` with a combined-mode cipher.
    #[serde(default)]
    pub auth: Option<String>,
    /// Key of the cipher, without the salt.
    #[serde(default, deserialize_with = "field::bytes")]
    pub key: Vec<u8>,
    /// Key of the integrity algorithm.
    #[serde(default, deserialize_with = "field::bytes")]
    pub auth_key: Vec<u8>,
    /// The salt, first bytes of the nonce.
    #[serde(default, deserialize_with = "field::bytes")]
    pub salt: Vec<u8>,
    /// The IV on the wire.
    #[serde(default, deserialize_with = "field::bytes")]
    pub iv: Vec<u8>,
    /// Length of the ICV in bytes.
    pub icv_len: usize,
    /// What goes in, from its IP header: the packet in clear, or with `ingress` the sealed one.
    #[serde(deserialize_with = "field::bytes")]
    pub input_packet: Vec<u8>,
    /// What comes out.
    #[serde(deserialize_with = "field::bytes")]
    pub output_packet: Vec<u8>,
    /// Length in bytes of what stands before the SPI in the sealed packet.
    pub outer_header_len: usize,
    /// The trailer's next header.
    #[serde(default)]
    pub next_header: Option<u8>,
    /// The trailer's pad length in bytes.
    #[serde(default)]
    pub pad_len: Option<u8>,
}

impl PacketVector {
    /// The sealed packet, from its outer IP header.
    pub fn sealed(&self) -> &[u8] {
        if self.direction == "ingress" { &self.input_packet } else { &self.output_packet }
    }

    /// The packet in clear, from its IP header.
    pub fn clear(&self) -> &[u8] {
        if self.direction == "ingress" { &self.output_packet } else { &self.input_packet }
    }

    /// The transform's name as configuration writes it, legacy ones and those without integrity too.
    pub fn transform(&self) -> String {
        named(&self.cipher, self.auth.as_deref(), self.key.len(), self.icv_len)
    }

    /// Keying material: the cipher's key, its salt, the key of the separate MAC.
    pub fn keying_material(&self) -> Vec<u8> {
        [self.key.as_slice(), &self.salt, &self.auth_key].concat()
    }

    /// The 64-bit sequence number: `esn_hi` over `seq`.
    pub fn seq64(&self) -> u64 {
        join(self.esn_hi, self.seq)
    }
}

/// One ESP packet captured from Linux.
#[derive(Clone, Debug, Deserialize)]
pub struct LinuxVector {
    /// Name of the case.
    pub name: String,
    /// `aes-gcm`, `null-gmac`, `aes-cbc`, `aes-ctr`, `aes-ccm`, `des-cbc` or `3des-cbc`.
    pub cipher: String,
    /// Key of the cipher, without the salt.
    #[serde(default, deserialize_with = "field::bytes")]
    pub key: Vec<u8>,
    /// The salt, first bytes of the nonce.
    #[serde(default, deserialize_with = "field::bytes")]
    pub salt: Vec<u8>,
    /// The integrity algorithm.
    #[serde(default)]
    pub auth: Option<String>,
    /// Key of the integrity algorithm.
    #[serde(default, deserialize_with = "field::bytes")]
    pub auth_key: Vec<u8>,
    /// Length in bytes of the IV on the wire.
    pub iv_len: usize,
    /// SPI in host order.
    pub spi: u32,
    /// The low half of the sequence number.
    pub seq: u32,
    /// The high half of the sequence number; `None` without ESN.
    #[serde(default)]
    pub esn_hi: Option<u32>,
    /// `tunnel` or `transport`.
    pub mode: String,
    /// From SPI to ICV.
    #[serde(deserialize_with = "field::bytes")]
    pub esp_packet: Vec<u8>,
    /// The same with its outer IP header, where it was captured.
    #[serde(default, deserialize_with = "field::optional_bytes")]
    pub full_ip_packet: Option<Vec<u8>>,
    /// Length of the ICV in bytes; 0 is no integrity.
    pub icv_len: usize,
    /// The trailer's next header.
    #[serde(default)]
    pub next_header: Option<u8>,
    /// The trailer's pad length in bytes.
    #[serde(default)]
    pub pad_len: Option<u8>,
    /// What is left once padding and trailer are stripped.
    #[serde(deserialize_with = "field::bytes")]
    pub inner: Vec<u8>,
}

impl LinuxVector {
    /// The transform's name as configuration writes it, legacy ones and those without integrity too.
    pub fn transform(&self) -> String {
        named(&self.cipher, self.auth.as_deref(), self.key.len(), self.icv_len)
    }

    /// Keying material: the cipher's key, its salt, the key of the separate MAC.
    pub fn keying_material(&self) -> Vec<u8> {
        [self.key.as_slice(), &self.salt, &self.auth_key].concat()
    }

    /// The 64-bit sequence number: `esn_hi` over `seq`.
    pub fn seq64(&self) -> u64 {
        join(self.esn_hi, self.seq)
    }
}

fn join(high: Option<u32>, low: u32) -> u64 {
    u64::from(high.unwrap_or(0)) << 32 | u64::from(low)
}

/// `aes-gcm` with its lengths becomes `aes-128-gcm-16`, `aes-cbc` and `hmac-sha256` become `aes-128-cbc-hmac-sha256-128`.
fn named(cipher: &str, auth: Option<&str>, key_len: usize, icv_len: usize) -> String {
    let aes = |mode: &str| format!("aes-{}-{mode}", key_len * 8);
    let mac = match auth {
        None => "none".to_owned(),
        Some(mac) => format!("{mac}-{}", icv_len * 8),
    };
    match cipher {
        "aes-gcm" | "aes-ccm" => format!("{}-{icv_len}", aes(&cipher[4..])),
        "null-gmac" => aes("gmac"),
        "aes-cbc" | "aes-ctr" => format!("{}-{mac}", aes(&cipher[4..])),
        "chacha20-poly1305" => cipher.to_owned(),
        other => format!("{other}-{mac}"),
    }
}
