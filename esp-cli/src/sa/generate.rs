//! `esp sa generate`: a matched pair of SA files with fresh keys.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use esp_core::Transform;
use esp_core::config::{Direction, Mode, ReplayWindow, SaConfig, SaFile, Secret, UdpEncap};
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use super::convert::ModeName;
use crate::cli::transforms;
use crate::files::{self, Replacing};
use crate::output;

/// What `esp sa generate` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct GenerateArgs {
    /// Transform of both SAs
    #[arg(long, value_name = "NAME", default_value = Transform::Aes256Gcm16.name(), value_parser = transforms(),
        hide_possible_values = true)]
    transform: Transform,
    /// Mode of both SAs
    #[arg(long, value_name = "MODE", value_enum, default_value_t = ModeName::Tunnel)]
    mode: ModeName,
    /// Address of the end that WEST is for; a tunnel needs it
    #[arg(long, value_name = "ADDRESS")]
    src: Option<IpAddr>,
    /// Address of the end that EAST is for; a tunnel needs it
    #[arg(long, value_name = "ADDRESS")]
    dst: Option<IpAddr>,
    /// UDP encapsulation, port 4500 to 4500
    #[arg(long)]
    udp: bool,
    /// Extended (64-bit) sequence numbers, as without either option
    #[arg(long, overrides_with = "no_esn")]
    esn: bool,
    /// 32-bit sequence numbers instead of extended ones
    #[arg(long, overrides_with = "esn")]
    no_esn: bool,
    /// Anti-replay window, 32 to 2097152 bits
    #[arg(long, value_name = "BITS", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(32..=2_097_152))]
    replay_window: u32,
    /// SPI of the SA from WEST to EAST, decimal or 0x hexadecimal [default: random]
    #[arg(long, value_name = "SPI", value_parser = super::spi)]
    spi: Option<u32>,
    /// SPI of the SA from EAST to WEST, decimal or 0x hexadecimal [default: random]
    #[arg(long, value_name = "SPI", value_parser = super::spi)]
    spi_back: Option<u32>,
    /// Start of the names of the SAs
    #[arg(long, value_name = "NAME", default_value = "tunnel")]
    name: String,
    /// Replace files that exist: their keys are lost
    #[arg(long)]
    force: bool,
    /// Take a transform that RFC 8221 advises against
    #[cfg(feature = "legacy")]
    #[arg(long)]
    allow_legacy: bool,
    /// SA file (TOML) to write for one end
    #[arg(value_name = "WEST")]
    west: PathBuf,
    /// SA file (TOML) to write for the other end
    #[arg(value_name = "EAST")]
    east: PathBuf,
}

/// Writes both files.
///
/// # Errors
///
/// A file exists or cannot be written, the options contradict each other, or the system has no random numbers.
pub(crate) fn run(args: &GenerateArgs) -> Result<ExitCode> {
    ensure!(
        !files::same_place(&args.west, &args.east)
            && !files::is_standard(&args.west)
            && !files::is_standard(&args.east),
        "WEST and EAST are two files: keys do not go to standard output"
    );
    for path in [&args.west, &args.east] {
        ensure!(args.force || !path.exists(), "{}: exists; say --force to replace its keys", path.display());
    }
    let there = sa(args, "to-east", args.spi, (args.src, args.dst))?;
    let mut back = sa(args, "to-west", args.spi_back, (args.dst, args.src))?;
    while back.spi == there.spi && args.spi_back.is_none() {
        back.spi = random_spi()?;
    }
    ensure!(back.spi != there.spi, "--spi and --spi-back are the same; each SA has its own");
    let west = [end(&there, Direction::Outbound, args), end(&back, Direction::Inbound, args)];
    let east = [end(&there, Direction::Inbound, args), end(&back, Direction::Outbound, args)];
    let mut written = Vec::with_capacity(2);
    for (path, sas) in [(&args.west, west), (&args.east, east)] {
        check(&sas)?;
        written.push(beside(path, &sas)?);
    }
    // Both or, as far as a file system allows, neither: one end without the other is of no use.
    written.into_iter().try_for_each(Replacing::commit)?;
    output::note(&format!(
        "{}, {}: {}, SPI {:#010x} there and {:#010x} back\n",
        args.west.display(),
        args.east.display(),
        args.transform,
        there.spi,
        back.spi
    ));
    Ok(ExitCode::SUCCESS)
}

/// One of the two SAs, as what is common to its ends.
fn sa(
    args: &GenerateArgs,
    suffix: &str,
    spi: Option<u32>,
    (src, dst): (Option<IpAddr>, Option<IpAddr>),
) -> Result<SaConfig> {
    let mut key = Zeroizing::new(vec![0; args.transform.key_len()]);
    SysRng.try_fill_bytes(&mut key).context("no random numbers from the system")?;
    let spi = spi.map_or_else(random_spi, Ok)?;
    let mode = Mode::from(args.mode);
    let key = Secret::from(key.as_slice());
    let mut sa = SaConfig::new(Direction::Outbound, spi, args.transform, key, mode);
    #[cfg(feature = "legacy")]
    (sa.allow_legacy = args.allow_legacy);
    sa.name = Some(format!("{}-{suffix}", args.name));
    (sa.src, sa.dst, sa.esn) = (src, dst, args.esn || !args.no_esn);
    sa.udp = args.udp.then(UdpEncap::default);
    Ok(sa)
}

/// RFC 4303 section 2.1: the first 256 are reserved.
fn random_spi() -> Result<u32> {
    loop {
        let spi = SysRng.try_next_u32().context("no random numbers from the system")?;
        if spi >= 256 {
            return Ok(spi);
        }
    }
}

fn end(sa: &SaConfig, direction: Direction, args: &GenerateArgs) -> SaConfig {
    let mut end = sa.clone();
    end.direction = direction;
    if direction == Direction::Inbound {
        end.replay_window = ReplayWindow::Bits(args.replay_window);
    }
    end
}

fn check(sas: &[SaConfig]) -> Result<()> {
    for sa in sas {
        match sa.direction {
            Direction::Outbound => drop(sa.outbound()?),
            Direction::Inbound => drop(sa.inbound()?),
        }
    }
    Ok(())
}

/// The file of one end, not yet in its place.
fn beside(path: &Path, sas: &[SaConfig]) -> Result<Replacing> {
    let sas = SaFile::write(sas);
    let mut text = Zeroizing::new(String::with_capacity(HEAD.len() + sas.len()));
    text.push_str(HEAD);
    text.push_str(&sas);
    let mut file = Replacing::private(path)?;
    file.write(text.as_bytes())?;
    Ok(file)
}

const HEAD: &str = "\
# Fresh keys: for one run of each SA. Sequence numbers start at 1 when it is loaded again, and nonces would repeat.

";

const HELP: &str = "\
WEST and EAST get the two ends of two SAs, one each way, that match in everything on the wire. Keys and SPIs come from the \
system's random generator. Both files are readable for their owner only.

Transforms: those of `esp selftest`, but for implicit IVs (-iiv): a key in a file comes again, and with it its nonces.

Exit codes: 0 done; 2 the command could not be carried out.

Examples:
  esp sa generate --src 192.0.2.1 --dst 198.51.100.1 west.toml east.toml
  esp sa generate --mode transport --transform chacha20-poly1305 one.toml other.toml
  esp sa generate --src 2001:db8::1 --dst 2001:db8::2 --udp --name lab west.toml east.toml";
