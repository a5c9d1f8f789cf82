//! Steps in which packets are sent.

use esp_testkit::slow;
use esp_testkit::vectors::Expect;

use super::inbound::meant;
use super::sas::{Sas, inner};
use crate::rig::Outcome;

/// Sends `count` packets, in one call or one by one. Each is opened by the peer, who knows which number is next.
pub(super) fn send(
    sas: &mut Sas,
    count: u64,
    burst: bool,
    expect: &Expect,
    first_seq: Option<u64>,
    on_sa: Option<&str>,
    at: &str,
) {
    let (id, sa) = sas.output();
    assert!(on_sa.is_none_or(|wanted| wanted == id), "{at}: output is on `{id}`");
    let (tunnel, peer, first) = (sa.outbound.expect("an outbound SA"), sa.peer.clone(), sa.sent + 1);
    let named = sas.rig.engine.outbound_sa(tunnel).expect("a live tunnel");
    if let (Some(wanted), Expect::Accept) = (first_seq, expect) {
        assert_eq!(first, wanted, "{at}: the next number");
    }
    let packets = vec![inner(); usize::try_from(count).expect("a small count")];
    let outcomes: Vec<Outcome> = if burst {
        sas.rig.seal(tunnel, &packets)
    } else {
        packets.iter().map(|packet| sas.rig.seal_one(tunnel, packet)).collect()
    };
    for (seq, outcome) in (first..).zip(&outcomes) {
        match expect {
            Expect::Accept => {
                assert_eq!(
                    outcome.verdict.delivered().map(|got| got.sa),
                    Some(named),
                    "{at}: {:?}",
                    outcome.verdict
                );
                // With ESN the high half enters the ICV: opening with another one fails.
                let opened = slow::open(&peer, (seq >> 32) as u32, &outcome.bytes);
                let opened = opened.unwrap_or_else(|why| panic!("{at}: {seq:#x}: {why:?}"));
                assert_eq!((opened.seq_low, &opened.inner), (seq as u32, &inner()), "{at}");
            }
            Expect::Drop(word) => {
                let why = outcome.verdict.reason();
                assert!(why.is_some_and(|why| meant(word).contains(&why)), "{at}: {:?}", outcome.verdict);
            }
            other => panic!("{at}: not known here: {other:?}"),
        }
    }
    if *expect == Expect::Accept {
        sas.count_sent(count);
    }
    let told = sas.rig.engine.sa_stats(named).expect("a live SA").sequence;
    assert_eq!(told, sas.output().1.sent, "{at}: a refused packet does not advance the counter");
}
