//! From one capture to the other, burst by burst; in memory there is never more than a burst.

use std::io::Write;

use anyhow::Result;
use esp_core::{Millis, Room, Worker};

use super::Others;
use super::burst::{Burst, Fate};
use super::progress::Progress;
use super::route::Route;
use super::summary::Counts;
use crate::capture::{Entry, Reader, Writer};

/// A capture on its way through the engine.
pub(crate) struct Stream<W: Write> {
    writer: Writer<W>,
    worker: Worker,
    route: Route,
    others: Others,
    counts: Counts,
    burst: Burst,
    now: Millis,
}

impl<W: Write> Stream<W> {
    /// Through `worker` to `writer`; packets get this room.
    pub(crate) fn new(writer: Writer<W>, worker: Worker, route: Route, room: Room, others: Others) -> Self {
        let burst = Burst::new(room);
        Self { writer, worker, route, others, counts: Counts::default(), burst, now: Millis(0) }
    }

    /// Reads to the end, and flushes what was written.
    ///
    /// # Errors
    ///
    /// A capture that cannot be read or written.
    pub(crate) fn run(mut self, reader: &mut Reader, progress: &mut Progress) -> Result<Counts> {
        loop {
            // Where the file is, before what it lends is looked at.
            progress.at(reader.offset());
            let block = match reader.next()? {
                None => break,
                Some(Entry::Packet(record)) => {
                    self.counts.read(&record);
                    if !record.is_truncated() {
                        self.now = self.now.max(Millis(record.millis()));
                        self.burst.push(&record, &self.route);
                    }
                    if self.burst.is_full() {
                        self.pass()?;
                    }
                    continue;
                }
                Some(Entry::Block(block)) => block.to_vec(),
            };
            self.pass()?; // blocks keep their place among the packets
            self.writer.block(&block, reader.big_endian())?;
        }
        self.pass()?;
        self.writer.into_inner().flush()?;
        self.counts.cut_short = reader.cut_short();
        Ok(self.counts)
    }

    fn pass(&mut self) -> Result<()> {
        let (worker, route, others, now) = (&mut self.worker, &self.route, self.others, self.now);
        let (writer, counts) = (&mut self.writer, &mut self.counts);
        self.burst.run(
            |tunnels, packets, verdicts| match route {
                Route::Seal(_) => worker.seal_mixed(now, tunnels, packets, verdicts),
                Route::Open => worker.open_burst(now, packets, verdicts),
            },
            |fate, frame| {
                counts.count(fate, others, frame.packet);
                match (fate, others) {
                    (Fate::Done, _) | (Fate::Other(_), Others::Pass) => {
                        writer.packet(frame.stamp, frame.bytes, frame.unchanged)?;
                        counts.written += 1;
                        Ok(())
                    }
                    _ => Ok(()),
                }
            },
        )
    }
}
