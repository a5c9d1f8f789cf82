use super::*;

#[test]
fn b01_copies_that_all_passed_the_check_end_as_one() {
    let mut window = plain(64);
    for _ in 0..8 {
        assert_eq!(window.check(Seq64(35)), Ok(()));
    }
    let passed = (0..8).filter(|_| window.commit(Seq64(35)).is_ok()).count();
    assert_eq!(passed, 1);
}

#[test]
fn b02_high_half_belongs_to_the_packet() {
    let mut window = extended(64, 0);
    seen(&mut window, 63..=79);
    let inferred = [200, 81, 201, 202].map(|low| window.infer(SeqLow(low)).unwrap());
    assert_eq!(inferred.map(|seq| window.check(seq)), [Ok(()); 4]);
    let verdicts = inferred.map(|seq| window.commit(seq).map(|_| ()));
    assert_eq!(verdicts, [Ok(()), Err(Replay::TooOld), Ok(()), Ok(())]);
    assert_eq!(window.top(), Seq64(202));
}

#[test]
fn b03_previous_subspace_inside_a_window_that_spans_the_wrap() {
    let mut window = extended(64, 0x2_0000_001e);
    let seq = window.infer(SeqLow(0xffff_ffe9)).unwrap();
    assert_eq!(seq, Seq64(0x1_ffff_ffe9));
    assert_eq!(window.commit(seq), Ok(Advance { lost: 0 }));
    assert_eq!(window.commit(seq), Err(Replay::Duplicate));
    assert_eq!(window.top(), Seq64(0x2_0000_001e));
}

#[test]
fn b03_every_side_of_both_cases() {
    let case_a = extended(64, 0x1_0000_0068);
    let bottom = 0x68 - 63;
    assert_eq!(case_a.infer(SeqLow(bottom)), Ok(Seq64(0x1_0000_0000 + u64::from(bottom))));
    assert_eq!(case_a.infer(SeqLow(bottom - 1)), Ok(Seq64(0x2_0000_0000 + u64::from(bottom) - 1)));
    assert_eq!(case_a.infer(SeqLow(u32::MAX)), Ok(Seq64(0x1_ffff_ffff)));
    assert_eq!(case_a.infer(SeqLow(0)), Ok(Seq64(0x2_0000_0000)));

    // Tl = W - 1 is the last of case A, Tl = W - 2 the first of case B.
    assert_eq!(extended(64, 0x1_0000_003f).infer(SeqLow(u32::MAX)), Ok(Seq64(0x1_ffff_ffff)));
    assert_eq!(extended(64, 0x1_0000_003e).infer(SeqLow(u32::MAX)), Ok(Seq64(0xffff_ffff)));
    assert_eq!(extended(64, 0x1_0000_003e).infer(SeqLow(u32::MAX - 1)), Ok(Seq64(0x1_ffff_fffe)));
}

#[test]
fn b04_young_sa_does_not_borrow_from_the_high_half() {
    for top in [0, 1, 62_u32] {
        let window = extended(64, u64::from(top));
        let before = window.clone();
        for low in [u32::MAX, 0xffff_fff0, top.wrapping_sub(63)] {
            let expect =
                if top == 62 && low != u32::MAX { Ok(Seq64(u64::from(low))) } else { Err(Replay::TooOld) };
            assert_eq!(window.infer(SeqLow(low)), expect, "top {top}, low {low:#x}");
        }
        assert_eq!(window, before);
    }
    assert_eq!(extended(64, 1).infer(SeqLow(0xffff_ffc1)), Ok(Seq64(0xffff_ffc1)), "one below: a legal jump");
    assert_eq!(extended(64, 63).infer(SeqLow(u32::MAX)), Ok(Seq64(0xffff_ffff)), "case A again");
}

#[test]
fn b07_jump_of_exactly_the_window_clears_every_bit() {
    for size in [32, 64, 100, 128, 1000] {
        let mut window = plain(size);
        let size = u64::from(size);
        seen(&mut window, 1..=size);
        commit(&mut window, 2 * size);
        for seq in size + 1..2 * size {
            assert_eq!(window.check(Seq64(seq)), Ok(()), "size {size}, {seq}");
        }
        assert_eq!(window.check(Seq64(size)), Err(Replay::TooOld));
    }
    let mut window = plain(32);
    seen(&mut window, [94, 100, 132]);
    assert_eq!(window.check(Seq64(126)), Ok(()));
}

#[test]
fn b08_window_alias() {
    for size in [32_u32, 64, 65, 128, 1000] {
        let ring = u64::from(size + 64).div_ceil(64).next_power_of_two() * 64;
        let mut window = plain(size);
        let (top, size) = (10_000, u64::from(size));
        commit(&mut window, top);
        for below in [top - size, top - size - 1, top - ring, top - 2 * ring, top - ring + 1] {
            assert_eq!(window.commit(Seq64(below)).map(|_| ()), Err(Replay::TooOld), "size {size}, {below}");
        }
        // Had one of them been marked, the number a ring further would now look seen.
        seen(&mut window, top + 1..=top + ring + 1);
    }
}

#[test]
fn b18_zero_is_refused_and_a_low_half_of_zero_is_not() {
    for mut window in [plain(64), extended(64, 0)] {
        assert_eq!(window.infer(SeqLow(0)), Ok(Seq64(0)));
        assert_eq!(window.check(Seq64(0)), Err(Replay::Zero));
        assert_eq!(window.commit(Seq64(0)), Err(Replay::Zero));
        commit(&mut window, 1);
        assert_eq!(window.commit(Seq64(0)), Err(Replay::Zero));
    }
    let mut window = extended(64, 0xffff_fff0);
    let seq = window.infer(SeqLow(0)).unwrap();
    assert_eq!(seq, Seq64(0x1_0000_0000));
    assert_eq!(window.commit(seq), Ok(Advance { lost: 16 }), "0xffff_ffb1..=0xffff_ffc0");
    assert_eq!(window.commit(seq), Err(Replay::Duplicate));
}

#[test]
fn b24_a_check_moves_nothing() {
    let mut window = plain(64);
    seen(&mut window, 1..=33);
    let before = window.clone();
    for seq in [1 << 31, 34, 33, 0, u64::MAX] {
        let _ = window.check(Seq64(seq));
    }
    assert_eq!(window, before);
}

#[test]
fn b24_a_refused_commit_moves_nothing() {
    let mut window = plain(64);
    seen(&mut window, [1, 100]);
    let before = window.clone();
    for seq in [0, 1, 36, 100] {
        assert!(window.commit(Seq64(seq)).is_err());
    }
    assert_eq!(window, before);
}

#[test]
fn b50_huge_jump_saturates_at_the_end_of_the_space() {
    for size in [64, 1000, 1 << 21] {
        let mut window = extended(size, 0);
        let lost = window.commit(Seq64(u64::MAX)).unwrap().lost;
        assert_eq!(lost, u64::MAX - u64::from(size));
        for seq in [0, 1, u64::MAX - u64::from(size)] {
            assert!(window.commit(Seq64(seq)).is_err(), "{seq}");
        }
        assert_eq!(window.commit(Seq64(u64::MAX)), Err(Replay::Duplicate));
        assert_eq!(window.commit(Seq64(u64::MAX - 1)), Ok(Advance { lost: 0 }));
        assert_eq!(window.infer(SeqLow(0)), Err(Replay::TooOld), "there is no number beyond 2^64 - 1");
        assert_eq!(window.top(), Seq64(u64::MAX));
    }
}

#[test]
fn b51_first_packet_far_ahead() {
    for esn in [false, true] {
        let mut window = Window::new(WindowSize::DEFAULT, esn);
        let seq = window.infer(SeqLow(0xf000_0000)).unwrap();
        assert_eq!(window.commit(seq), Ok(Advance { lost: 0xf000_0000 - 64 }));
    }
}

#[test]
fn b52_edges_and_the_newest_again() {
    let mut window = plain(64);
    commit(&mut window, 100);
    assert_eq!(window.commit(Seq64(100)), Err(Replay::Duplicate));
    assert_eq!(window.commit(Seq64(36)), Err(Replay::TooOld));
    commit(&mut window, 37);
    assert_eq!(window.commit(Seq64(37)), Err(Replay::Duplicate));
}

#[test]
fn b53_every_size_is_exact() {
    for bits in [32, 33, 63, 64, 65, 100, 127, 128, 1000, 1024, 4096, 1 << 21] {
        let mut window = plain(bits);
        let top = 3 * u64::from(bits) + 17;
        commit(&mut window, top);
        assert_eq!(window.check(Seq64(top - u64::from(bits) + 1)), Ok(()), "{bits}");
        assert_eq!(window.check(Seq64(top - u64::from(bits))), Err(Replay::TooOld), "{bits}");
    }
}

#[test]
fn b55_off_is_spelled_out_and_passes_everything() {
    let mut off = Window::off();
    assert_eq!((off.size(), off.esn()), (None, false));
    for low in [5, 0, 5, 0x1235, 1, u32::MAX, 0] {
        let seq = off.infer(SeqLow(low)).unwrap();
        assert_eq!(seq, Seq64(u64::from(low)));
        assert_eq!((off.check(seq), off.commit(seq)), (Ok(()), Ok(Advance { lost: 0 })));
    }
    assert_eq!(off.top(), Seq64(u64::from(u32::MAX)));
    assert_eq!(plain(64).size(), Some(WindowSize::DEFAULT));
}

#[test]
fn b68_lost_counts_what_left_unseen() {
    let mut window = plain(64);
    assert_eq!(seen(&mut window, [1, 2, 4, 64, 66]), 0, "3 is in the window");
    assert_eq!(commit(&mut window, 67), 1);
    assert_eq!(commit(&mut window, 67 + 64 + 10), 60 + 10, "5..=63, 65 and the first ten of 68..=140");
    assert_eq!(commit(&mut window, 68 + 64 + 10), 1);
}

#[test]
fn restart_counts_all_up_to_the_top_as_seen() {
    for size in [64, 100, 1 << 21] {
        for top in [0, 1, 62, 63, 64, 0x1_0000_0005, u64::MAX - 1] {
            let size = WindowSize::new(size).unwrap();
            let mut window = Window::all_seen_up_to(size, true, Seq64(top));
            for back in 0..u64::from(size.bits()).min(200) {
                let seq = top.saturating_sub(back);
                let expect = if seq == 0 { Replay::Zero } else { Replay::Duplicate };
                assert_eq!(window.commit(Seq64(seq)), Err(expect), "top {top}, {seq}");
            }
            assert_eq!(commit(&mut window, top + 1), 0, "what was below the top is not lost");
        }
    }
}

fn plain(bits: u32) -> Window {
    Window::new(WindowSize::new(bits).unwrap(), false)
}

fn extended(bits: u32, top: u64) -> Window {
    Window::with_top(WindowSize::new(bits).unwrap(), true, Seq64(top))
}

/// Commits one number that must pass; how many that lost.
fn commit(window: &mut Window, seq: u64) -> u64 {
    window.commit(Seq64(seq)).unwrap_or_else(|why| panic!("{seq} at top {}: {why}", window.top())).lost
}

/// Commits numbers that must pass; how many that lost.
fn seen(window: &mut Window, seqs: impl IntoIterator<Item = u64>) -> u64 {
    seqs.into_iter().map(|seq| commit(window, seq)).sum()
}
