//! Files that are written: beside their place first, and moved there when they are whole; and standard output.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// Checks that `output` is none of `inputs` and can be replaced.
///
/// # Errors
///
/// It is one of them, under whatever name; or it exists and is no regular file.
pub(crate) fn apart(output: &Path, inputs: &[&Path]) -> Result<()> {
    ensure!(
        inputs.iter().filter(|input| is_standard(input)).count() < 2,
        "standard input cannot be both SA file and IN"
    );
    if is_standard(output) {
        return Ok(());
    }
    let Ok(existing) = fs::metadata(output) else { return Ok(()) };
    for input in inputs.iter().filter(|input| !is_standard(input)) {
        if fs::metadata(input).is_ok_and(|input| same(&existing, &input)) {
            bail!("{}: OUT is the same file as {}; choose another", output.display(), input.display());
        }
    }
    ensure!(existing.is_file(), "{}: OUT exists and is no regular file", output.display());
    Ok(())
}

/// Whether `path` is `-`: standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether two paths are one place, be there a file or not.
pub(crate) fn same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let new = || Some(fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?));
        fs::canonicalize(path).ok().or_else(new)
    };
    let linked = match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => same(&one, &other),
        _ => false,
    };
    linked || one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Where a command writes to.
#[derive(Debug)]
pub(crate) enum Output {
    /// A file, which takes its place when all went well.
    File(Replacing),
    /// Standard output, which takes everything as it comes.
    Standard,
}

impl Output {
    /// Standard output for `-`, else a file that will be at `path`.
    ///
    /// # Errors
    ///
    /// As [`Replacing::create`].
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if is_standard(path) { Ok(Self::Standard) } else { Replacing::create(path).map(Self::File) }
    }

    /// What is to be written to.
    pub(crate) fn buffered(&mut self) -> BufWriter<Box<dyn Write + '_>> {
        let to: Box<dyn Write> = match self {
            Self::File(file) => Box::new(&mut file.file),
            Self::Standard => Box::new(io::stdout().lock()),
        };
        BufWriter::with_capacity(BUFFER_LEN, to)
    }

    /// Moves a file to its place.
    ///
    /// # Errors
    ///
    /// It cannot be moved; the place is as it was.
    pub(crate) fn commit(self) -> Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Standard => Ok(()),
        }
    }
}

/// A file on its way to its place. Unless committed, nothing of it stays.
#[derive(Debug)]
pub(crate) struct Replacing {
    file: File,
    temporary: PathBuf,
    place: PathBuf,
    committed: bool,
}

impl Replacing {
    /// Creates a temporary file in the directory of `path`. A file that `path` would replace lends its permissions.
    ///
    /// # Errors
    ///
    /// The directory cannot be written to.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let output = Self::beside(path, &mut options())?;
        if let Ok(existing) = fs::metadata(&output.place) {
            output
                .file
                .set_permissions(existing.permissions())
                .with_context(|| path.display().to_string())?;
        }
        Ok(output)
    }

    /// As [`Replacing::create`], for a file that holds keys: from the start only its owner may read it, whatever was there
    /// before.
    ///
    /// # Errors
    ///
    /// As [`Replacing::create`].
    pub(crate) fn private(path: &Path) -> Result<Self> {
        Self::beside(path, owner_only(&mut options()))
    }

    fn beside(path: &Path, options: &mut OpenOptions) -> Result<Self> {
        // Behind a symbolic link stands the file to replace.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = place.file_name().with_context(|| format!("{}: names no file", path.display()))?;
        let unique = format!(".{}.{:016x}.tmp", name.to_string_lossy(), rand::random::<u64>());
        let temporary = place.with_file_name(unique);
        let context = || format!("{}: cannot create {}", path.display(), temporary.display());
        let file = options.open(&temporary).with_context(context)?;
        Ok(Self { file, temporary, place, committed: false })
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).with_context(|| self.place.display().to_string())
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    ///
    /// It cannot be moved; the place is as it was.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.file.flush()?;
        fs::rename(&self.temporary, &self.place).with_context(|| self.place.display().to_string())?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Replacing {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing is left to do for a file that cannot be removed.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A new file.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

/// That nobody else can open, not even before its first byte is written.
#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// There is no such mode: the directory decides.
#[cfg(not(unix))]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Only the rename could harm IN elsewhere, and it comes after IN was read.
#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    false
}

const BUFFER_LEN: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    struct Dir(PathBuf);

    impl Dir {
        fn new(name: &str) -> Self {
            let dir = std::env::temp_dir().join(format!("esp-files-{name}-{:016x}", rand::random::<u64>()));
            fs::create_dir_all(&dir).unwrap();
            Self(dir)
        }

        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).unwrap();
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_failed_run_leaves_the_place_as_it_was() {
        let dir = Dir::new("failed");
        let place = dir.0.join("out.pcap");
        fs::write(&place, "before").unwrap();
        let mut output = Output::create(&place).unwrap();
        output.buffered().write_all(b"half").unwrap();
        assert_eq!(dir.names().len(), 2);
        drop(output);
        assert_eq!(dir.names(), ["out.pcap"]);
        assert_eq!(fs::read(&place).unwrap(), b"before");
    }

    #[test]
    fn a_run_that_succeeds_replaces_it() {
        let dir = Dir::new("replaced");
        let place = dir.0.join("out.pcap");
        fs::write(&place, "before, and longer").unwrap();
        let mut output = Output::create(&place).unwrap();
        output.buffered().write_all(b"after").unwrap();
        output.commit().unwrap();
        assert_eq!(dir.names(), ["out.pcap"]);
        assert_eq!(fs::read(&place).unwrap(), b"after");
    }

    #[cfg(unix)]
    #[test]
    fn a_second_name_of_the_input_is_no_output() {
        let dir = Dir::new("names");
        let (input, hard, soft) = (dir.0.join("in"), dir.0.join("hard"), dir.0.join("soft"));
        fs::write(&input, "x").unwrap();
        fs::hard_link(&input, &hard).unwrap();
        std::os::unix::fs::symlink(&input, &soft).unwrap();
        for output in [&input, &hard, &soft] {
            let why = apart(output, &[&input]).unwrap_err().to_string();
            assert!(why.contains("same file"), "{why}");
        }
        assert!(apart(&dir.0, &[&input]).unwrap_err().to_string().contains("no regular file"));
        assert!(apart(Path::new("/dev/null"), &[&input]).is_err());
        assert!(apart(Path::new("-"), &[&input]).is_ok());
        assert!(apart(&dir.0.join("new"), &[&input]).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_of_the_place_stay() {
        use std::os::unix::fs::PermissionsExt;
        let dir = Dir::new("modes");
        let (place, link) = (dir.0.join("out"), dir.0.join("link"));
        fs::write(&place, "x").unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&place, &link).unwrap();
        Output::create(&link).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&place).unwrap(), b"");
    }
}
