//! From one capture to the other, burst by burst; in memory there is never more than a burst.

use std::io::Write;

use anyhow::Result;
use esp_core::{Millis, Room, TunnelId, Worker};

use super::Others;
use super::burst::{Burst, Fate};
use super::summary::Counts;
use crate::capture::{Reader, Writer};

/// Which way packets go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Out through this tunnel, whose packets need this room.
    Seal(TunnelId, Room),
    /// In, by their SPI.
    Open,
}

/// A capture on its way through the engine.
pub(crate) struct Stream<W: Write> {
    reader: Reader,
    writer: Writer<W>,
    worker: Worker,
    way: Way,
    others: Others,
    counts: Counts,
}

impl<W: Write> Stream<W> {
    /// From `reader` through `worker` to `writer`.
    pub(crate) fn new(reader: Reader, writer: Writer<W>, worker: Worker, way: Way, others: Others) -> Self {
        Self { reader, writer, worker, way, others, counts: Counts::default() }
    }

    /// Reads to the end, and flushes what was written.
    ///
    /// # Errors
    ///
    /// A capture that cannot be read or written.
    pub(crate) fn run(mut self) -> Result<Counts> {
        let room = match self.way {
            Way::Seal(_, room) => room,
            Way::Open => Room { headroom: 0, tailroom: 0 },
        };
        let (link, resolution) = (self.reader.link(), self.reader.header().ts_resolution);
        let mut burst = Burst::new(room);
        let mut now = Millis(0);
        while let Some(record) = self.reader.next()? {
            self.counts.read += 1;
            if record.is_truncated() {
                self.counts.truncated += 1;
                continue;
            }
            now = now.max(Millis(record.millis(resolution)));
            burst.push(&record, link.content(record.frame));
            if burst.is_full() {
                self.pass(&mut burst, now)?;
            }
        }
        self.pass(&mut burst, now)?;
        self.writer.into_inner().flush()?;
        Ok(self.counts)
    }

    fn pass(&mut self, burst: &mut Burst, now: Millis) -> Result<()> {
        let (worker, way, others) = (&mut self.worker, self.way, self.others);
        let (writer, counts) = (&mut self.writer, &mut self.counts);
        burst.run(
            |packets, verdicts| match way {
                Way::Seal(tunnel, _) => worker.seal_burst(now, tunnel, packets, verdicts),
                Way::Open => worker.open_burst(now, packets, verdicts),
            },
            |fate, frame| {
                counts.count(fate, others);
                match (fate, others) {
                    (Fate::Done, _) | (Fate::Other(_), Others::Pass) => {
                        writer.write(frame.sec, frame.frac, frame.bytes)?;
                        counts.written += 1;
                        Ok(())
                    }
                    _ => Ok(()),
                }
            },
        )
    }
}
