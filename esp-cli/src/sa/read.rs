//! SA files: reading them without leaving keys about, and which SAs a command takes.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use esp_core::config::{Direction, SaConfig, SaFile};
use zeroize::Zeroizing;

/// Reads an SA file. Warns on standard error if others may read it too.
///
/// # Errors
///
/// The file cannot be read or is no SA file. Messages name the file and the line, never a key.
pub(crate) fn read(path: &Path) -> Result<Vec<SaConfig>> {
    let place = || path.display().to_string();
    let mut file = File::open(path).with_context(place)?;
    let metadata = file.metadata().with_context(place)?;
    warn_if_shared(path, &metadata);
    let text = whole(&mut file, &metadata).with_context(place)?;
    let text = std::str::from_utf8(&text).with_context(|| format!("{}: no text", path.display()))?;
    SaFile::parse(text).with_context(place)
}

/// The outbound SA to seal with: the one of this name, or the only one.
///
/// # Errors
///
/// There is none, or several and no name; the message lists the names.
pub(crate) fn outbound<'a>(configs: &'a [SaConfig], name: Option<&str>) -> Result<&'a SaConfig> {
    let sas = going(configs, Direction::Outbound);
    if let Some(name) = name {
        return match sas.iter().find(|sa| sa.name.as_deref() == Some(name)) {
            Some(sa) => Ok(sa),
            None => bail!("no outbound SA has the name {name:?}; outbound SAs: {}", list(&sas)),
        };
    }
    match sas.as_slice() {
        [] => bail!("no outbound SA; `esp seal` needs one"),
        [sa] => Ok(sa),
        several => bail!("several outbound SAs; choose one by --name: {}", list(several)),
    }
}

/// All inbound SAs.
///
/// # Errors
///
/// There is none.
pub(crate) fn inbound(configs: &[SaConfig]) -> Result<Vec<&SaConfig>> {
    let sas = going(configs, Direction::Inbound);
    ensure!(!sas.is_empty(), "no inbound SA; `esp open` needs one");
    Ok(sas)
}

/// UDP destination ports on which these SAs receive, with the registered one.
pub(crate) fn udp_ports(sas: &[&SaConfig]) -> Vec<u16> {
    let ports = sas.iter().filter_map(|sa| sa.udp.as_ref()).map(|udp| udp.dst_port);
    ports.chain([UDP_ENCAP_PORT]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// An SA as messages name it.
pub(crate) fn shown(sa: &SaConfig) -> String {
    match &sa.name {
        Some(name) => format!("{name:?}"),
        None => format!("SPI {:#010x} (no name)", sa.spi),
    }
}

fn going(configs: &[SaConfig], direction: Direction) -> Vec<&SaConfig> {
    configs.iter().filter(|sa| sa.direction == direction).collect()
}

fn list(sas: &[&SaConfig]) -> String {
    match sas {
        [] => "none".to_owned(),
        _ => sas.iter().map(|sa| shown(sa)).collect::<Vec<_>>().join(", "),
    }
}

/// The whole file, in memory that is wiped. A file that says its length is read without growing the buffer.
fn whole(file: &mut File, metadata: &Metadata) -> Result<Zeroizing<Vec<u8>>> {
    let expected = usize::try_from(metadata.len().min(MAX_FILE_LEN))?;
    let mut text = Zeroizing::new(Vec::with_capacity(expected + 1));
    file.take(MAX_FILE_LEN + 1).read_to_end(&mut text)?;
    ensure!(text.len() as u64 <= MAX_FILE_LEN, "over {MAX_FILE_LEN} bytes: too long for an SA file");
    Ok(text)
}

#[cfg(unix)]
fn warn_if_shared(path: &Path, metadata: &Metadata) {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & READ_BY_OTHERS != 0 {
        let path = path.display();
        eprintln!(
            "esp: warning: {path} holds keys and others may read it (mode {mode:03o}); chmod 600 {path}"
        );
    }
}

#[cfg(not(unix))]
fn warn_if_shared(_: &Path, _: &Metadata) {}

/// Read permission of group and others.
#[cfg(unix)]
const READ_BY_OTHERS: u32 = 0o044;
/// Bytes; a million SAs take some 300 MB, and that many come from IKE, not from a file.
const MAX_FILE_LEN: u64 = 64 << 20;
/// RFC 3948 section 2.
const UDP_ENCAP_PORT: u16 = 4500;

#[cfg(test)]
mod tests {
    use super::*;
    use esp_core::Transform;
    use esp_core::config::{Mode, UdpEncap};

    fn sa(name: Option<&str>, direction: Direction, spi: u32) -> SaConfig {
        let mut sa = SaConfig::new(direction, spi, Transform::Aes128Gcm16, &[1; 20][..], Mode::Transport);
        sa.name = name.map(str::to_owned);
        sa
    }

    #[test]
    fn several_outbound_sas_need_a_name() {
        let one = sa(Some("one"), Direction::Outbound, 0x1001);
        let two = sa(None, Direction::Outbound, 0x1002);
        let inward = sa(Some("in"), Direction::Inbound, 0x1003);
        let all = [one.clone(), inward.clone(), two];
        assert_eq!(outbound(&[inward.clone(), one], None).unwrap().spi, 0x1001);
        assert_eq!(outbound(&all, Some("one")).unwrap().spi, 0x1001);
        for name in [None, Some("in"), Some("")] {
            let why = outbound(&all, name).unwrap_err().to_string();
            assert!(why.contains("\"one\", SPI 0x00001002 (no name)"), "{why}");
        }
        assert!(outbound(&[inward], None).unwrap_err().to_string().contains("no outbound SA"));
    }

    #[test]
    fn ports_are_the_sas_and_the_registered_one() {
        let mut other = sa(None, Direction::Inbound, 0x1001);
        other.udp = Some(UdpEncap { dst_port: 4501, ..UdpEncap::default() });
        let plain = sa(None, Direction::Inbound, 0x1002);
        assert_eq!(udp_ports(&[&plain, &other, &other]), [4500, 4501]);
    }
}
