//! Packed releases: what is taken, and what is refused before it is copied.

use super::super::tarball::program_of;
use flate2::Compression;
use flate2::write::GzEncoder;
use rstest::rstest;
use std::io::Write;
use tar::{Builder, EntryType, Header};

/// An ELF header without segments: a program that needs no loader.
fn program() -> Vec<u8> {
    let mut elf = vec![0_u8; 64];
    elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    elf[16] = 2;
    elf[18] = 62;
    elf[20] = 1;
    elf[52] = 64;
    elf[54] = 56;
    elf
}

/// One entry: path, mode, kind, bytes.
type Entry<'a> = (&'a str, u32, EntryType, &'a [u8]);

fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, mode, kind, bytes) in entries {
        let mut header = Header::new_ustar();
        header.as_ustar_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(*mode);
        header.set_size(bytes.len() as u64);
        if *kind == EntryType::Symlink {
            header.set_link_name("elsewhere").unwrap();
        }
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

const FILE: EntryType = EntryType::Regular;

#[test]
fn the_program_is_found_where_it_is() {
    let elf = program();
    let packed = archive(&[
        ("rea-1/", 0o755, EntryType::Directory, b""),
        ("rea-1/LICENSE", 0o644, FILE, b"x"),
        ("rea-1/rea", 0o755, FILE, &elf),
    ]);
    assert_eq!(program_of(&packed).unwrap(), "rea-1/rea");
}

#[rstest]
#[case::none(&[("rea-1/LICENSE", 0o644, FILE, b"x".as_slice())], "no program")]
#[case::no_elf(&[("rea", 0o755, FILE, b"#!/bin/sh".as_slice())], "not a Linux program")]
#[case::not_executable(&[("rea", 0o644, FILE, b"x".as_slice())], "not executable")]
#[case::out_of_it(&[("../rea", 0o755, FILE, b"x".as_slice())], "leads out")]
#[case::absolute(&[("/rea", 0o755, FILE, b"x".as_slice())], "leads out")]
#[case::link(&[("rea", 0o755, EntryType::Symlink, b"".as_slice())], "files and folders")]
#[case::spaces(&[("a b/x", 0o755, FILE, b"".as_slice())], "no program")]
fn archives_that_are_no_release(#[case] entries: &[Entry<'_>], #[case] told: &str) {
    let reason = program_of(&archive(entries)).unwrap_err();
    assert!(reason.contains(told), "{reason}");
}

#[test]
fn two_programs_are_one_too_many() {
    let elf = program();
    let packed = archive(&[("a/rea", 0o755, FILE, &elf), ("b/rea", 0o755, FILE, &elf)]);
    assert!(program_of(&packed).unwrap_err().contains("several"));
}

#[test]
fn every_cut_of_an_archive_is_refused() {
    let elf = program();
    let packed = archive(&[("rea", 0o755, FILE, &elf)]);
    for end in 0..packed.len() {
        assert!(program_of(&packed[..end]).is_err(), "cut at {end}");
    }
    assert!(program_of(&packed).is_ok());
}

#[test]
fn no_gzip_and_no_tar() {
    assert!(program_of(b"plain").is_err());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&[7; 2000]).unwrap();
    assert!(program_of(&encoder.finish().unwrap()).is_err());
}
