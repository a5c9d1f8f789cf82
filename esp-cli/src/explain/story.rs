//! What is told of a packet: stages with facts.

use serde::Serialize;

/// One packet, stage by stage.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Story {
    /// Number in the capture, from 1.
    pub(super) number: u64,
    /// Whether nothing is wrong: delivered, consumed, or not ours.
    pub(super) delivered: bool,
    /// The engine's verdict, by the name of its counter.
    pub(super) verdict: String,
    pub(super) stages: Vec<Stage>,
    /// The frame, for the dump; never plaintext.
    #[serde(skip)]
    pub(super) frame: Vec<u8>,
}

/// One stage.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Stage {
    pub(super) stage: &'static str,
    pub(super) mark: Mark,
    pub(super) facts: Vec<Fact>,
    pub(super) remark: Option<String>,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mark {
    Ok,
    Fail,
    Note,
}

/// One value.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) value: String,
    /// Byte of the frame that it starts at.
    pub(super) offset: Option<usize>,
}

/// The mistakes that fit.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cause {
    pub(super) found: Vec<Found>,
    /// Combinations that were tried.
    pub(super) tried: usize,
    /// The conclusion, when no mistake fits.
    pub(super) text: Option<String>,
}

/// One mistake, or several that fit together.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Found {
    /// Stable names, joined by `+`.
    pub(super) id: String,
    pub(super) cause: String,
    pub(super) todo: String,
    /// Packets of this SPI that it makes authentic, of so many that were kept.
    pub(super) fits: usize,
    pub(super) of: usize,
}

impl Story {
    /// Begins a stage, which is well until something says otherwise.
    pub(super) fn stage(&mut self, stage: &'static str) -> &mut Stage {
        self.stages.push(Stage { stage, mark: Mark::Ok, facts: Vec::new(), remark: None });
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }
}

impl Stage {
    pub(super) fn fact(&mut self, name: &'static str, value: impl Into<String>) -> &mut Self {
        self.facts.push(Fact { name, value: value.into(), offset: None });
        self
    }

    pub(super) fn fact_at(
        &mut self,
        name: &'static str,
        offset: usize,
        value: impl Into<String>,
    ) -> &mut Self {
        self.facts.push(Fact { name, value: value.into(), offset: Some(offset) });
        self
    }

    pub(super) fn mark(&mut self, mark: Mark, remark: impl Into<String>) {
        self.mark = mark;
        self.remark = Some(remark.into());
    }
}
