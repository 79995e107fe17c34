//! Files that a command writes: whole or not at all, and never over another one unasked.

use crate::error::Diagnostic;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file to be. It is written beside its place under another name, and takes its name when it is complete.
pub(crate) struct Output {
    path: PathBuf,
    force: bool,
    file: BufWriter<Place>,
}

/// Where the bytes go meanwhile.
enum Place {
    Beside(NamedTempFile),
    /// A device or a pipe is written to as it is: /dev/stdout, for one.
    Through(File),
}

impl Output {
    /// Claims the place before the work begins: better now than an hour later. A file that is there already is an
    /// error, unless it may be replaced.
    pub(crate) fn claim(path: &Path, force: bool) -> Result<Output, Diagnostic> {
        Output::claim_for(path, force, EVERYBODY)
    }

    fn claim_for(path: &Path, force: bool, mode: u32) -> Result<Output, Diagnostic> {
        if path.is_dir() {
            let message = format!("{} is a directory", path.display());
            return Err(Diagnostic::input("ringleader::output_is_directory", message)
                .help("give the name of a file in it"));
        }
        // /dev/stdout may lead to a file, which is then open already; its name is not ours to take.
        let device = path.parent().is_some_and(|folder| folder == Path::new("/dev")) && path.exists();
        let through = device || path.exists() && !path.is_file();
        if path.is_file() && !through && !force {
            return Err(exists(path));
        }
        let place = if through {
            OpenOptions::new().write(true).open(path).map(Place::Through)
        } else {
            beside(path, mode).map(Place::Beside)
        };
        let place = place.map_err(|error| unwritten(path, &error))?;
        Ok(Output { path: path.to_owned(), force, file: BufWriter::with_capacity(1 << 16, place) })
    }

    /// Gives the complete file its name.
    pub(crate) fn finish(self) -> Result<(), Diagnostic> {
        let Output { path, force, file } = self;
        let place = file.into_inner().map_err(|error| unwritten(&path, error.error()))?;
        let Place::Beside(file) = place else { return Ok(()) };
        file.as_file().sync_all().map_err(|error| unwritten(&path, &error))?;
        let kept = if force { file.persist(&path) } else { file.persist_noclobber(&path) };
        match kept {
            Ok(_) => Ok(()),
            Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&path)),
            Err(lost) => Err(unwritten(&path, &lost.error)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Beside(file) => file.write(bytes),
            Place::Through(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Place::Beside(file) => file.flush(),
            Place::Through(file) => file.flush(),
        }
    }
}

/// Writes all of a file at once.
pub(crate) fn write(path: &Path, force: bool, bytes: &[u8]) -> Result<(), Diagnostic> {
    write_for(path, force, bytes, EVERYBODY)
}

/// The same for what nobody else may read, not even while it is being written.
#[cfg(feature = "cluster")]
pub(crate) fn write_secret(path: &Path, force: bool, bytes: &[u8]) -> Result<(), Diagnostic> {
    write_for(path, force, bytes, OWNER)
}

fn write_for(path: &Path, force: bool, bytes: &[u8], mode: u32) -> Result<(), Diagnostic> {
    let mut output = Output::claim_for(path, force, mode)?;
    output.write_all(bytes).map_err(|error| unwritten(path, &error))?;
    output.finish()
}

/// The rights of a new file, less what the user takes off.
const EVERYBODY: u32 = 0o666;

/// The rights of a key.
#[cfg(feature = "cluster")]
const OWNER: u32 = 0o600;

/// A file that cannot be written: a matter of the environment.
pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot write {}: {error}", path.display());
    Diagnostic::new("ringleader::output_unwritten", 4, message).help("no file with that name was left behind")
}

pub(crate) fn exists(path: &Path) -> Diagnostic {
    let message = format!("{} exists already", path.display());
    Diagnostic::input("ringleader::output_exists", message)
        .help("give another name, or `--force` to replace it")
}

/// A file beside this one, with these rights. What somebody who was killed has left there for the
/// same output is cleared away: whoever still writes holds a lock.
fn beside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    const ENDING: &str = ".part";
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}-");
    for left in std::fs::read_dir(folder)?.flatten() {
        let name = left.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(ENDING));
        if ours && File::open(left.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            std::fs::remove_file(left.path())?;
        }
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(ENDING);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    let file = builder.tempfile_in(folder)?;
    // Where there are no locks, nobody takes one.
    let _ = file.as_file().try_lock();
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();

        let mut output = Output::claim(&path, false).unwrap();
        output.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(output);
        assert_eq!(names(), 0, "what was given up is gone");

        write(&path, false, b"whole").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert!(Output::claim(&path, false).is_err(), "it is there already");
        write(&path, true, b"again").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"again");
        assert_eq!(names(), 1);
    }

    #[test]
    fn what_a_kill_left_behind_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let left = folder.path().join(".a.txt-xyz.part");
        std::fs::write(&left, b"half").unwrap();
        let other = folder.path().join(".b.txt-xyz.part");
        std::fs::write(&other, b"not ours").unwrap();
        let first = Output::claim(&path, false).unwrap();
        assert!(!left.exists() && other.exists());
        let second = Output::claim(&path, false).unwrap();
        first.finish().unwrap();
        assert!(second.finish().is_err(), "the first was faster, and was not disturbed");
    }

    #[test]
    fn somebody_else_may_be_faster() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let output = Output::claim(&path, false).unwrap();
        std::fs::write(&path, b"theirs").unwrap();
        assert!(output.finish().is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        assert!(write(Path::new("/dev/full"), false, b"anything").is_err());
    }
}
