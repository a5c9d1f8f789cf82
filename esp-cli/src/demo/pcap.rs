//! `--pcap`: a capture of sealed traffic with a comment on each packet, and the SA files that open it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use esp_core::config::{Direction, Mode, SaConfig, Secret};
use esp_core::{CpuFeature, Engine, Millis, Packet, Transform, TunnelId, Verdict, Worker};
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

use super::traffic::{Mix, Serial, Traffic};
use crate::capture::{Fresh, Link};
use crate::files::Replacing;
use crate::sa::{self, Format};

/// Writes OUT, OUT with `.esp_sa` and OUT with `.toml` for its extension; answers what to try on them.
///
/// # Errors
///
/// An SA file exists and `force` does not say to replace it, a file cannot be written, or the system has no random numbers.
pub(super) fn write(out: &Path, transform: Transform, denied: &[CpuFeature], force: bool) -> Result<String> {
    let (table, toml) = (out.with_extension("esp_sa"), out.with_extension("toml"));
    if [&table, &toml].contains(&&out.to_owned()) {
        bail!(
            "{}: the SA files take the extensions .esp_sa and .toml; call the capture .pcapng",
            out.display()
        );
    }
    for path in [&table, &toml] {
        ensure!(force || !path.exists(), "{}: exists; say --force to replace its keys", path.display());
    }
    let engine = Engine::builder().max_sas(2).max_workers(1).event_queue(0).deny(denied).build()?;
    let there = sa("west-to-east", transform, (1, 2))?;
    let back = sa("east-to-west", transform, (2, 1))?;
    let mut tunnels = [Way::new(&engine, &there, 0)?, Way::new(&engine, &back, 1)?];
    let place = || out.display().to_string();
    let file = BufWriter::new(File::create(out).with_context(place)?);
    let comment = format!(
        "sealed by esp demo: {transform}, tunnels over IPv4, 32-bit sequence numbers (tshark judges no other)"
    );
    let mut capture = Fresh::start(file, Link::RAW, &comment)?;
    let mut worker = engine.worker()?;
    let mut packets = Vec::new();
    for number in 0..GOOD {
        let way = &mut tunnels[number % 2];
        let packet = way.seal(&mut worker)?;
        packets.push((packet, format!("good: {} of {}", way.sealed, way.name)));
    }
    packets.extend(bad(&packets, &mut tunnels[0], &mut worker)?);
    for (nanos, (packet, comment)) in (START..).step_by(1_000_000).zip(&packets) {
        capture.packet(nanos, packet, Some(comment))?;
    }
    capture.into_inner().flush().with_context(place)?;
    let sas = [there, back];
    put(&table, &sas, Format::EspSa)?;
    put(&toml, &inbound(&sas), Format::Toml)?;
    Ok(tries(out, &table, &toml))
}

/// One direction, and how far it is.
struct Way {
    tunnel: TunnelId,
    headroom: usize,
    tailroom: usize,
    traffic: Traffic,
    worker: usize,
    sealed: usize,
    name: String,
}

impl Way {
    fn new(engine: &Engine, sa: &SaConfig, worker: usize) -> Result<Self> {
        let tunnel = engine.install_outbound(sa)?;
        let room = engine.shape(tunnel)?.room_needed();
        let (headroom, tailroom) = (room.headroom, room.tailroom);
        let name = sa::shown(sa);
        Ok(Self { tunnel, headroom, tailroom, traffic: Traffic::new(Mix::Imix), worker, sealed: 0, name })
    }

    fn seal(&mut self, worker: &mut Worker) -> Result<Vec<u8>> {
        let serial = Serial { worker: self.worker, number: self.sealed };
        let len = self.traffic.len(serial);
        let mut buf = vec![0; self.headroom + len + self.tailroom];
        self.traffic.write(serial, &mut buf[self.headroom..][..len]);
        let mut verdicts = [Verdict::default()];
        let mut packets = [Packet::new(&mut buf, self.headroom, len)?];
        worker.seal_burst(Millis(0), self.tunnel, &mut packets, &mut verdicts)?;
        let Verdict::Delivered(got) = verdicts[0] else { bail!("not sealed: {:?}", verdicts[0]) };
        self.sealed += 1;
        Ok(buf[got.offset as usize..][..got.len as usize].to_vec())
    }
}

/// A packet again, one with a bit turned, one with an SPI that no SA has, one whose sender ends it too soon.
fn bad(good: &[(Vec<u8>, String)], way: &mut Way, worker: &mut Worker) -> Result<Vec<(Vec<u8>, String)>> {
    let Some((first, _)) = good.first() else { return Ok(Vec::new()) };
    let mut bad = vec![(first.clone(), "bad: packet 1 again, a replay".to_owned())];
    let mut change = |what: &str, change: fn(&mut Vec<u8>)| -> Result<()> {
        let mut packet = way.seal(worker)?;
        change(&mut packet);
        bad.push((packet, format!("bad: {what}")));
        Ok(())
    };
    change("one bit of the payload is turned", |packet| {
        let middle = packet.len() / 2;
        packet[middle] ^= 1;
    })?;
    change("an SPI that no SA has", |packet| packet[IPV4_LEN] ^= 0x40)?;
    change("its IP length is more than there is", |packet| packet.truncate(packet.len() - 20))?;
    Ok(bad)
}

fn sa(name: &str, transform: Transform, (src, dst): (u8, u8)) -> Result<SaConfig> {
    let mut key = Zeroizing::new(vec![0; transform.key_len()]);
    SysRng.try_fill_bytes(&mut key).context("no random numbers from the system")?;
    let spi = SysRng.try_next_u32().context("no random numbers from the system")? | 0x0100_0000;
    let key = Secret::from(key.as_slice());
    let mut sa = SaConfig::new(Direction::Outbound, spi, transform, key, Mode::Tunnel);
    sa.name = Some(name.to_owned());
    let host = |last| std::net::IpAddr::from([192, 0, 2, last]);
    (sa.src, sa.dst) = (Some(host(src)), Some(host(dst)));
    Ok(sa)
}

fn inbound(sas: &[SaConfig]) -> Vec<SaConfig> {
    let turned = sas.iter().cloned().map(|mut sa| {
        sa.direction = Direction::Inbound;
        sa
    });
    turned.collect()
}

fn put(path: &Path, sas: &[SaConfig], format: Format) -> Result<()> {
    let (text, _) = sa::write(sas, format).map_err(anyhow::Error::msg)?;
    let mut file = Replacing::private(path)?;
    file.write(text.as_bytes())?;
    file.commit()
}

fn tries(out: &Path, table: &Path, toml: &Path) -> String {
    let names = [out, table, toml].map(|path: &Path| PathBuf::from(path).display().to_string());
    let [out, table, toml] = names;
    format!(
        "{out}: {GOOD} good packets and 4 bad ones, with comments; {table} and {toml} open it\n\
         try:  esp explain {out} --sa {toml}\n      \
         esp open --sa {toml} {out} clear.pcapng\n      \
         mkdir -p ws && cp {table} ws/esp_sa && WIRESHARK_CONFIG_DIR=ws tshark -r {out} \\\n        \
         -o esp.enable_encryption_decode:TRUE -o esp.enable_authentication_check:TRUE\n"
    )
}

const GOOD: usize = 24;
/// Nanoseconds since 1970: a moment like any other.
const START: u64 = 1_700_000_000_000_000_000;
/// Bytes of the outer header.
const IPV4_LEN: usize = 20;
