//! The SAs of a scenario, at both ends.

use std::collections::BTreeMap;

use esp_core::config::{ReplayWindow, SaConfig, UdpEncap};
use esp_core::{SaError, SaId, Transform, TunnelId};
use esp_testkit::builder::{Ipv4, Upper};
use esp_testkit::slow::{self, SlowSa};
use esp_testkit::vectors::{Expect, SaSpec, Scenario};

use crate::rig::{self, Rig, SPI, tunnel};

/// Why a scenario's SA cannot be, in the engine's words.
pub(super) struct Unfit(pub(super) String);

/// An engine with the scenario's SAs in it.
pub(super) struct Sas {
    pub(super) rig: Rig,
    spec: SaSpec,
    transform: Transform,
    all: BTreeMap<String, Sa>,
    output: String,
}

/// One SA: ours inbound, ours outbound, and the peer's ends of both.
pub(super) struct Sa {
    pub(super) config: SaConfig,
    pub(super) inbound: Option<SaId>,
    pub(super) outbound: Option<TunnelId>,
    /// Both directions have one key, so one slow ESP is the far end of both.
    pub(super) peer: SlowSa,
    /// The last number that the peer gave, and that we gave.
    peer_sent: u64,
    pub(super) sent: u64,
}

/// The name of an SA that the scenario does not name.
const ONLY: &str = "";

impl Sas {
    pub(super) fn new(scenario: &Scenario) -> Result<Self, Unfit> {
        let spec = scenario.sa.clone();
        super::known_fields(&spec.extra, &scenario.name);
        let transform = transform(&spec)?;
        let mut sas =
            Self { rig: Rig::new(), spec, transform, all: BTreeMap::new(), output: ONLY.to_owned() };
        sas.refuse_unfit()?;
        let named =
            scenario.steps.iter().any(|step| matches!(step, esp_testkit::vectors::Step::AddSa { .. }));
        if !named {
            sas.add(ONLY);
        }
        Ok(sas)
    }

    /// Asks the engine for the SA if the RFC gives a reason to refuse it; any other refusal fails the test.
    fn refuse_unfit(&self) -> Result<(), Unfit> {
        let config = self.config(SPI);
        let off = config.replay_window == ReplayWindow::Off;
        let absurd =
            matches!(config.replay_window, ReplayWindow::Bits(bits) if !(32..=1 << 21).contains(&bits));
        if !self.receives() || !(absurd || off && config.esn) {
            return Ok(());
        }
        let why = self.rig.engine.install_inbound(&config).expect_err("no such window");
        assert!(matches!(why, SaError::Field { field: "replay_window", .. }), "{why}");
        Err(Unfit(why.to_string()))
    }

    fn config(&self, spi: u32) -> SaConfig {
        let mut config = rig::peer(&tunnel(self.transform, false));
        (config.spi, config.esn) = (spi, self.spec.esn);
        config.udp = self.spec.nat_t.then(UdpEncap::default);
        config.replay_window = match (self.spec.anti_replay, self.spec.window) {
            (Some(false), _) | (None, Some(0)) => ReplayWindow::Off,
            (_, Some(bits)) => ReplayWindow::Bits(bits),
            (_, None) => ReplayWindow::default(),
        };
        config
    }

    fn receives(&self) -> bool {
        match self.spec.direction.as_str() {
            "in" | "both" => true,
            "out" => false,
            other => panic!("direction {other}"),
        }
    }

    pub(super) fn sends(&self) -> bool {
        self.spec.direction == "out"
    }

    /// Installs a further SA. Inbound comes first, so that the peer can use it at once.
    pub(super) fn add(&mut self, id: &str) {
        let config = self.config(SPI + self.all.len() as u32);
        let inbound = self.receives().then(|| self.rig.inbound(&config));
        let outbound = (self.spec.direction != "in").then(|| self.rig.out(&sending(&config)));
        let peer = rig::slow(&config);
        let sa = Sa { config, inbound, outbound, peer, peer_sent: 0, sent: 0 };
        assert!(self.all.insert(id.to_owned(), sa).is_none(), "a second SA `{id}`");
        if self.all.len() == 1 {
            id.clone_into(&mut self.output);
        }
    }

    /// Removes both directions; the peer keeps its ends.
    pub(super) fn delete(&mut self, id: &str) {
        let sa = self.get(id);
        let outbound = sa.outbound.map(|tunnel| self.rig.engine.outbound_sa(tunnel).expect("a live tunnel"));
        for sa in sa.inbound.into_iter().chain(outbound) {
            self.rig.engine.remove(sa).expect("a live SA");
        }
    }

    pub(super) fn use_for_output(&mut self, id: &str) {
        assert!(self.get(id).outbound.is_some(), "`{id}` sends");
        id.clone_into(&mut self.output);
    }

    pub(super) fn get(&self, id: &str) -> &Sa {
        self.all.get(id).unwrap_or_else(|| panic!("no SA `{id}`"))
    }

    fn get_mut(&mut self, id: &str) -> &mut Sa {
        self.all.get_mut(id).unwrap_or_else(|| panic!("no SA `{id}`"))
    }

    /// The SA that packets come in on.
    pub(super) fn inbound_id(&self, named: Option<&str>) -> String {
        named.unwrap_or(&self.output).to_owned()
    }

    pub(super) fn output(&self) -> (&str, &Sa) {
        (&self.output, self.get(&self.output))
    }

    pub(super) fn next_from_peer(&mut self, id: &str) -> u64 {
        let sa = self.get_mut(id);
        sa.peer_sent += 1;
        sa.peer_sent
    }

    pub(super) fn count_sent(&mut self, packets: u64) {
        let id = self.output.clone();
        self.get_mut(&id).sent += packets;
    }

    /// Installs the SA anew: the engine has no way to change a live one's window.
    pub(super) fn set_top(&mut self, top: u64) {
        let sa = self.get(ONLY);
        self.rig.engine.remove(sa.inbound.expect("an inbound SA")).expect("a live SA");
        let anew = self.rig.inbound_at(&sa.config, top);
        self.get_mut(ONLY).inbound = Some(anew);
    }

    /// Installs the SA anew, its next number being `last + 1`.
    pub(super) fn set_sent(&mut self, last: u64) {
        let id = self.output.clone();
        let sa = self.get(&id);
        let old = self.rig.engine.outbound_sa(sa.outbound.expect("an outbound SA")).expect("live");
        self.rig.engine.remove(old).expect("live");
        let anew = self.rig.out_at(&sending(&sa.config), last);
        let sa = self.get_mut(&id);
        (sa.outbound, sa.sent) = (Some(anew), last);
    }

    /// Packet `seq` from the peer, in the way that the step asks for.
    pub(super) fn sealed(
        &self,
        id: &str,
        seq: u64,
        key: Option<&str>,
        tamper: Option<&str>,
        expect: &Expect,
        at: &str,
    ) -> Vec<u8> {
        let mut peer = self.get(id).peer.clone();
        match key {
            None | Some("good") => {}
            Some("bad" | "wrong") => peer.key[0] ^= 1,
            Some(other) => panic!("{at}: key {other}"),
        }
        let wrap = |esp: &[u8]| {
            let (src, dst) = rig::ends(&self.get(id).config);
            slow::wrap_esp(&slow::tunnel_header(src, dst), peer.udp, esp)
        };
        let whole = slow::seal(&peer, seq, rig::iv(seq), &inner(), 0, 0);
        match tamper {
            None if *expect == Expect::Drop("fragment".to_owned()) => fragment(whole),
            None => whole,
            Some("runt") => {
                let shortest = 8 + self.transform.iv_len() + self.transform.icv_len() + 2;
                wrap(&slow::seal_raw(&peer, seq, rig::iv(seq), &[0; 8])[..shortest - 1])
            }
            Some("pad_len") => {
                let plaintext = [&inner()[..], &[1, 2, 0xff, 4]].concat();
                wrap(&slow::seal_raw(&peer, seq, rig::iv(seq), &plaintext))
            }
            Some("icv") => {
                let mut bad = whole;
                *bad.last_mut().expect("an ICV") ^= 1;
                bad
            }
            Some(word) if word.contains("fragment") => fragment(whole),
            Some(other) => panic!("{at}: tamper {other}"),
        }
    }
}

/// The packet inside, always the same.
pub(super) fn inner() -> Vec<u8> {
    Ipv4::default().packet(&Upper::udp(46))
}

/// An IPv4 packet that says that more of it follows. The checksum is the host's to look at.
fn fragment(mut packet: Vec<u8>) -> Vec<u8> {
    packet[6] |= 0x20;
    packet
}

fn sending(config: &SaConfig) -> SaConfig {
    let mut config = config.clone();
    config.direction = esp_core::config::Direction::Outbound;
    config.replay_window = ReplayWindow::default();
    config
}

/// The transform of these algorithms. RFC 8221 section 4: there is none without integrity.
fn transform(spec: &SaSpec) -> Result<Transform, Unfit> {
    match (spec.cipher.as_deref(), spec.auth.as_deref()) {
        (None, None) => Ok(Transform::Aes128Gcm16),
        (Some("none" | "null"), auth) if auth.is_none_or(|auth| auth != "none") => {
            Ok(Transform::NullHmacSha256_128)
        }
        (cipher, auth) => {
            let named = cipher.and_then(Transform::from_name);
            named.ok_or_else(|| Unfit(format!("no transform has cipher {cipher:?} and integrity {auth:?}")))
        }
    }
}
