//! The property of the fuzz target `sa_files`.

use esp_core::config::{Direction, SaFile};

use super::file::{Format, Hint, parse};
use super::{esp_sa, xfrm};

/// Reads any bytes as an SA file of each format. What is read and printed must be read again as the same; and no fault
/// shows what may be a key.
///
/// # Panics
///
/// It is not the same.
#[doc(hidden)]
pub fn round_trip(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (sas, faults) = SaFile::check(text);
    faults.iter().for_each(|fault| hides_keys(&fault.to_string(), text));
    let sas: Vec<_> = sas.into_iter().map(|(_, sa)| sa).collect();
    let printed = SaFile::write(&sas);
    let again = SaFile::parse(&printed).expect("what was written is an SA file");
    assert_eq!(format!("{again:?}"), format!("{sas:?}"));
    assert_eq!(SaFile::write(&again), printed);

    let (lines, faults) = esp_sa::parse(text);
    faults.iter().for_each(|fault| hides_keys(&fault.to_string(), text));
    let printed = esp_sa::print(&lines);
    let (again, faults) = esp_sa::parse(&printed);
    assert_eq!(faults, []);
    assert_eq!(esp_sa::print(&again), printed);

    let parsed = xfrm::parse(text);
    parsed.faults.iter().for_each(|fault| hides_keys(&fault.to_string(), text));
    let printed = xfrm::print(&parsed.states);
    let again = xfrm::parse(&printed);
    assert_eq!(again.faults, []);
    assert_eq!(xfrm::print(&again.states), printed);
    xfrm::commands(&again.states);

    for direction in [Direction::Inbound, Direction::Outbound] {
        for format in [Format::Toml, Format::EspSa, Format::Xfrm] {
            let hint = Hint { direction: Some(direction), ..Hint::default() };
            let parsed = parse(text, format, &hint);
            parsed.faults.iter().for_each(|fault| hides_keys(&fault.to_string(), text));
            parsed.notes.iter().for_each(|note| hides_keys(&note.message, text));
        }
    }
}

/// No word of 32 hexadecimal digits or more goes from the text into a message.
fn hides_keys(message: &str, text: &str) {
    let words = message.split(|c: char| !c.is_ascii_hexdigit()).filter(|word| word.len() >= 32);
    for word in words {
        assert!(!text.contains(word), "a message shows {} digits of the text", word.len());
    }
}
