//! SA files of every format, told apart by what they hold.

use std::net::IpAddr;

use clap::{Args, ValueEnum};
use esp_core::config::{Direction, Mode, SaConfig, SaFile};
use zeroize::Zeroizing;

use super::fault::{Fault, Note};
use super::{esp_sa, xfrm};

/// A format of SA files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// This program's own.
    Toml,
    /// Wireshark's table of SAs.
    #[value(name = "esp_sa")]
    EspSa,
    /// The text of `ip xfrm state`.
    Xfrm,
    /// `ip xfrm state add` commands; written only.
    IpCommands,
}

/// What the file itself does not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hint {
    pub(crate) direction: Option<Direction>,
    /// Addresses of this end: what they send is outbound.
    pub(crate) local: Vec<IpAddr>,
    pub(crate) mode: Option<Mode>,
    pub(crate) said: Said,
}

/// What a table of Wireshark leaves out, said on the command line.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Said {
    /// SAs of an esp_sa file are encapsulated in UDP; the file cannot say so
    #[arg(long)]
    pub(crate) udp: bool,
    /// SAs of an esp_sa file have extended sequence numbers; the older form of the file cannot say so
    #[arg(long)]
    pub(crate) esn: bool,
}

/// What a file holds.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) sas: Vec<Entry>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) notes: Vec<Note>,
}

/// One SA and where it stands.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) config: SaConfig,
}

impl Format {
    /// The format of a text; TOML when nothing speaks for another.
    pub(crate) fn of(text: &str) -> Self {
        let mut lines =
            text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some(line) if line.starts_with('"') => Self::EspSa,
            Some(line) if line.starts_with("src ") => Self::Xfrm,
            _ => Self::Toml,
        }
    }

    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Toml => "TOML",
            Self::EspSa => "esp_sa",
            Self::Xfrm => "ip xfrm state",
            Self::IpCommands => "ip-commands",
        }
    }
}

impl Hint {
    /// The direction of an SA between these addresses.
    pub(super) fn direction(&self, src: Option<IpAddr>, dst: Option<IpAddr>) -> Option<Direction> {
        let here = |addr: Option<IpAddr>| addr.is_some_and(|addr| self.local.contains(&addr));
        match (here(src), here(dst)) {
            (true, false) => Some(Direction::Outbound),
            (false, true) => Some(Direction::Inbound),
            _ => self.direction,
        }
    }
}

/// Reads a text to its end.
pub(crate) fn parse(text: &str, format: Format, hint: &Hint) -> Parsed {
    let mut parsed = Parsed { sas: Vec::new(), faults: Vec::new(), notes: Vec::new() };
    match format {
        Format::Toml => {
            let (sas, faults) = SaFile::check(text);
            parsed.sas = sas.into_iter().map(|(line, config)| Entry { line, config }).collect();
            // The other formats, and whoever takes keys apart, want them in one piece.
            parsed.sas.iter_mut().for_each(|entry| entry.config.join_keys());
            parsed.faults = faults.iter().map(Fault::from).collect();
        }
        Format::EspSa => {
            let (lines, faults) = esp_sa::parse(text);
            parsed.faults = faults;
            for line in lines {
                let address = |at| line.text(at).parse().ok();
                match hint.direction(address(1), address(2)) {
                    Some(direction) => parsed.add(line.line, esp_sa::to_config(&line, direction, hint)),
                    None => parsed.faults.push(undirected(line.line)),
                }
            }
        }
        Format::Xfrm => {
            let states = xfrm::parse(text);
            (parsed.faults, parsed.notes) = (states.faults, states.notes);
            for state in states.states {
                let (src, dst) = state.addresses();
                match state.direction().or_else(|| hint.direction(src, dst)) {
                    Some(direction) => {
                        let config = xfrm::to_config(&state, direction).map(|(config, notes)| {
                            parsed.notes.extend(notes);
                            config
                        });
                        parsed.add(state.line, config);
                    }
                    None => parsed.faults.push(undirected(state.line)),
                }
            }
        }
        Format::IpCommands => parsed.faults.push(Fault::new(1, 1, "", "ip-commands are written, not read")),
    }
    parsed.faults.sort_by_key(|fault| (fault.line, fault.column));
    parsed
}

impl Parsed {
    /// Takes an SA that passes the engine's own checks and finds packets that no other finds.
    fn add(&mut self, line: usize, config: Result<SaConfig, Fault>) {
        let checked = config.and_then(|config| {
            let checked = match config.direction {
                Direction::Outbound => config.outbound().map(drop),
                Direction::Inbound => config.inbound().map(drop),
            };
            checked.map_err(|why| Fault::new(line, 1, "", why.to_string()))?;
            let twin = self.sas.iter().find(|entry| {
                config.direction == Direction::Inbound
                    && entry.config.direction == Direction::Inbound
                    && entry.config.spi == config.spi
            });
            match twin {
                Some(twin) => {
                    let message =
                        format!("{:#010x}: the inbound SA of line {} has it too", config.spi, twin.line);
                    Err(Fault::new(line, 1, "spi", message))
                }
                None => Ok(config),
            }
        });
        match checked {
            Ok(config) => self.sas.push(Entry { line, config }),
            Err(fault) => self.faults.push(fault),
        }
    }
}

fn undirected(line: usize) -> Fault {
    let message = "the file does not say which way it goes; say --local ADDRESS, an address of this end, or --direction \
                   inbound or outbound";
    Fault::new(line, 1, "direction", message)
}

/// The text of SAs in a format, and notes on what the format cannot hold.
///
/// # Errors
///
/// An SA that the format cannot hold at all; the message names it.
pub(crate) fn write(sas: &[SaConfig], format: Format) -> Result<(Zeroizing<String>, Vec<String>), String> {
    match format {
        Format::Toml => Ok((SaFile::write(sas), Vec::new())),
        Format::EspSa => write_esp_sa(sas),
        Format::Xfrm | Format::IpCommands => {
            let states = sas
                .iter()
                .map(|sa| xfrm::from_config(sa).map_err(|why| format!("{}: {why}", super::shown(sa))))
                .collect::<Result<Vec<_>, _>>()?;
            let text = if format == Format::Xfrm { xfrm::print(&states) } else { xfrm::commands(&states) };
            Ok((text, sas.iter().filter_map(not_of_the_kernel).collect()))
        }
    }
}

/// Each SA's line behind a comment that says what is lost. What Wireshark has no name for is a comment only.
fn write_esp_sa(sas: &[SaConfig]) -> Result<(Zeroizing<String>, Vec<String>), String> {
    let mut texts = Vec::new();
    let mut notes = Vec::new();
    for sa in sas {
        // A comment ends with its line.
        let name: String = super::shown(sa).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        match esp_sa::from_config(sa) {
            Ok((lost, lines)) => {
                notes.push(format!("{name}: not in this format: {}", lost.join(", ")));
                texts.push(Zeroizing::new(format!("# SA {name}; not in this format: {}\n", lost.join(", "))));
                texts.push(esp_sa::print(&lines));
            }
            Err(why) => {
                texts.push(Zeroizing::new(format!("# SA {name} is left out: {why}\n")));
                notes.push(format!("{name}: left out: {why}"));
            }
        }
    }
    let mut text = Zeroizing::new(String::with_capacity(texts.iter().map(|text| text.len()).sum()));
    texts.iter().for_each(|part| text.push_str(part));
    Ok((text, notes))
}

fn not_of_the_kernel(sa: &SaConfig) -> Option<String> {
    let lost = xfrm::not_in_state(sa);
    (!lost.is_empty()).then(|| format!("{}: not in this format: {}", super::shown(sa), lost.join(", ")))
}
