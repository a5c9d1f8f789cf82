//! SA files: TOML with one `[[sa]]` table for each SA. `docs/sa-file.md` is the reference.

mod error;
mod table;
mod unique;
mod write;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use zeroize::Zeroizing;

use super::SaConfig;
pub use error::ConfigError;
use table::Place;
use unique::Unique;

/// The reader and writer of SA files.
#[derive(Debug, Clone, Copy)]
pub struct SaFile;

impl SaFile {
    /// Reads and checks every SA of a file, in the file's order. No SA at all is legal.
    ///
    /// The text holds keys: it is the caller's to wipe.
    ///
    /// # Errors
    ///
    /// One fault of the first SA that has any: bad TOML, an unknown, missing or illegal field, a field of the other
    /// direction or mode, a name used twice, two inbound SAs that one packet finds, or whatever
    /// [`SaConfig::outbound`] or [`SaConfig::inbound`] refuse.
    pub fn parse(text: &str) -> Result<Vec<SaConfig>, ConfigError> {
        let (sas, faults) = SaFile::check(text);
        match faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(sas.into_iter().map(|(_, sa)| sa).collect()),
        }
    }

    /// Reads a file to the end: every SA that is sound, with the line it starts on, counted from 1; and a fault of every
    /// other, in the file's order.
    ///
    /// The text holds keys: it is the caller's to wipe.
    pub fn check(text: &str) -> (Vec<(usize, SaConfig)>, Vec<ConfigError>) {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(fault) => {
                let at = fault.span().map_or(0, |span| span.start);
                return (Vec::new(), vec![ConfigError::new(text, at, None, None, fault.message())]);
            }
        };
        let (tables, fault) = sa_tables(text, root.get_ref());
        let (mut sas, mut faults) = (Vec::new(), Vec::from_iter(fault));
        let mut unique = Unique::default();
        for (index, table) in tables.iter().enumerate() {
            let place = Place { text, index: index.saturating_add(1), table };
            match place.read().and_then(|sa| unique.add(&place, &sa).map(|()| sa)) {
                Ok(sa) => sas.push((place.line(), sa)),
                Err(fault) => faults.push(fault),
            }
        }
        (sas, faults)
    }

    /// The text of a file that [`SaFile::parse`] reads back as these SAs. Fields at their default are left out.
    ///
    /// It holds the keys, in memory that is wiped when it is dropped.
    pub fn write(sas: &[SaConfig]) -> Zeroizing<String> {
        write::file(sas)
    }
}

/// The tables of `sa`, which is all that a file may hold, and the fault if there is anything else.
fn sa_tables<'t, 'i>(text: &str, root: &'t DeTable<'i>) -> (&'t [Spanned<DeValue<'i>>], Option<ConfigError>) {
    let fault = |at, message| Some(ConfigError::new(text, at, None, None, message));
    let stranger = root.iter().find(|(name, _)| name.get_ref() != "sa").and_then(|(name, _)| {
        fault(name.span().start, "not known here; an SA file holds [[sa]] tables only")
    });
    match root.get("sa") {
        None => (&[], stranger),
        Some(value) => match value.get_ref() {
            DeValue::Array(tables) => (tables.as_ref(), stranger),
            _ => (&[], fault(value.span().start, "sa is a list of tables; write [[sa]], in double brackets")),
        },
    }
}
