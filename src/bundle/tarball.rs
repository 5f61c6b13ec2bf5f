//! A packed release: read to its end before it is copied, so that a bundle never ships one that does not unpack.

use super::elf::needs;
use super::limits::{MAX_PROGRAM_BYTES, MAX_UNPACKED_BYTES};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::{Component, Path};
use tar::{Archive, EntryType};

/// The path of the program `rea` inside the archive.
///
/// # Errors
/// An archive that is cut or no gzipped tar, holds something else than files and folders inside itself, or holds no program
/// `rea` that runs on the base image; what is wrong.
pub(super) fn program_of(archive: &[u8]) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("it cannot be read to its end ({error})");
    // Stopped one byte after the limit, so that what is over it is seen and not unpacked.
    let mut unpacked = MultiGzDecoder::new(archive).take(MAX_UNPACKED_BYTES + 1);
    let mut found = None;
    {
        let mut archive = Archive::new(&mut unpacked);
        for entry in archive.entries().map_err(unreadable)? {
            let mut entry = entry.map_err(unreadable)?;
            let path = entry.path().map_err(unreadable)?.into_owned();
            if !is_inside(&path) {
                return Err("it holds a path that leads out of it".to_owned());
            }
            match entry.header().entry_type() {
                EntryType::Regular | EntryType::Continuous => {}
                EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader => continue,
                _ => return Err("it holds something else than files and folders".to_owned()),
            }
            if path.file_name().is_none_or(|name| name != "rea") {
                continue;
            }
            if found.is_some() {
                return Err("it holds several programs called rea".to_owned());
            }
            if entry.header().mode().is_ok_and(|mode| mode & 0o111 == 0) {
                return Err("its program rea is not executable".to_owned());
            }
            let mut program = Vec::new();
            (&mut entry).take(MAX_PROGRAM_BYTES).read_to_end(&mut program).map_err(unreadable)?;
            needs(&program).map_err(|reason| format!("its program does not run on the base image: {reason}"))?;
            found = Some(spelled(&path)?);
        }
    }
    // The end of an archive is not the end of the stream: a cut one shows only there.
    std::io::copy(&mut unpacked, &mut std::io::sink()).map_err(unreadable)?;
    if unpacked.limit() == 0 {
        return Err(format!("it unpacks to more than {MAX_UNPACKED_BYTES} bytes"));
    }
    found.ok_or_else(|| "it holds no program called rea".to_owned())
}

fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The path as a Dockerfile spells it.
fn spelled(path: &Path) -> Result<String, String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .map(|part| part.as_os_str().to_str())
        .collect();
    let text = parts.map(|parts| parts.join("/")).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/');
    if !text.is_empty() && text.bytes().all(plain) {
        Ok(text)
    } else {
        Err("the path of its program holds characters that a Dockerfile cannot spell".to_owned())
    }
}
