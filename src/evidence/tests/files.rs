//! Files that are read and files that are not, through the real file system.

use crate::evidence::file::read_within;
use crate::evidence::memory::Headroom;
use crate::evidence::{FileError, read_stable};
use std::fs;
use std::path::{Path, PathBuf};

fn roomy() -> Result<Headroom, FileError> {
    Ok(Headroom { available: u64::MAX, bound: "a test" })
}

fn refusal(path: &Path) -> FileError {
    read_within(path, 100, 6, roomy).unwrap_err()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

#[test]
fn a_regular_file_is_read_with_its_digest() {
    let folder = Folder::new();
    let file = read_stable(&folder.file("a", b"abc"), 3, 6).unwrap();
    assert_eq!(file.bytes, b"abc");
    assert_eq!(file.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let empty = read_stable(&folder.file("b", b""), 0, 6).unwrap();
    assert_eq!(empty.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn missing() {
    let folder = Folder::new();
    let file = folder.file("a", b"abc");
    for path in [folder.0.path().join("b"), file.join("below"), PathBuf::new()] {
        let shown = path.display().to_string();
        assert_eq!(refusal(&path), FileError::Missing { path: shown });
    }
    let document = refusal(&folder.0.path().join("b")).to_document("op", "capture_path").to_value();
    assert_eq!(document.get("code").unwrap().as_str(), Some("invalid_request"));
    let issue = document.get("details").unwrap().get("issues").unwrap().as_array().unwrap()[0].clone();
    assert_eq!(issue.get("path").unwrap().to_compact(), r#"["capture_path"]"#);
    assert_eq!(issue.get("reason").unwrap().as_str(), Some("invalid_value"));
}

#[test]
fn a_symlink_is_not_followed() {
    let folder = Folder::new();
    let link = folder.0.path().join("link");
    std::os::unix::fs::symlink(folder.file("a", b"abc"), &link).unwrap();
    let error = refusal(&link);
    assert!(matches!(error, FileError::Symlink { .. }), "{error}");
    let dangling = folder.0.path().join("dangling");
    std::os::unix::fs::symlink("/nowhere", &dangling).unwrap();
    assert!(matches!(refusal(&dangling), FileError::Symlink { .. }));
}

#[test]
fn a_folder_a_pipe_and_a_device_are_not_files() {
    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.0.path().join("socket")).unwrap();
    for (path, found) in [
        (folder.0.path().to_path_buf(), "a folder"),
        (pipe, "a pipe"),
        (folder.0.path().join("socket"), "a socket or a device"),
        (PathBuf::from("/dev/null"), "a device"),
    ] {
        match refusal(&path) {
            FileError::NotRegular { found: said, .. } => assert_eq!(said, found),
            other => panic!("{path:?}: {other}"),
        }
    }
}

#[test]
fn without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("a", b"abc");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if rustix::process::geteuid().is_root() {
        // The superuser reads every file: the case cannot be made here. What is printed can.
        assert!(read_within(&path, 100, 6, roomy).is_ok());
    } else {
        assert!(matches!(refusal(&path), FileError::AccessDenied { system_code: "EACCES", .. }));
    }
    let error = FileError::AccessDenied { path: "/a".into(), system_code: "EACCES" };
    let details = r#"{"operation":"op","path":"/a","system_code":"EACCES","boundary":"filesystem-read"}"#;
    let document = error.to_document("op", "evidence").to_value();
    assert_eq!(document.get("details").unwrap().to_compact(), details);
    assert_eq!(document.get("code").unwrap().as_str(), Some("access_denied"));
}

#[test]
fn over_the_limit() {
    let folder = Folder::new();
    let path = folder.file("a", &[b' '; 101]);
    let error = refusal(&path);
    assert!(matches!(error, FileError::TooLarge { bytes: 101, limit: 100, .. }), "{error}");
    let document = error.to_document("op", "capture_path").to_value().to_compact();
    assert!(document.contains(r#""reason":"out_of_range""#), "{document}");
    assert!(document.contains(r#""expected":{"maximum_capture_bytes":100}"#), "{document}");
    assert!(read_within(&folder.file("b", &[b' '; 100]), 100, 6, roomy).is_ok());
}

#[test]
fn over_the_memory_that_is_free() {
    let folder = Folder::new();
    let path = folder.file("a", &[b' '; 100]);
    let within = |available| read_within(&path, 100, 6, || Ok(Headroom { available, bound: "a test" }));
    assert!(within(600).is_ok());
    let error = within(599).unwrap_err();
    assert!(matches!(error, FileError::NotEnoughMemory { needed: 600, available: 599, .. }), "{error}");
    let document = error.to_document("op", "capture_path").to_value().to_compact();
    assert!(document.contains(r#""code":"resource_constraint""#), "{document}");
    assert!(document.contains(r#""resource":"memory""#), "{document}");
    assert!(document.contains(r#""needed_bytes":600,"available_bytes":599"#), "{document}");
}

#[test]
fn changed_while_it_was_read() {
    let folder = Folder::new();
    let path = folder.file("a", b"abc");
    // The memory check lies between the first look and the read: a writer that comes then is seen.
    let grown = read_within(&path, 100, 6, || {
        fs::write(&path, b"abcd").unwrap();
        roomy()
    });
    let error = grown.unwrap_err();
    assert!(matches!(error, FileError::Changed { reason: "its size changed", .. }), "{error}");
    let touched = read_within(&path, 100, 6, || {
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        roomy()
    });
    assert!(matches!(touched, Err(FileError::Changed { reason: "its modification time changed", .. })));
    let document = error.to_document("op", "capture_path");
    assert!(document.retryable);
    assert_eq!(document.code.as_str(), "artifact_changed");
}

#[test]
fn a_bad_variable_names_the_setting() {
    let error = FileError::Setting { setting: "REA_MEMORY_LIMIT_BYTES", constraint: "a whole number of bytes" };
    let details = r#"{"settings":[{"setting":"REA_MEMORY_LIMIT_BYTES","constraint":"a whole number of bytes"}]}"#;
    let document = error.to_document("op", "capture_path").to_value();
    assert_eq!(document.get("details").unwrap().to_compact(), details);
}
