//! `esp sa convert`: one format to another.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use esp_core::config::{Direction, Mode};
use zeroize::Zeroizing;

use super::fault::Note;
use super::file::{Format, Hint, Said, parse, write};
use super::read::{self, Text};
use super::{esp_sa, xfrm};
use crate::files::{self, Replacing};
use crate::output::{self, counted};

/// What `esp sa convert` can be told.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ConvertArgs {
    /// Format to write; told by the name of OUT if it is left out
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<Format>,
    /// Format to read; told by what IN holds if it is left out
    #[arg(long, value_name = "FORMAT", value_enum)]
    from: Option<Format>,
    /// An address of this end: SAs from it are outbound, SAs to it inbound; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    local: Vec<IpAddr>,
    /// Which way SAs go that say nothing of it
    #[arg(long, value_name = "WAY", value_enum)]
    direction: Option<Way>,
    /// Mode of SAs that say nothing of it; without it, those with two addresses are tunnels
    #[arg(long, value_name = "MODE", value_enum)]
    mode: Option<ModeName>,
    #[command(flatten)]
    said: Said,
    /// Let keys go to standard output
    #[arg(long)]
    show_keys: bool,
    /// SA file to read; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// SA file to write, for its owner alone; `-` is standard output, with --show-keys
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// Which way an SA goes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Way {
    Inbound,
    Outbound,
}

/// The mode of an SA.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ModeName {
    Tunnel,
    Transport,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Self {
        match way {
            Way::Inbound => Self::Inbound,
            Way::Outbound => Self::Outbound,
        }
    }
}

impl From<ModeName> for Mode {
    fn from(mode: ModeName) -> Self {
        match mode {
            ModeName::Tunnel => Self::Tunnel,
            ModeName::Transport => Self::Transport,
        }
    }
}

/// Converts a file.
///
/// # Errors
///
/// A file that cannot be read or written, an SA that is wrong or that the format cannot hold; OUT is then as it was.
pub(crate) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let to = args.to.or_else(|| by_name(&args.output)).with_context(|| {
        format!(
            "{}: the name says no format; say --to toml, esp_sa, xfrm or ip-commands",
            args.output.display()
        )
    })?;
    ensure!(
        !files::is_standard(&args.output) || args.show_keys,
        "standard output would show keys; name a file, or say --show-keys"
    );
    files::apart(&args.output, &[&args.input])?;
    let text = read::text(&args.input)?;
    text.warn();
    let from = args.from.unwrap_or_else(|| Format::of(&text.text));
    let (written, sas) = converted(args, &text, from, to)?;
    put(&args.output, &written)?;
    output::note(&format!(
        "{} ({}) -> {} ({}): {}\n",
        text.name,
        from.name(),
        args.output.display(),
        to.name(),
        counted(sas as u64, "SA")
    ));
    Ok(ExitCode::SUCCESS)
}

/// Writes keys to a file of their owner's alone, or to standard output.
fn put(path: &Path, text: &str) -> Result<()> {
    if files::is_standard(path) {
        return output::print(text);
    }
    let mut file = Replacing::private(path)?;
    file.write(text.as_bytes())?;
    file.commit()
}

/// The text in the new format, and how many SAs are in it.
fn converted(
    args: &ConvertArgs,
    text: &Text,
    from: Format,
    to: Format,
) -> Result<(Zeroizing<String>, usize)> {
    // From the kernel to the kernel, marks, limits and the numbers themselves stay.
    if from == Format::Xfrm && matches!(to, Format::Xfrm | Format::IpCommands) {
        let states = xfrm::parse(&text.text);
        text.refuse(&states.faults)?;
        text.tell(&states.notes);
        let count = states.states.len();
        if to == Format::Xfrm {
            return Ok((xfrm::print(&states.states), count));
        }
        let lost: Vec<_> = states.states.iter().flat_map(xfrm::not_in_commands).collect();
        text.tell(&lost);
        return Ok((commented(&lost, &xfrm::commands(&states.states)), count));
    }
    let hint = Hint {
        // Neither foreign format says which way an SA goes, so to write one it need not be known.
        direction: args
            .direction
            .map(Direction::from)
            .or((to != Format::Toml).then_some(Direction::Outbound)),
        local: args.local.clone(),
        mode: args.mode.map(Mode::from),
        said: args.said,
    };
    let parsed = parse(&text.text, from, &hint);
    text.refuse(&parsed.faults)?;
    text.tell(&parsed.notes);
    let sas: Vec<_> = parsed.sas.into_iter().map(|entry| entry.config).collect();
    let (written, notes) = match write(&sas, to) {
        Ok(written) => written,
        Err(why) => bail!("{}: {why}", text.name),
    };
    notes.iter().for_each(|note| output::note(&format!("esp: note: {note}\n")));
    let count = sas.iter().filter(|sa| to != Format::EspSa || esp_sa::from_config(sa).is_ok()).count();
    ensure!(
        count > 0 || sas.is_empty(),
        "{}: no SA of it has a name in Wireshark; nothing is written",
        text.name
    );
    let mut comments = parsed.notes;
    comments.extend(notes.into_iter().map(|message| Note { line: None, message }));
    // The states of the kernel have no comments, and those of Wireshark's table stand at their lines.
    let has_room = matches!(to, Format::Toml | Format::IpCommands);
    Ok((if has_room { commented(&comments, &written) } else { written }, count))
}

/// The text behind comments that say what it does not hold.
fn commented(notes: &[Note], text: &str) -> Zeroizing<String> {
    let mut head = String::new();
    for note in notes {
        // A comment ends with its line, and TOML has no control characters in it.
        let message: String = note.message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        head.push_str(&format!("# {message}\n"));
    }
    if !head.is_empty() {
        head.push('\n');
    }
    let mut whole = Zeroizing::new(String::with_capacity(head.len() + text.len()));
    whole.push_str(&head);
    whole.push_str(text);
    whole
}

/// The format that a file's name asks for.
fn by_name(path: &Path) -> Option<Format> {
    let (name, extension) =
        (path.file_name()?.to_str()?, path.extension().and_then(|extension| extension.to_str()));
    match extension {
        _ if name == "esp_sa" => Some(Format::EspSa),
        Some("toml") => Some(Format::Toml),
        Some("esp_sa") => Some(Format::EspSa),
        Some("xfrm") => Some(Format::Xfrm),
        Some("sh") => Some(Format::IpCommands),
        _ => None,
    }
}

const HELP: &str = "\
Formats by the name of OUT: *.toml, esp_sa and *.esp_sa, *.xfrm (the text of `ip xfrm state`), *.sh (commands that load the \
states into a kernel). OUT is readable for its owner only, and replaced only when all is well. What a format cannot hold is \
said on standard error and, but for *.xfrm, in comments. From `ip xfrm state` to commands the sequence numbers go along; \
which numbers of the window were received does not.

Exit codes: 0 done; 2 the command could not be carried out, and OUT is as it was.

Examples:
  esp sa convert west.toml ~/.config/wireshark/esp_sa
  ip xfrm state | esp sa convert --local 192.0.2.1 - gateway.toml
  esp sa convert --direction inbound esp_sa inbound.toml
  esp sa convert west.toml west.sh";
