use super::*;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

#[test]
fn every_byte_is_usable_and_the_ends_abut() {
    for len in [0, 1, 61, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE] {
        let mut at_end = GuardedBuf::holding(&vec![7; len], Side::End);
        assert!(at_end.iter().all(|&byte| byte == 7));
        at_end.fill(9);
        assert_eq!((at_end.as_ptr().addr() + at_end.len()) % 4096, 0, "{len}");
        let at_start = GuardedBuf::new(len, Side::Start);
        assert_eq!(at_start.as_ptr().addr() % 4096, 0, "{len}");
        assert_eq!((at_end.len(), at_start.len()), (len, len));
        assert!(at_start.iter().all(|&byte| byte == 0));
    }
}

/// The fault kills a process, so the test runs itself again and looks at how that ended.
#[test]
fn one_byte_beyond_faults() {
    for side in [Side::Start, Side::End] {
        let itself = std::env::current_exe().expect("the test binary");
        let status = Command::new(itself)
            .args(["--exact", "guard_page::tests::touches_beyond", "--ignored"])
            .env("GUARD_SIDE", format!("{side:?}"))
            .output()
            .expect("it starts")
            .status;
        assert!(matches!(status.signal(), Some(SIGSEGV | SIGBUS)), "{side:?}: {status}");
    }
}

#[test]
#[ignore = "faults on purpose; one_byte_beyond_faults starts it"]
fn touches_beyond() {
    let side = if std::env::var("GUARD_SIDE").as_deref() == Ok("Start") { Side::Start } else { Side::End };
    let buf = GuardedBuf::new(61, side);
    let beyond = match side {
        Side::Start => buf.as_ptr().wrapping_sub(1),
        Side::End => buf.as_ptr().wrapping_add(61),
    };
    // SAFETY: the address is inside the mapping of `buf`, in its page without access: the read faults, which
    // is the point, and nothing comes of it.
    let byte = unsafe { std::ptr::read_volatile(beyond) };
    panic!("read {byte} beyond the buffer");
}

const SIGBUS: i32 = 7;
const SIGSEGV: i32 = 11;
