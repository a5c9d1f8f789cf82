//! Every interleaving, within loom's bounds, of small readers and writers. Run by
//! `RUSTFLAGS="--cfg loom" cargo test -p esp-sad --release --test loom`.
//!
//! The value in a slot is a [`Canary`]: a cell that loom watches. Dropping it is a write; a reader's look is a read. If
//! the drop could come while a reader may still look, the two are unordered in some interleaving and loom says so.

#![cfg(loom)]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use esp_sad::{Domain, InboundSad, Keyed, Query, Reader, SaKey, Slab, SlotId, Style};
use esp_wire::Spi;
use loom::cell::UnsafeCell;
use loom::thread;

struct Canary {
    key: SaKey,
    name: u32,
    alive: UnsafeCell<bool>,
}

// SAFETY: the cell is written by `drop` only; that no reader is there at that time is what the models check.
#[expect(unsafe_code, reason = "loom's cell is how the models notice a use after free")]
unsafe impl Sync for Canary {}

impl Canary {
    fn new(name: u32) -> Self {
        Self { key: SaKey::Spi(Spi::new(name).unwrap()), name, alive: UnsafeCell::new(true) }
    }

    #[track_caller]
    fn look(&self, name: u32) {
        assert_eq!(self.name, name, "another SA under this name");
        // SAFETY: as above.
        #[expect(unsafe_code, reason = "loom's cell is how the models notice a use after free")]
        self.alive.with(|alive| assert!(unsafe { *alive }, "the SA is gone"));
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        // SAFETY: as above.
        #[expect(unsafe_code, reason = "loom's cell is how the models notice a use after free")]
        self.alive.with_mut(|alive| unsafe { *alive = false });
    }
}

impl Keyed for Canary {
    fn key(&self) -> &SaKey {
        &self.key
    }
}

fn model(body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    // Every schedule with at most three preemptions: the known faults of such schemes need two.
    builder.preemption_bound = Some(3);
    builder.check(body);
}

fn pair(domain: &Arc<Domain>) -> (Arc<Slab<Canary>>, SlotId, Reader) {
    let slab = Arc::new(Slab::new(1, domain).unwrap());
    let id = slab.insert(Canary::new(300)).unwrap();
    (slab, id, domain.register().unwrap())
}

fn look(slab: &Slab<Canary>, reader: &mut Reader, id: SlotId) {
    let guard = reader.enter();
    if let Some(canary) = slab.get(&guard, id) {
        canary.look(300);
    }
}

#[test]
fn a_burst_outlives_what_it_found_in_no_schedule() {
    model(|| {
        let (slab, id, mut reader) = pair(&Domain::new(1));
        let theirs = Arc::clone(&slab);
        let worker = thread::spawn(move || {
            look(&theirs, &mut reader, id);
            look(&theirs, &mut reader, id);
        });
        assert!(slab.remove(id));
        slab.reclaim(|freed| assert_eq!(freed, id));
        worker.join().unwrap();
    });
}

#[test]
fn b21_a_reused_slot_is_not_the_old_sa_in_any_schedule() {
    model(|| {
        let (slab, id, mut reader) = pair(&Domain::new(1));
        let theirs = Arc::clone(&slab);
        let worker = thread::spawn(move || {
            look(&theirs, &mut reader, id);
            let guard = reader.enter();
            if let Some((now, canary)) = theirs.at(&guard, id.index()) {
                canary.look(if now == id { 300 } else { 400 });
            }
        });
        slab.remove(id);
        slab.reclaim(|_| {});
        if let Ok(next) = slab.insert(Canary::new(400)) {
            assert_ne!(next, id);
        }
        worker.join().unwrap();
    });
}

#[test]
fn a_caller_driven_reader_needs_no_fence_to_quiesce() {
    model(|| {
        let (slab, id, mut reader) = pair(&Domain::new(1));
        let theirs = Arc::clone(&slab);
        reader.set_style(Style::CallerDriven);
        let worker = thread::spawn(move || {
            look(&theirs, &mut reader, id);
            reader.quiesce();
            look(&theirs, &mut reader, id);
            reader.quiesce();
        });
        slab.remove(id);
        slab.reclaim(|_| {});
        slab.reclaim(|_| {});
        worker.join().unwrap();
    });
}

#[test]
fn a_reader_that_sleeps_and_wakes_is_waited_for_again() {
    model(|| {
        let (slab, id, mut reader) = pair(&Domain::new(1));
        let theirs = Arc::clone(&slab);
        reader.set_style(Style::CallerDriven);
        let worker = thread::spawn(move || {
            look(&theirs, &mut reader, id);
            reader.offline();
            reader.online();
            look(&theirs, &mut reader, id);
            reader.offline();
            look(&theirs, &mut reader, id);
        });
        slab.remove(id);
        slab.reclaim(|_| {});
        worker.join().unwrap();
    });
}

#[test]
fn a_line_that_changes_hands_is_still_waited_for() {
    model(|| {
        let domain = Domain::new(1);
        let (slab, id, mut reader) = pair(&domain);
        let (first, second) = (Arc::clone(&slab), Arc::clone(&slab));
        let leaver = thread::spawn(move || look(&first, &mut reader, id));
        let joiner = thread::spawn(move || {
            if let Some(mut reader) = domain.register() {
                look(&second, &mut reader, id);
            }
        });
        slab.remove(id);
        slab.reclaim(|_| {});
        leaver.join().unwrap();
        joiner.join().unwrap();
    });
}

#[test]
fn two_readers_are_both_waited_for() {
    model(|| {
        let domain = Domain::new(2);
        let (slab, id, reader) = pair(&domain);
        let workers = [reader, domain.register().unwrap()].map(|mut reader| {
            let theirs = Arc::clone(&slab);
            thread::spawn(move || look(&theirs, &mut reader, id))
        });
        slab.remove(id);
        slab.reclaim(|_| {});
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn a_table_entry_leads_to_its_own_sa_or_to_none() {
    model(|| {
        let domain = Domain::new(1);
        let sad = Arc::new(InboundSad::new(1, &domain).unwrap());
        let id = sad.install(SaKey::Spi(Spi::new(300).unwrap()), Canary::new(300)).unwrap();
        let (theirs, mut reader) = (Arc::clone(&sad), domain.register().unwrap());
        let worker = thread::spawn(move || {
            let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
            let guard = reader.enter();
            if let Some((_, canary)) = theirs.find(&guard, 300, any, any) {
                canary.look(300);
            }
            let mut found = [None];
            theirs.find_burst(&guard, &[Query { spi: 400, dst: any, src: any }], &mut found);
            if let [Some(found)] = found {
                found.sa.look(400);
            }
        });
        sad.remove(id);
        sad.reclaim(|_| {});
        let _ = sad.install(SaKey::Spi(Spi::new(400).unwrap()), Canary::new(400));
        worker.join().unwrap();
    });
}

#[test]
fn two_control_threads_free_each_sa_once() {
    model(|| {
        let (slab, id, mut reader) = pair(&Domain::new(1));
        let (theirs, seen) = (Arc::clone(&slab), Arc::clone(&slab));
        let worker = thread::spawn(move || look(&seen, &mut reader, id));
        let other = thread::spawn(move || theirs.remove(id) as usize + theirs.reclaim(|_| {}));
        let mine = slab.remove(id) as usize + slab.reclaim(|_| {});
        let done = mine + other.join().unwrap();
        worker.join().unwrap();
        assert_eq!(done + slab.reclaim(|_| {}), 2, "removed once and freed once");
    });
}
