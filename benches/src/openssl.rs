//! The few calls of OpenSSL 3 that its forms are made of.
#![expect(unsafe_code, reason = "OpenSSL is C, and its crate `openssl` has no EVP_MAC")]

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{self, NonNull};

use anyhow::{Context as _, Result, ensure};
use openssl_sys as ffi;

/// An implementation of HMAC or CMAC, looked up once.
pub(crate) struct Mac(NonNull<ffi::EVP_MAC>);

// SAFETY: an EVP_MAC is not changed after it was fetched but for its reference count, which is atomic.
unsafe impl Send for Mac {}
// SAFETY: the same.
unsafe impl Sync for Mac {}

impl Mac {
    pub(crate) fn fetch(name: &CStr) -> Result<Self> {
        // SAFETY: the name ends in a zero; no library context and no properties mean the default ones.
        let mac = unsafe { ffi::EVP_MAC_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        NonNull::new(mac).map(Self).context("OpenSSL has no such MAC")
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody uses it any more: contexts count their own references.
        unsafe { ffi::EVP_MAC_free(self.0.as_ptr()) }
    }
}

/// A keyed context of a MAC.
pub(crate) struct MacContext(NonNull<ffi::EVP_MAC_CTX>);

// SAFETY: a context belongs to no thread.
unsafe impl Send for MacContext {}
// SAFETY: what a shared reference allows is duplication, which reads the context and counts references atomically.
unsafe impl Sync for MacContext {}

impl MacContext {
    /// A new one. `parameter` is what the MAC is made from: `digest` and `SHA1`, or `cipher` and `AES-128-CBC`.
    pub(crate) fn keyed(mac: &Mac, key: &[u8], (name, value): (&CStr, &CStr)) -> Result<Self> {
        // SAFETY: a fetched MAC.
        let context = unsafe { ffi::EVP_MAC_CTX_new(mac.0.as_ptr()) };
        let context = NonNull::new(context).map(Self).context("EVP_MAC_CTX_new")?;
        let parameters = [utf8(name, value), end()];
        // SAFETY: the key is of that length, and the list of parameters ends in its end mark.
        let rc =
            unsafe { ffi::EVP_MAC_init(context.0.as_ptr(), key.as_ptr(), key.len(), parameters.as_ptr()) };
        ensure!(rc == 1, "EVP_MAC_init");
        Ok(context)
    }

    pub(crate) fn duplicate(&self) -> Result<Self> {
        // SAFETY: a live context, read only.
        let context = unsafe { ffi::EVP_MAC_CTX_dup(self.0.as_ptr()) };
        NonNull::new(context).map(Self).context("EVP_MAC_CTX_dup")
    }

    /// Sets it back to behind its key.
    pub(crate) fn restart(&mut self) -> Result<()> {
        // SAFETY: no key and no parameters keep those there are.
        let rc = unsafe { ffi::EVP_MAC_init(self.0.as_ptr(), ptr::null(), 0, ptr::null()) };
        ensure!(rc == 1, "EVP_MAC_init");
        Ok(())
    }

    /// Writes the first bytes of the tag over `covered` to `icv`, which takes at most [`LONGEST`].
    pub(crate) fn tag(&mut self, covered: &[u8], icv: &mut [u8]) -> Result<()> {
        let (mut tag, mut len) = ([0_u8; LONGEST], 0);
        // SAFETY: as many bytes as the slice has.
        let updated = unsafe { ffi::EVP_MAC_update(self.0.as_ptr(), covered.as_ptr(), covered.len()) };
        ensure!(updated == 1, "EVP_MAC_update");
        // SAFETY: it writes no more than the length it is told.
        let ended = unsafe { ffi::EVP_MAC_final(self.0.as_ptr(), tag.as_mut_ptr(), &raw mut len, LONGEST) };
        ensure!(ended == 1 && len >= icv.len(), "EVP_MAC_final");
        icv.copy_from_slice(&tag[..icv.len()]);
        Ok(())
    }
}

impl Drop for MacContext {
    fn drop(&mut self) {
        // SAFETY: ours alone.
        unsafe { ffi::EVP_MAC_CTX_free(self.0.as_ptr()) }
    }
}

/// 3DES in ECB mode, from which a driver makes counter mode block by block.
pub(crate) struct TripleDes(NonNull<ffi::EVP_CIPHER_CTX>);

// SAFETY: a context belongs to no thread.
unsafe impl Send for TripleDes {}
// SAFETY: what a shared reference allows is duplication, which reads the context and counts references atomically.
unsafe impl Sync for TripleDes {}

impl TripleDes {
    pub(crate) fn keyed(key: &[u8; 24]) -> Result<Self> {
        let mut cipher = Self::empty()?;
        cipher.key(key)?;
        Ok(cipher)
    }

    fn empty() -> Result<Self> {
        // SAFETY: it takes nothing.
        let context = unsafe { ffi::EVP_CIPHER_CTX_new() };
        NonNull::new(context).map(Self).context("EVP_CIPHER_CTX_new")
    }

    /// Sets cipher and key anew.
    pub(crate) fn key(&mut self, key: &[u8; 24]) -> Result<()> {
        // SAFETY: it returns a static description.
        let cipher = unsafe { ffi::EVP_des_ede3_ecb() };
        let (context, no_engine, no_iv) = (self.0.as_ptr(), ptr::null_mut(), ptr::null());
        // SAFETY: 3DES takes 24 bytes of key, and ECB no IV.
        let rc = unsafe { ffi::EVP_EncryptInit_ex(context, cipher, no_engine, key.as_ptr(), no_iv) };
        ensure!(rc == 1, "EVP_EncryptInit_ex");
        Ok(())
    }

    pub(crate) fn duplicate(&self) -> Result<Self> {
        let copy = Self::empty()?;
        // SAFETY: two live contexts, of which the first is ours and the other is read only.
        let rc = unsafe { ffi::EVP_CIPHER_CTX_copy(copy.0.as_ptr(), self.0.as_ptr()) };
        ensure!(rc == 1, "EVP_CIPHER_CTX_copy");
        Ok(copy)
    }

    /// Counter mode from `counter` on, one block a call.
    pub(crate) fn counter_mode(&mut self, counter: [u8; 8], data: &mut [u8]) -> Result<()> {
        let mut counter = u64::from_be_bytes(counter);
        for block in data.chunks_mut(8) {
            let stream = self.block(counter.to_be_bytes())?;
            block.iter_mut().zip(stream).for_each(|(byte, key)| *byte ^= key);
            counter = counter.wrapping_add(1);
        }
        Ok(())
    }

    fn block(&mut self, block: [u8; 8]) -> Result<[u8; 8]> {
        // Room for one block more than the call has to give.
        let (mut out, mut len): ([u8; 16], c_int) = ([0; 16], 0);
        // SAFETY: it reads 8 bytes and writes at most a block more than those.
        let rc = unsafe {
            ffi::EVP_EncryptUpdate(self.0.as_ptr(), out.as_mut_ptr(), &raw mut len, block.as_ptr(), 8)
        };
        ensure!(rc == 1 && len == 8, "EVP_EncryptUpdate");
        out.first_chunk().copied().context("a block")
    }
}

impl Drop for TripleDes {
    fn drop(&mut self) {
        // SAFETY: ours alone.
        unsafe { ffi::EVP_CIPHER_CTX_free(self.0.as_ptr()) }
    }
}

/// The release that is linked, such as `OpenSSL 3.0.19 27 Jan 2026`.
pub(crate) fn version() -> String {
    // SAFETY: it returns a static string for any number.
    let text: *const c_char = unsafe { ffi::OpenSSL_version(ffi::OPENSSL_VERSION) };
    // SAFETY: the same, and it ends in a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn utf8(name: &CStr, value: &CStr) -> ffi::OSSL_PARAM {
    ffi::OSSL_PARAM {
        key: name.as_ptr(),
        data_type: UTF8_STRING,
        data: value.as_ptr().cast_mut().cast(),
        data_size: value.count_bytes(),
        return_size: 0,
    }
}

const fn end() -> ffi::OSSL_PARAM {
    ffi::OSSL_PARAM { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 }
}

/// `OSSL_PARAM_UTF8_STRING` of `openssl/core.h`.
const UTF8_STRING: std::ffi::c_uint = 4;
/// Bytes of the longest tag here, HMAC-SHA1's.
const LONGEST: usize = 20;
