//! Completions for shells, and man pages: made from the command line's own description.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::output;

/// What `esp completions` can be told.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// What `esp man` can be told.
#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub(crate) struct ManArgs {
    /// Directory that gets a page for each command; without it, the page of `esp` itself goes to standard output
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completions for a shell.
///
/// # Errors
///
/// Standard output cannot be written.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    output::print(&String::from_utf8(script).context("completions")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints or writes man pages.
///
/// # Errors
///
/// The pages cannot be written.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    let mut command = Cli::command();
    command.build();
    match &args.dir {
        None => output::print(&String::from_utf8(page(&command)?).context("man page")?)?,
        Some(dir) => {
            fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
            write(dir, &command, NAME)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, then those of its own commands: `esp-sa-check.1`.
fn write(dir: &Path, command: &clap::Command, name: &str) -> Result<()> {
    let path = dir.join(format!("{name}.1"));
    fs::write(&path, page(command)?).with_context(|| path.display().to_string())?;
    let own = command.get_subcommands().filter(|command| command.get_name() != "help");
    own.into_iter().try_for_each(|command| write(dir, command, &format!("{name}-{}", command.get_name())))
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context("man page")?;
    Ok(page)
}

const NAME: &str = "esp";

const COMPLETIONS_HELP: &str = "\
Examples:
  esp completions bash > ~/.local/share/bash-completion/completions/esp
  esp completions zsh > \"${fpath[1]}/_esp\"
  esp completions fish > ~/.config/fish/completions/esp.fish";

const MAN_HELP: &str = "\
Examples:
  esp man | man -l -
  esp man ~/.local/share/man/man1";
