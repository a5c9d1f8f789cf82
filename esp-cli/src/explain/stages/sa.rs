//! The SA of a packet (RFC 4303 section 3.4.2).

use std::net::IpAddr;

use esp_core::DropReason;
use esp_core::config::{Lookup, Mode, ReplayWindow};
use serde::Serialize;

use super::esp::Esp;
use super::{Mark, Said};
use crate::explain::names;
use crate::explain::sas::{Known, Sas};
use crate::explain::story::Fate;

/// Which SA, or which there are.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    /// Its place among the SAs.
    #[serde(skip)]
    pub(crate) at: Option<usize>,
    found: bool,
    name: Option<String>,
    #[serde(skip)]
    shown: String,
    transform: Option<&'static str>,
    mode: Option<&'static str>,
    esn: bool,
    /// Bits; `None`: off.
    replay_window: Option<u32>,
    udp: bool,
    lookup: Option<&'static str>,
    /// Whether the file has it as outbound.
    taken_as_inbound: bool,
    /// What the file has, if none was found; all the same SPI if there are any.
    others: Vec<String>,
    #[serde(skip)]
    spi: u32,
    file: String,
}

/// Finds the SA.
///
/// # Errors
///
/// There is none.
pub(crate) fn find(sas: &Sas, esp: &Esp, src: IpAddr, dst: IpAddr) -> (Found, Result<usize, Fate>) {
    match sas.find(esp.spi, src, dst).and_then(|at| Some((at, sas.list.get(at)?))) {
        Some((at, known)) => (Found::of(sas, at, known), Ok(at)),
        None => (Found::none(sas, esp.spi), Err(DropReason::NoSa.into())),
    }
}

impl Found {
    fn of(sas: &Sas, at: usize, known: &Known) -> Self {
        let config = &known.config;
        Self {
            at: Some(at),
            found: true,
            name: config.name.clone(),
            shown: known.shown(),
            transform: Some(config.transform.name()),
            mode: Some(if config.mode == Mode::Tunnel { "tunnel" } else { "transport" }),
            esn: config.esn,
            replay_window: match config.replay_window {
                ReplayWindow::Bits(bits) => Some(bits),
                ReplayWindow::Off => None,
            },
            udp: config.udp.is_some(),
            lookup: Some(match config.lookup {
                Lookup::Spi => "spi",
                Lookup::SpiDst => "spi-dst",
                Lookup::SpiDstSrc => "spi-dst-src",
            }),
            taken_as_inbound: known.sends,
            others: Vec::new(),
            spi: config.spi,
            file: sas.file.clone(),
        }
    }

    fn none(sas: &Sas, spi: u32) -> Self {
        Self {
            at: None,
            found: false,
            name: None,
            shown: String::new(),
            transform: None,
            mode: None,
            esn: false,
            replay_window: None,
            udp: false,
            lookup: None,
            taken_as_inbound: false,
            others: sas.shown(),
            spi,
            file: sas.file.clone(),
        }
    }

    /// The stage in words.
    pub(crate) fn said(&self) -> Said {
        if !self.found {
            let line = format!("no SA of {} has SPI {} and these addresses", self.file, names::spi(self.spi));
            let others = format!("it has {}", names::first_few(self.others.clone()));
            return Said::new("SA", Mark::Fail, line).and(others);
        }
        let by = match self.lookup {
            Some("spi-dst") => "SPI and destination",
            Some("spi-dst-src") => "SPI, destination and source",
            _ => "its SPI",
        };
        let line = format!("{} of {}, found by {by}", self.shown, self.file);
        let numbers = if self.esn { "64-bit numbers (ESN)" } else { "32-bit numbers (no ESN)" };
        let window = self
            .replay_window
            .map_or_else(|| "no replay window".to_owned(), |bits| format!("window of {bits}"));
        let udp = if self.udp { "in UDP" } else { "not in UDP" };
        let what = format!(
            "{}, {} mode, {udp}, {numbers}, {window}",
            self.transform.unwrap_or_default(),
            self.mode.unwrap_or_default()
        );
        let taken = self.taken_as_inbound.then(|| {
            "outbound in the file: taken as the receiver's, without what is for sending only".to_owned()
        });
        Said::new("SA", Mark::Ok, line).and(what).and_if(taken)
    }
}
