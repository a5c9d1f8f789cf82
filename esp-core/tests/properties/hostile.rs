//! Hostile packets, in bursts, to SAs of every kind.

use esp_core::BURST;
use esp_testkit::builder::Room;

use crate::attack::Attack;
use crate::bytes::Bytes;
use crate::judge::Judge;
use crate::lab::{Given, Lab};
use crate::targets;

/// Reads a program of packets and bursts from `data` and judges what becomes of each packet.
pub(crate) fn holds(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut lab = Lab::new(32);
    let mut judge = Judge::new(targets::install(&lab.engine));
    let mut history: Vec<Attack> = Vec::new();
    let (mut burst_len, mut waiting) = (burst_len(&mut bytes), 0);
    while !bytes.is_empty() && history.len() < MAX_PACKETS {
        history.push(Attack::read(&mut bytes, &mut judge.targets, &history));
        waiting += 1;
        if waiting == burst_len {
            open(&mut bytes, &mut lab, &mut judge, &history[history.len() - waiting..]);
            (burst_len, waiting) = (self::burst_len(&mut bytes), 0);
        }
    }
    open(&mut bytes, &mut lab, &mut judge, &history[history.len() - waiting..]);
    judge.finish(&lab.engine);
}

/// At most 70: two bursts and a bit.
fn burst_len(bytes: &mut Bytes<'_>) -> usize {
    match bytes.next() {
        len @ 0..128 => 1 + usize::from(len % 8),
        len => 1 + usize::from(len % 70),
    }
}

fn open(bytes: &mut Bytes<'_>, lab: &mut Lab, judge: &mut Judge, attacks: &[Attack]) {
    let (headroom, tailroom) = (bytes.below(40), bytes.below(40));
    let given = attacks
        .iter()
        .map(|attack| Given { room: Room::new(headroom, &attack.wire, tailroom), flags: attack.flags });
    let outcomes = lab.open(given.collect());
    for (attacks, outcomes) in attacks.chunks(BURST).zip(outcomes.chunks(BURST)) {
        judge.begin_burst();
        for (attack, outcome) in attacks.iter().zip(outcomes) {
            judge.judge(attack, outcome);
        }
    }
}

/// Keeps one input short.
const MAX_PACKETS: usize = 200;
