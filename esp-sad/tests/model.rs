//! The database against a map: any sequence of operations, all kinds of keys, every answer compared.

#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use esp_sad::{Domain, InboundSad, Keyed, Query, SaKey, SadError, SlotId};
use esp_wire::Spi;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
struct Sa {
    key: SaKey,
    name: usize,
}

impl Keyed for Sa {
    fn key(&self) -> &SaKey {
        &self.key
    }
}

#[derive(Clone, Debug)]
enum Op {
    Install(SaKey),
    /// Under an SPI of the database's choice; kept as a reservation first if `wait`.
    Allocate {
        wait: bool,
    },
    Redeem,
    Cancel,
    /// One of those ever installed, counted from the latest.
    Remove(usize),
    Reclaim,
}

const MAX: u32 = 12;

fn address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        (1_u8..4).prop_map(|last| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last))),
        (1_u16..3).prop_map(|last| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last))),
    ]
}

fn spi() -> impl Strategy<Value = Spi> {
    prop_oneof![256_u32..262, Just(u32::MAX), Just(1 << 31)].prop_map(|raw| Spi::new(raw).unwrap())
}

fn key() -> impl Strategy<Value = SaKey> {
    (0..3, spi(), address(), address()).prop_map(|(kind, spi, dst, src)| match kind {
        0 => SaKey::Spi(spi),
        1 => SaKey::SpiDst(spi, dst),
        _ => SaKey::SpiDstSrc(spi, dst, src),
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => key().prop_map(Op::Install),
        2 => any::<bool>().prop_map(|wait| Op::Allocate { wait }),
        1 => Just(Op::Redeem),
        1 => Just(Op::Cancel),
        5 => (0_usize..20).prop_map(Op::Remove),
        3 => Just(Op::Reclaim),
    ]
}

#[derive(Default)]
struct Oracle {
    live: HashMap<SaKey, (SlotId, usize)>,
    pending: usize,
    reserved: Vec<Spi>,
}

impl Oracle {
    fn room(&self) -> Result<(), SadError> {
        match self.live.len() + self.reserved.len() {
            taken if taken == MAX as usize => Err(SadError::Full { max: MAX }),
            taken if taken + self.pending == MAX as usize => Err(SadError::Busy { stalled: None }),
            _ => Ok(()),
        }
    }

    fn find(&self, query: &Query) -> Option<(SlotId, usize)> {
        let spi = Spi::new(query.spi).ok()?;
        [SaKey::SpiDstSrc(spi, query.dst, query.src), SaKey::SpiDst(spi, query.dst), SaKey::Spi(spi)]
            .iter()
            .find_map(|key| self.live.get(key).copied())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_as_a_map_would(
        ops in prop::collection::vec(op(), 1..120),
        asked in prop::collection::vec((spi(), address(), address()), 1..8),
    ) {
        let domain = Domain::new(1);
        let sad = InboundSad::new(MAX, &domain).unwrap();
        let mut reader = domain.register().unwrap();
        let (mut oracle, mut tokens, mut ever) = (Oracle::default(), Vec::new(), Vec::new());
        for (name, op) in ops.into_iter().enumerate() {
            match op {
                Op::Install(key) => {
                    let expect = if oracle.live.contains_key(&key) {
                        Err(SadError::Exists { key })
                    } else {
                        oracle.room()
                    };
                    let done = sad.install(key, Sa { key, name });
                    prop_assert_eq!(done.map(|_| ()), expect);
                    if let Ok(id) = done {
                        prop_assert!(!ever.contains(&id), "a handle twice");
                        ever.push(id);
                        oracle.live.insert(key, (id, name));
                    }
                }
                Op::Allocate { wait } => match sad.allocate_spi() {
                    Err(error) => prop_assert_eq!(Err(error), oracle.room()),
                    Ok(token) => {
                        prop_assert_eq!(oracle.room(), Ok(()));
                        prop_assert!(!oracle.live.keys().any(|key| key.spi() == token.spi()));
                        prop_assert!(!oracle.reserved.contains(&token.spi()));
                        let key = SaKey::Spi(token.spi());
                        if wait {
                            oracle.reserved.push(token.spi());
                            tokens.push(token);
                            let refused = sad.install(key, Sa { key, name });
                            prop_assert_eq!(refused, Err(SadError::Exists { key }));
                        } else {
                            let id = sad.install_reserved(token, Sa { key, name }).unwrap();
                            ever.push(id);
                            oracle.live.insert(key, (id, name));
                        }
                    }
                },
                Op::Redeem => if let Some(token) = tokens.pop() {
                    oracle.reserved.pop();
                    let key = SaKey::Spi(token.spi());
                    let id = sad.install_reserved(token, Sa { key, name }).unwrap();
                    ever.push(id);
                    oracle.live.insert(key, (id, name));
                },
                Op::Cancel => if let Some(token) = tokens.pop() {
                    oracle.reserved.pop();
                    token.cancel();
                },
                Op::Remove(back) => if let Some(&id) = ever.iter().rev().nth(back) {
                    let key = oracle.live.iter().find(|(_, live)| live.0 == id).map(|(key, _)| *key);
                    prop_assert_eq!(sad.remove(id), key.is_some());
                    if let Some(key) = key {
                        oracle.live.remove(&key);
                        oracle.pending += 1;
                    }
                },
                Op::Reclaim => {
                    prop_assert_eq!(sad.reclaim(|_| {}), oracle.pending);
                    oracle.pending = 0;
                }
            }
            prop_assert_eq!(sad.live() as usize, oracle.live.len());
            prop_assert_eq!(sad.pending(), oracle.pending);

            let ours = oracle.live.keys().map(|key| Query { spi: key.spi().get(), dst: asked[0].1, src: asked[0].2 });
            let queries: Vec<_> = asked
                .iter()
                .map(|&(spi, dst, src)| Query { spi: spi.get(), dst, src })
                .chain(ours)
                .collect();
            let guard = reader.enter();
            let mut found = vec![None; queries.len()];
            sad.find_burst(&guard, &queries, &mut found);
            for (query, found) in queries.iter().zip(&found) {
                let expect = oracle.find(query);
                prop_assert_eq!(found.map(|found| (found.id, found.sa.name)), expect);
                let one = sad.find(&guard, query.spi, query.dst, query.src);
                prop_assert_eq!(one.map(|(id, sa)| (id, sa.name)), expect);
            }
            for &id in &ever {
                let live = oracle.live.values().find(|live| live.0 == id).map(|live| live.1);
                prop_assert_eq!(sad.get(&guard, id).map(|sa| sa.name), live);
            }
        }
    }
}
