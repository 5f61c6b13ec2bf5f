//! Whether a program of this machine runs on the base image, read from its ELF file: it is static, or it needs nothing but
//! a glibc that the image has.

use super::limits::BASE_GLIBC;
use object::elf::{FileHeader32, FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind, ReadRef};

/// Libraries that every Debian image has: glibc's own and the compiler's runtime.
const BASE_LIBRARIES: [&str; 8] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
    "libresolv.so.2",
    "libgcc_s.so.1",
];

/// What a program needs of the image that it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing.
    Nothing,
    /// The glibc of this version or a newer one.
    Glibc((u32, u32)),
}

/// What the program needs.
///
/// # Errors
/// Why it cannot run on the base image, or why that cannot be told.
pub(super) fn needs(program: &[u8]) -> Result<Needs, String> {
    match FileKind::parse(program) {
        Ok(FileKind::Elf64) => of_header::<FileHeader64<Endianness>>(program),
        Ok(FileKind::Elf32) => of_header::<FileHeader32<Endianness>>(program),
        Ok(_) | Err(_) => Err("it is not a Linux program (ELF)".to_owned()),
    }
}

fn of_header<H: FileHeader<Endian = Endianness>>(data: &[u8]) -> Result<Needs, String> {
    let unreadable = |error: object::Error| format!("its ELF file cannot be read ({error})");
    let header = H::parse(data).map_err(unreadable)?;
    let endian = header.endian().map_err(unreadable)?;
    let segments = header.program_headers(endian, data).map_err(unreadable)?;
    let interpreter = segments.iter().find(|segment| segment.p_type(endian) == PT_INTERP);
    let Some(interpreter) = interpreter else { return Ok(Needs::Nothing) };
    let path = interpreter.data(endian, data).map_err(|()| "its interpreter is not readable".to_owned())?;
    let path = String::from_utf8_lossy(path.read_bytes_at(0, path.len() as u64).unwrap_or_default()).into_owned();
    if !path.contains("ld-linux") {
        return Err(format!("it needs the loader {}, which the image does not have", path.trim_end_matches('\0')));
    }
    let (libraries, newest) = dynamic::<H>(header, endian, data).map_err(unreadable)?;
    let known = |library: &&String| BASE_LIBRARIES.contains(&library.as_str()) || library.starts_with("ld-linux");
    if let Some(library) = libraries.iter().find(|library| !known(library)) {
        return Err(format!("it needs the library {library}, which the image does not have"));
    }
    match newest {
        None => Err("its ELF file does not say which glibc it needs".to_owned()),
        Some(version) if version > BASE_GLIBC => Err(format!(
            "it needs glibc {}.{}, and the image has {}.{}",
            version.0, version.1, BASE_GLIBC.0, BASE_GLIBC.1
        )),
        Some(version) => Ok(Needs::Glibc(version)),
    }
}

/// Libraries a program names, and the newest glibc that one of its symbols is of.
type Dynamic = (Vec<String>, Option<(u32, u32)>);

fn dynamic<H: FileHeader<Endian = Endianness>>(header: &H, endian: Endianness, data: &[u8]) -> object::Result<Dynamic> {
    use object::read::elf::Dyn as _;
    let sections = header.sections(endian, data)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut libraries = Vec::new();
    if let Some((entries, link)) = sections.dynamic(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        for entry in entries {
            if entry.tag32(endian) == Some(object::elf::DT_NEEDED) {
                libraries.push(text(entry.string(endian, strings)?));
            }
        }
    }
    let mut newest = None;
    if let Some((mut needed, link)) = sections.gnu_verneed(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        while let Some((_, mut versions)) = needed.next()? {
            while let Some(version) = versions.next()? {
                newest = newest.max(glibc_version(&text(version.name(endian, strings)?)));
            }
        }
    }
    Ok((libraries, newest))
}

/// `(2, 34)` of `GLIBC_2.34`.
fn glibc_version(name: &str) -> Option<(u32, u32)> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_needs_a_glibc_or_nothing() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        match needs(&program) {
            Ok(Needs::Glibc((major, minor))) => assert!(major == 2 && minor >= 2),
            Ok(Needs::Nothing) => {}
            // A machine with a newer glibc than the image's.
            Err(reason) => assert!(reason.contains("glibc"), "{reason}"),
        }
    }

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(needs(b"#!/bin/sh\n").unwrap_err().contains("not a Linux program"));
        assert!(needs(b"").unwrap_err().contains("not a Linux program"));
        assert!(needs(b"\x7fELF\x02\x01\x01").is_err());
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(glibc_version("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(glibc_version("GLIBC_2.34"), Some((2, 34)));
        assert_eq!(glibc_version("GCC_3.0"), None);
    }
}
