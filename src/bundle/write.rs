//! Writing a bundle where nothing was: every folder and file is made exclusively, through the handle of the folder that holds
//! it, so that no path is looked up twice; afterwards the whole tree is read again. Nothing is ever replaced or removed.

use super::BundleError;
use super::control::{Control, Stage};
use super::error::Left;
use super::limits::WRITE_CHUNK_BYTES;
use super::plan::PlannedFile;
use super::write_error::WriteError;
use crate::json::{CanonicalDigest, Sink};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fchmod, fdatasync, fstat, mkdirat, openat, statat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

const FOLDER_MODE: Mode = Mode::RWXU;
const PROGRAM_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const OPEN_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A place for a bundle: the handle of its parent, and its name there.
struct Destination {
    /// As given, for refusals before anything is written.
    given: String,
    /// Absolute.
    path: PathBuf,
    parent: OwnedFd,
    leaf: OsString,
}

/// Checks, without changing anything, that a folder is absent or empty and that its parent is there.
///
/// # Errors
/// Why it cannot take a bundle.
pub(super) fn check_destination(directory: &Path) -> Result<(), WriteError> {
    let destination = Destination::open(directory)?;
    match destination.look()? {
        None => Ok(()),
        Some(folder) => destination.check_empty(folder),
    }
}

/// Writes the files into a folder that is absent or empty, and returns its absolute path.
///
/// # Errors
/// A folder that cannot take them; a failure or a stop while they are written, with the folder that was left.
pub(super) fn write_bundle(directory: &Path, files: &[PlannedFile], control: &Control) -> Result<String, BundleError> {
    write_watched(directory, files, control, |_| ())
}

/// [`write_bundle`], telling each file's path before it is written.
pub(super) fn write_watched(
    directory: &Path,
    files: &[PlannedFile],
    control: &Control,
    mut before: impl FnMut(&str),
) -> Result<String, BundleError> {
    control.begin_write()?;
    let destination = Destination::open(directory)?;
    let root = destination.make()?;
    let mut tree = Tree::new(&destination, root)?;
    for file in files {
        before(&file.path);
        match tree.write(file, control) {
            Ok(()) => {}
            Err(Failure::Stopped) => return Err(tree.stopped(false)),
            Err(Failure::Error(error)) => return Err(error.into()),
        }
    }
    before("");
    tree.verify()?;
    if control.is_stopping() {
        return Err(tree.stopped(true));
    }
    Ok(tree.directory)
}

impl Destination {
    fn open(directory: &Path) -> Result<Self, WriteError> {
        let given = directory.display().to_string();
        let path = std::path::absolute(directory).map_err(|error| WriteError::Refused {
            path: given.clone(),
            reason: error.to_string(),
            is_permission: false,
        })?;
        // A path that ends in `..` or is the root names a folder that is there.
        let (holder, leaf) = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => (parent.to_owned(), name.to_owned()),
            _ => (path.clone(), OsString::from(".")),
        };
        let parent = openat(CWD, &holder, OPEN_FOLDER, Mode::empty()).map_err(|errno| {
            let no_parent =
                |problem| WriteError::NoParent { path: given.clone(), parent: holder.display().to_string(), problem };
            match errno {
                Errno::NOENT => no_parent("does not exist"),
                Errno::NOTDIR => no_parent("is not a folder"),
                errno => WriteError::refused(given.clone(), errno),
            }
        })?;
        Ok(Self { given, path, parent, leaf })
    }

    /// The folder, when it is there.
    fn look(&self) -> Result<Option<OwnedFd>, WriteError> {
        match openat(&self.parent, &self.leaf, OPEN_FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(folder) => Ok(Some(folder)),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => Err(self.not_a_folder()),
            Err(errno) => Err(WriteError::refused(self.given.clone(), errno)),
        }
    }

    fn not_a_folder(&self) -> WriteError {
        let kind = statat(&self.parent, &self.leaf, AtFlags::SYMLINK_NOFOLLOW).map(|stat| kind(&stat));
        let found = match kind {
            Ok(FileType::Symlink) => "a symbolic link",
            Ok(FileType::RegularFile) => "a file",
            _ => "something else",
        };
        WriteError::NotAFolder { path: self.given.clone(), found }
    }

    fn check_empty(&self, folder: OwnedFd) -> Result<(), WriteError> {
        let entries = entries(&folder).map_err(|errno| WriteError::refused(self.given.clone(), errno))?;
        match entries.into_iter().next() {
            None => Ok(()),
            Some(entry) => Err(WriteError::Occupied { path: self.given.clone(), entry }),
        }
    }

    /// Makes the folder, or takes the empty one that is there.
    fn make(&self) -> Result<OwnedFd, WriteError> {
        match mkdirat(&self.parent, &self.leaf, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(WriteError::refused(self.given.clone(), errno)),
        }
        let gone = || WriteError::Replaced { directory: self.path.display().to_string() };
        let folder = self.look()?.ok_or_else(gone)?;
        self.check_empty(self.look()?.ok_or_else(gone)?)?;
        Ok(folder)
    }
}

/// Why a file was not written.
enum Failure {
    Stopped,
    Error(WriteError),
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Error(error)
    }
}

/// What identifies a file as long as a handle of it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

fn identity(stat: &Stat) -> Identity {
    // The types of both differ between systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, clippy::useless_conversion)]
    Identity { device: stat.st_dev as u64, number: stat.st_ino as u64 }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// A folder that was made, held open.
struct Folder {
    handle: OwnedFd,
    identity: Identity,
    entries: BTreeSet<String>,
}

/// A file that was written.
struct Written {
    path: String,
    identity: Identity,
    mode: Mode,
    bytes: u64,
    sha256: String,
}

/// The tree as far as it was written.
struct Tree {
    directory: String,
    path: PathBuf,
    /// By path; the root is the empty one.
    folders: BTreeMap<String, Folder>,
    files: Vec<Written>,
}

impl Tree {
    fn new(destination: &Destination, root: OwnedFd) -> Result<Self, WriteError> {
        let directory = destination.path.display().to_string();
        let stat = fstat(&root).map_err(|errno| WriteError::refused(destination.given.clone(), errno))?;
        let root = Folder { handle: root, identity: identity(&stat), entries: BTreeSet::new() };
        let folders = BTreeMap::from([(String::new(), root)]);
        Ok(Self { directory, path: destination.path.clone(), folders, files: Vec::new() })
    }

    fn stopped(&self, is_complete: bool) -> BundleError {
        let left = Left { directory: self.directory.clone(), is_complete };
        BundleError::Cancelled { stage: Stage::Export, left: Some(left) }
    }

    /// The system's refusal of a file or folder at `path`.
    fn failed(&self, path: &str, error: impl Into<io::Error>) -> WriteError {
        let (directory, path) = (self.directory.clone(), path.to_owned());
        let error = error.into();
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            // Another writer was first where nothing of this one is yet.
            Some(Errno::EXIST) if self.files.is_empty() => WriteError::Contended { directory, path },
            Some(Errno::EXIST) => WriteError::Foreign { directory, entry: path },
            Some(Errno::NOENT) => WriteError::Replaced { directory },
            _ => WriteError::Failed { directory, path, reason: error.to_string(), written: self.files.len() },
        }
    }

    fn write(&mut self, file: &PlannedFile, control: &Control) -> Result<(), Failure> {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        self.make_folders(folder)?;
        let mode = if file.is_program { PROGRAM_MODE } else { FILE_MODE };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let holder = self.folder(folder)?;
        let handle = openat(holder, name, flags, mode).map_err(|errno| self.failed(&file.path, errno))?;
        // Whatever the mask of this process takes away.
        fchmod(&handle, mode).map_err(|errno| self.failed(&file.path, errno))?;
        let stat = fstat(&handle).map_err(|errno| self.failed(&file.path, errno))?;
        if let Some(folder) = self.folders.get_mut(folder) {
            folder.entries.insert(name.to_owned());
        }
        let mut sink = FileSink::new(handle.into(), control);
        file.content.put(&mut sink);
        let (bytes, sha256) = match sink.finish() {
            Ok(written) => written,
            Err(None) => return Err(Failure::Stopped),
            Err(Some(error)) => return Err(self.failed(&file.path, error).into()),
        };
        self.files.push(Written { path: file.path.clone(), identity: identity(&stat), mode, bytes, sha256 });
        Ok(())
    }

    fn folder(&self, path: &str) -> Result<&OwnedFd, WriteError> {
        let folder = self.folders.get(path).map(|folder| &folder.handle);
        folder.ok_or_else(|| WriteError::Replaced { directory: self.directory.clone() })
    }

    /// Makes the folders on the way to `path` that were not made yet.
    fn make_folders(&mut self, path: &str) -> Result<(), WriteError> {
        let mut made = String::new();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let holder = made.clone();
            if !made.is_empty() {
                made.push('/');
            }
            made.push_str(name);
            if self.folders.contains_key(&made) {
                continue;
            }
            let parent = self.folder(&holder)?;
            mkdirat(parent, name, FOLDER_MODE).map_err(|errno| self.failed(&made, errno))?;
            let handle = openat(parent, name, OPEN_FOLDER | OFlags::NOFOLLOW, Mode::empty())
                .map_err(|errno| self.failed(&made, errno))?;
            let stat = fstat(&handle).map_err(|errno| self.failed(&made, errno))?;
            if let Some(parent) = self.folders.get_mut(&holder) {
                parent.entries.insert(name.to_owned());
            }
            self.folders.insert(made.clone(), Folder { handle, identity: identity(&stat), entries: BTreeSet::new() });
        }
        Ok(())
    }

    /// Reads the whole tree again: the same folders at the same paths, the same files with the same bytes, and nothing else.
    fn verify(&self) -> Result<(), WriteError> {
        let replaced = || WriteError::Replaced { directory: self.directory.clone() };
        for (path, folder) in &self.folders {
            let stat = match path.rsplit_once('/') {
                _ if path.is_empty() => statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW),
                None => statat(self.folder("")?, path.as_str(), AtFlags::SYMLINK_NOFOLLOW),
                Some((holder, name)) => statat(self.folder(holder)?, name, AtFlags::SYMLINK_NOFOLLOW),
            };
            if stat.map(|stat| identity(&stat)) != Ok(folder.identity) {
                return Err(replaced());
            }
            let found = entries(&folder.handle).map_err(|errno| self.failed(path, errno))?;
            if let Some(entry) = found.difference(&folder.entries).next() {
                let entry = if path.is_empty() { entry.clone() } else { format!("{path}/{entry}") };
                return Err(WriteError::Foreign { directory: self.directory.clone(), entry });
            }
        }
        self.files.iter().try_for_each(|file| self.verify_file(file))
    }

    fn verify_file(&self, written: &Written) -> Result<(), WriteError> {
        let path = written.path.as_str();
        let differs = |reason: &'static str| WriteError::Mismatch {
            directory: self.directory.clone(),
            path: path.to_owned(),
            reason,
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let handle = openat(self.folder(folder)?, name, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => differs("it is gone"),
            Errno::LOOP | Errno::MLINK => differs("it is a symbolic link now"),
            errno => self.failed(path, errno),
        })?;
        let stat = fstat(&handle).map_err(|errno| self.failed(path, errno))?;
        if kind(&stat) != FileType::RegularFile || identity(&stat) != written.identity {
            return Err(differs("it is another file now"));
        }
        if Mode::from_raw_mode(stat.st_mode) != written.mode {
            return Err(differs("its mode changed"));
        }
        let (bytes, sha256) = digest(handle).map_err(|error| self.failed(path, error))?;
        if bytes != written.bytes {
            return Err(differs("its size changed"));
        }
        if sha256 != written.sha256 {
            return Err(differs("its bytes changed"));
        }
        Ok(())
    }
}

/// The names in a folder.
fn entries(folder: impl AsFd) -> rustix::io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.insert(name);
        }
    }
    Ok(names)
}

/// Size and digest of a file.
fn digest(handle: OwnedFd) -> io::Result<(u64, String)> {
    let mut file = File::from(handle);
    let mut digest = CanonicalDigest::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok((bytes, digest.finish())),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes += read as u64;
        digest.put(buffer.get(..read).unwrap_or_default());
    }
}

/// Bytes on their way into a file; after the first failure or a stop nothing more is written.
struct FileSink<'a> {
    out: BufWriter<File>,
    digest: CanonicalDigest,
    bytes: u64,
    since_look: usize,
    control: &'a Control,
    /// `Some(None)` after a stop.
    failure: Option<Option<io::Error>>,
}

impl<'a> FileSink<'a> {
    fn new(file: File, control: &'a Control) -> Self {
        let failure = control.is_stopping().then_some(None);
        let out = BufWriter::with_capacity(64 * 1024, file);
        Self { out, digest: CanonicalDigest::new(), bytes: 0, since_look: 0, control, failure }
    }

    /// Size and digest of what was written, once the system has it.
    ///
    /// # Errors
    /// The failure, or `None` after a stop.
    fn finish(mut self) -> Result<(u64, String), Option<io::Error>> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush().map_err(Some)?;
        // A full disk may be told only now.
        fdatasync(self.out.get_ref()).map_err(|errno| Some(errno.into()))?;
        Ok((self.bytes, self.digest.finish()))
    }
}

impl Sink for FileSink<'_> {
    fn put(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(WRITE_CHUNK_BYTES) {
            if self.failure.is_some() {
                return;
            }
            self.since_look += chunk.len();
            if self.since_look >= WRITE_CHUNK_BYTES {
                self.since_look = 0;
                if self.control.is_stopping() {
                    self.failure = Some(None);
                    return;
                }
            }
            if let Err(error) = self.out.write_all(chunk) {
                self.failure = Some(Some(error));
                return;
            }
            self.digest.put(chunk);
            self.bytes += chunk.len() as u64;
        }
    }
}
