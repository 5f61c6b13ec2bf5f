//! Writing where nothing was: what is made, what is refused, and what is told when something happens in the middle.

use super::super::control::Control;
use super::super::error::Left;
use super::super::plan::PlannedFile;
use super::super::write::{check_destination, write_bundle, write_watched};
use super::super::{BundleError, write_error::WriteError};
use rstest::rstest;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

fn files() -> Vec<PlannedFile> {
    let file = |path: &str, is_program, bytes: &[u8]| PlannedFile {
        path: path.to_owned(),
        is_program,
        content: bytes.to_vec().into(),
    };
    vec![
        file("README.md", false, b"read"),
        file("envs/a/rea", true, b"run"),
        file("envs/a/z.json", false, b"{}"),
        file("tasks/smoke.json", false, b"[]"),
    ]
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn refused(result: Result<String, BundleError>) -> WriteError {
    match result {
        Err(BundleError::Write(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_are_private_and_the_program_may_be_run() {
    let work = folder();
    let directory = work.path().join("x");
    assert_eq!(write_bundle(&directory, &files(), &Control::default()).unwrap(), directory.display().to_string());
    let mode = |path: &str| fs::metadata(directory.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("envs"), mode("envs/a")), (0o700, 0o700, 0o700));
    assert_eq!((mode("README.md"), mode("envs/a/rea"), mode("tasks/smoke.json")), (0o600, 0o700, 0o600));
    assert_eq!(fs::read(directory.join("envs/a/z.json")).unwrap(), b"{}");
}

#[test]
fn a_check_changes_nothing() {
    let work = folder();
    check_destination(&work.path().join("x")).unwrap();
    assert!(!work.path().join("x").exists());
    check_destination(work.path()).unwrap();
    fs::write(work.path().join("there"), b"").unwrap();
    assert!(matches!(check_destination(work.path()), Err(WriteError::Occupied { entry, .. }) if entry == "there"));
}

/// Writes into `x`, doing something before one of the files (or, with no name, before the tree is read again).
fn meddled(at: &str, meddle: impl Fn(&Path)) -> (TempDir, Result<String, BundleError>) {
    let work = folder();
    let directory = work.path().join("x");
    let result = write_watched(&directory, &files(), &Control::default(), |path| {
        if path == at {
            meddle(&directory);
        }
    });
    (work, result)
}

#[rstest]
#[case("README.md")]
#[case("envs/a/rea")]
#[case("")]
fn a_folder_that_vanishes(#[case] at: &str) {
    let (_work, result) = meddled(at, |directory| fs::remove_dir_all(directory).unwrap());
    assert!(matches!(refused(result), WriteError::Replaced { .. }));
}

#[rstest]
#[case("README.md")]
#[case("envs/a/rea")]
#[case("")]
fn a_folder_that_is_replaced(#[case] at: &str) {
    let (work, result) = meddled(at, |directory| {
        fs::rename(directory, directory.with_extension("moved")).unwrap();
        fs::create_dir(directory).unwrap();
    });
    assert!(matches!(refused(result), WriteError::Replaced { .. }));
    // Nothing went into the other folder.
    assert!(fs::read_dir(work.path().join("x")).unwrap().next().is_none());
}

#[test]
fn an_inner_folder_that_is_replaced() {
    let (_work, result) = meddled("tasks/smoke.json", |directory| {
        fs::rename(directory.join("envs/a"), directory.join("envs/b")).unwrap();
        fs::create_dir(directory.join("envs/a")).unwrap();
    });
    assert!(matches!(refused(result), WriteError::Replaced { .. } | WriteError::Foreign { .. }));
}

#[rstest]
#[case("envs/a/foreign")]
#[case("foreign")]
fn foreign_entries_are_named(#[case] entry: &str) {
    let (_work, result) = meddled("", |directory| fs::write(directory.join(entry), b"").unwrap());
    assert!(matches!(refused(result), WriteError::Foreign { entry: named, .. } if named == entry));
}

#[test]
fn a_file_that_is_already_there_is_never_replaced() {
    let (work, result) = meddled("tasks/smoke.json", |directory| {
        fs::create_dir(directory.join("tasks")).unwrap();
        fs::write(directory.join("tasks/smoke.json"), b"foreign").unwrap();
    });
    assert!(matches!(refused(result), WriteError::Foreign { .. }));
    assert_eq!(fs::read(work.path().join("x/tasks/smoke.json")).unwrap(), b"foreign");
}

#[rstest]
#[case::bytes(|file: &Path| fs::write(file, b"dear").unwrap(), "its bytes changed")]
#[case::size(|file: &Path| fs::write(file, b"longer").unwrap(), "its size changed")]
#[case::mode(|file: &Path| fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap(), "its mode changed")]
#[case::gone(|file: &Path| fs::remove_file(file).unwrap(), "it is gone")]
#[case::link(
    |file: &Path| { fs::remove_file(file).unwrap(); std::os::unix::fs::symlink("/etc/passwd", file).unwrap(); },
    "it is a symbolic link now"
)]
#[case::other(
    |file: &Path| { fs::rename(file, file.with_extension("x")).unwrap(); fs::copy(file.with_extension("x"), file).unwrap(); fs::remove_file(file.with_extension("x")).unwrap(); },
    "it is another file now"
)]
fn what_was_written_is_read_again(#[case] change: fn(&Path), #[case] told: &str) {
    let (_work, result) = meddled("", |directory| change(&directory.join("README.md")));
    match refused(result) {
        WriteError::Mismatch { path, reason, .. } => assert_eq!((path.as_str(), reason), ("README.md", told)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn of_two_writers_one_wins() {
    let work = folder();
    let directory = work.path().join("x");
    let results: Vec<_> = std::thread::scope(|scope| {
        let start = || scope.spawn(|| write_bundle(&directory, &files(), &Control::default()));
        let threads: Vec<_> = (0..4).map(|_| start()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    for result in results.into_iter().filter(Result::is_err) {
        assert!(matches!(refused(result), WriteError::Occupied { .. } | WriteError::Contended { .. }));
    }
}

#[test]
fn a_stop_before_the_write_makes_nothing() {
    let work = folder();
    let control = Control::default();
    assert!(control.stop());
    let result = write_bundle(&work.path().join("x"), &files(), &control);
    assert!(matches!(result, Err(BundleError::Cancelled { left: None, .. })));
    assert!(!work.path().join("x").exists());
}

#[rstest]
#[case("envs/a/rea", false)]
#[case("", true)]
fn a_stop_during_the_write_names_what_it_left(#[case] at: &str, #[case] complete: bool) {
    let work = folder();
    let directory = work.path().join("x");
    let control = Control::default();
    let result = write_watched(&directory, &files(), &control, |path| {
        if path == at {
            // Somebody has to wait.
            assert!(!control.stop());
        }
    });
    match result {
        Err(BundleError::Cancelled { left: Some(Left { directory: left, is_complete }), .. }) => {
            assert_eq!((left, is_complete), (directory.display().to_string(), complete));
        }
        other => panic!("{other:?}"),
    }
    assert!(directory.join("README.md").is_file());
}
