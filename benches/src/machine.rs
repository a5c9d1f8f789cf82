//! Where and with what a run was made.

use std::fs;
use std::process::Command;

use serde::Serialize;

/// A description of the machine, for the head of every output.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// CPU model, with family and model number, since virtual machines hide the name.
    pub cpu: String,
    /// CPUs that this process may use.
    pub cores: usize,
    /// Those of the CPU's features that transforms are chosen by.
    pub features: Vec<String>,
    /// The compiler that built this program.
    pub rustc: &'static str,
    /// The commit of the sources, with `-dirty` if they were changed since; `unknown` outside of a repository.
    pub commit: String,
}

impl Machine {
    /// Asks the system.
    #[must_use]
    pub fn detect() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
            line.and_then(|line| line.split_once(':')).map_or("?", |(_, value)| value.trim()).to_owned()
        };
        let flags = field("flags");
        let has = |name: &&str| flags.split(' ').any(|flag| flag == *name);
        let (name, family, model) = (field("model name"), field("cpu family"), field("model"));
        Self {
            cpu: format!("{name} (family {family} model {model})"),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            features: FEATURES.iter().filter(|name| has(name)).map(|name| (*name).to_owned()).collect(),
            rustc: env!("ESP_RUSTC"),
            commit: commit().unwrap_or_else(|| "unknown".to_owned()),
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cpu, cores, features, rustc, commit } = self;
        write!(f, "{cpu}, {cores} cores, {}; {rustc}; commit {commit}", features.join(" "))
    }
}

fn commit() -> Option<String> {
    let head = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { head } else { format!("{head}-dirty") })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// As `/proc/cpuinfo` spells them.
const FEATURES: [&str; 7] = ["aes", "pclmulqdq", "avx2", "vaes", "vpclmulqdq", "avx512f", "sha_ni"];
