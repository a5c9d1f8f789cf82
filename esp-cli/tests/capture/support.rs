//! Capture files made and read byte by byte, without the program's own reader; and the program, run.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory that goes with the test.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new(name: &str) -> Dir {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Dir(dir)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes an SA file that only its owner can read.
    pub(crate) fn write_sa(&self, name: &str, text: &str) {
        self.write(name, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    pub(crate) fn read(&self, name: &str) -> Pcap {
        Pcap::parse(&fs::read(self.path(name)).unwrap())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `esp` here; the arguments are separated by spaces.
    pub(crate) fn esp(&self, arguments: &str) -> Run {
        self.esp_args(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs `esp` here.
    pub(crate) fn esp_args(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command(arguments).output().unwrap())
    }

    /// `esp` with these arguments, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_esp"));
        command.current_dir(&self.0).args(arguments);
        command
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// The summary of a run with `--json` that ended with `code`.
    #[track_caller]
    pub(crate) fn json(&self, code: i32) -> serde_json::Value {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{self:?}");
    }

    /// Checks that the run could not be carried out and said `why`.
    #[track_caller]
    pub(crate) fn refused(&self, why: &str) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.stderr.contains(why), "{why:?} is not in {:?}", self.stderr);
    }
}

/// A capture file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pcap {
    pub(crate) big_endian: bool,
    pub(crate) nanoseconds: bool,
    /// The whole link-type field.
    pub(crate) link: u32,
    pub(crate) snaplen: u32,
    pub(crate) records: Vec<Record>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) sec: u32,
    pub(crate) frac: u32,
    pub(crate) wire_len: u32,
    pub(crate) frame: Vec<u8>,
}

impl Pcap {
    /// Little endian, microseconds; the frames lie 1.000001 s apart.
    pub(crate) fn new(link: u32, frames: impl IntoIterator<Item = Vec<u8>>) -> Pcap {
        let record = |(at, frame): (u32, Vec<u8>)| Record {
            sec: 1_700_000_000 + at,
            frac: 999_000 + at,
            wire_len: frame.len().try_into().unwrap(),
            frame,
        };
        let records = (0..).zip(frames).map(record).collect();
        Pcap { big_endian: false, nanoseconds: false, link, snaplen: 65_535, records }
    }

    pub(crate) fn frames(&self) -> Vec<&[u8]> {
        self.records.iter().map(|record| record.frame.as_slice()).collect()
    }

    pub(crate) fn times(&self) -> Vec<(u32, u32)> {
        self.records.iter().map(|record| (record.sec, record.frac)).collect()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let magic: u32 = if self.nanoseconds { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
        let word = |value: u32| if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let half = |value: u16| if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes = [word(magic).as_slice(), &half(2), &half(4)].concat();
        bytes.extend([0, 0, self.snaplen, self.link].map(word).concat());
        for record in &self.records {
            let len = record.frame.len().try_into().unwrap();
            bytes.extend([record.sec, record.frac, len, record.wire_len].map(word).concat());
            bytes.extend(&record.frame);
        }
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Pcap {
        let (big_endian, nanoseconds) = match &bytes[..4] {
            [0xa1, 0xb2, 0xc3, 0xd4] => (true, false),
            [0xa1, 0xb2, 0x3c, 0x4d] => (true, true),
            [0xd4, 0xc3, 0xb2, 0xa1] => (false, false),
            [0x4d, 0x3c, 0xb2, 0xa1] => (false, true),
            other => panic!("magic {other:x?}"),
        };
        let word = |at: usize| {
            let field = bytes[at..at + 4].try_into().unwrap();
            if big_endian { u32::from_be_bytes(field) } else { u32::from_le_bytes(field) }
        };
        let (mut records, mut at) = (Vec::new(), 24);
        while at < bytes.len() {
            let len = word(at + 8) as usize;
            let frame = bytes[at + 16..at + 16 + len].to_vec();
            records.push(Record { sec: word(at), frac: word(at + 4), wire_len: word(at + 12), frame });
            at += 16 + len;
        }
        Pcap { big_endian, nanoseconds, link: word(20), snaplen: word(16), records }
    }
}
