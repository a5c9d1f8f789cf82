//! SA files: reading them without leaving keys about, and which SAs a command takes.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use esp_core::config::{Direction, SaConfig};
use zeroize::Zeroizing;

use super::fault::{Fault, Note};
use super::file::{Format, Hint, Said, parse};
use crate::files;
use crate::locate::UDP_ENCAP_PORT;
use crate::output;

/// The text of an SA file, and what is to be said of the file.
pub(crate) struct Text {
    /// For messages.
    pub(crate) name: String,
    pub(crate) text: Zeroizing<String>,
    /// Its mode, if others may read it.
    pub(crate) shared: Option<u32>,
}

/// Reads an SA file of any format; `direction` is that of SAs which do not say. Warns on standard error if others may read
/// it too, and of what an SA does not take over, such as the numbers that a kernel has sent.
///
/// # Errors
///
/// The file cannot be read or is no SA file. Messages name the file and the line, never a key.
pub(crate) fn read(path: &Path, direction: Direction, said: Said) -> Result<Vec<SaConfig>> {
    let text = text(path)?;
    text.warn();
    let parsed = parse(
        &text.text,
        Format::of(&text.text),
        &Hint { direction: Some(direction), said, ..Hint::default() },
    );
    text.refuse(&parsed.faults)?;
    text.tell(&parsed.notes);
    Ok(parsed.sas.into_iter().map(|entry| entry.config).collect())
}

/// The whole file, in memory that is wiped; `-` is standard input.
///
/// # Errors
///
/// The file cannot be read, is too long, or no text. Messages name it.
pub(crate) fn text(path: &Path) -> Result<Text> {
    let standard = files::is_standard(path);
    let name = if standard { "standard input".to_owned() } else { path.display().to_string() };
    let (bytes, shared) =
        if standard { whole(&mut io::stdin(), 0).map(|text| (text, None)) } else { from_file(path) }
            .with_context(|| name.clone())?;
    let text = std::str::from_utf8(&bytes).with_context(|| format!("{name}: no text"))?;
    Ok(Text { name, text: Zeroizing::new(text.to_owned()), shared })
}

impl Text {
    /// Says on standard error that others may read the file.
    pub(crate) fn warn(&self) {
        if let Some(mode) = self.shared {
            let name = &self.name;
            output::note(&format!(
                "esp: warning: {name} holds keys and others may read it (mode {mode:03o}); chmod 600 {name}\n"
            ));
        }
    }

    /// Says on standard error what should be known of the SAs.
    pub(crate) fn tell(&self, notes: &[Note]) {
        for note in notes {
            let line = note.line.map_or_else(String::new, |line| format!("line {line}: "));
            output::note(&format!("esp: warning: {}: {line}{}\n", self.name, note.message));
        }
    }

    /// The first fault as an error, with how many there are.
    ///
    /// # Errors
    ///
    /// There is one.
    pub(crate) fn refuse(&self, faults: &[Fault]) -> Result<()> {
        let Some((first, more)) = faults.split_first() else { return Ok(()) };
        match more.len() {
            0 => bail!("{}: {first}", self.name),
            more => bail!("{}: {first} (and {more} more: esp sa check)", self.name),
        }
    }
}

/// The outbound SAs to seal with: all, or the one of this name or SPI.
///
/// # Errors
///
/// There is none, or one that takes every packet stands before another; the message lists what there is.
pub(crate) fn outbound<'a>(
    configs: &'a [SaConfig],
    name: Option<&str>,
    spi: Option<u32>,
) -> Result<Vec<&'a SaConfig>> {
    let sas = going(configs, Direction::Outbound);
    let asked = |sa: &&SaConfig| {
        name.is_none_or(|name| sa.name.as_deref() == Some(name)) && spi.is_none_or(|spi| sa.spi == spi)
    };
    let chosen: Vec<_> = sas.iter().copied().filter(asked).collect();
    match (chosen.is_empty(), name, spi) {
        (true, Some(name), _) => bail!("no outbound SA has the name {name:?}; outbound SAs: {}", list(&sas)),
        (true, _, Some(spi)) => bail!("no outbound SA has SPI {spi:#010x}; outbound SAs: {}", list(&sas)),
        (true, None, None) => bail!("no outbound SA; `esp seal` needs one"),
        (false, _, _) => {}
    }
    if let Some((_, before_last)) = chosen.split_last()
        && let Some(any) = before_last.iter().find(|sa| sa.selectors.is_empty())
    {
        bail!(
            "outbound SA {} has no selectors and would take every packet from those behind it; choose one by --name or \
             --spi, or give it selectors: {}",
            shown(any),
            list(&chosen)
        );
    }
    Ok(chosen)
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

fn from_file(path: &Path) -> Result<(Zeroizing<Vec<u8>>, Option<u32>)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    Ok((whole(&mut file, metadata.len())?, shared(&metadata)))
}

/// All that there is, in memory that is wiped. A file that says its length is read without growing the buffer.
fn whole(file: &mut impl Read, len: u64) -> Result<Zeroizing<Vec<u8>>> {
    let expected = usize::try_from(len.min(MAX_FILE_LEN))?;
    let mut text = Zeroizing::new(Vec::with_capacity(expected + 1));
    file.take(MAX_FILE_LEN + 1).read_to_end(&mut text)?;
    ensure!(text.len() as u64 <= MAX_FILE_LEN, "over {MAX_FILE_LEN} bytes: too long for an SA file");
    Ok(text)
}

/// The mode of a file that others may read.
#[cfg(unix)]
fn shared(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    (metadata.is_file() && mode & READ_BY_OTHERS != 0).then_some(mode)
}

#[cfg(not(unix))]
fn shared(_: &Metadata) -> Option<u32> {
    None
}

/// Read permission of group and others.
#[cfg(unix)]
const READ_BY_OTHERS: u32 = 0o044;
/// Bytes; a million SAs take some 300 MB, and that many come from IKE, not from a file.
const MAX_FILE_LEN: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use esp_core::Transform;
    use esp_core::config::{Mode, Selector, UdpEncap};

    fn sa(name: Option<&str>, direction: Direction, spi: u32) -> SaConfig {
        let mut sa = SaConfig::new(direction, spi, Transform::Aes128Gcm16, &[1; 20][..], Mode::Transport);
        sa.name = name.map(str::to_owned);
        sa
    }

    #[test]
    fn outbound_sas_are_all_or_the_one_asked_for() {
        let one = sa(Some("one"), Direction::Outbound, 0x1001);
        let two = sa(None, Direction::Outbound, 0x1002);
        let inward = sa(Some("in"), Direction::Inbound, 0x1003);
        let all = [one, inward.clone(), two];
        let spis =
            |name, spi| outbound(&all, name, spi).map(|sas| sas.iter().map(|sa| sa.spi).collect::<Vec<_>>());
        let why = spis(None, None).unwrap_err().to_string();
        assert!(why.contains("outbound SA \"one\" has no selectors"), "{why}");
        let mut first = all[0].clone();
        let any = "::/0".parse().unwrap();
        first.selectors =
            vec![Selector { src: any, dst: any, protocol: None, src_port: None, dst_port: None }];
        let both = [first, all[2].clone()];
        assert_eq!(outbound(&both, None, None).unwrap().len(), 2, "the last may take the rest");
        assert_eq!(spis(Some("one"), None).unwrap(), [0x1001]);
        assert_eq!(spis(None, Some(0x1002)).unwrap(), [0x1002]);
        for (name, spi) in [(Some("in"), None), (Some(""), None), (None, Some(0x1003))] {
            let why = spis(name, spi).unwrap_err().to_string();
            assert!(why.contains("\"one\", SPI 0x00001002 (no name)"), "{why}");
        }
        assert!(outbound(&[inward], None, None).unwrap_err().to_string().contains("no outbound SA"));
    }

    #[test]
    fn ports_are_the_sas_and_the_registered_one() {
        let mut other = sa(None, Direction::Inbound, 0x1001);
        other.udp = Some(UdpEncap { dst_port: 4501, ..UdpEncap::default() });
        let plain = sa(None, Direction::Inbound, 0x1002);
        assert_eq!(udp_ports(&[&plain, &other, &other]), [4500, 4501]);
    }
}
