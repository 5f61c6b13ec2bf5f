//! Where the program in a bundle comes from: the running program, a packed release, or the registry.

use super::BundleError;
use super::elf::{Needs, needs};
use super::limits::{MAX_PROGRAM_BYTES, MAX_TARBALL_BYTES};
use super::tarball;
use crate::evidence::read_stable;
use crate::json::Object;
use std::path::{Path, PathBuf};

/// Memory for each byte of a program or an archive: its bytes, and its digest's buffer.
const MEMORY_FACTOR: u64 = 2;

/// Which source is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PackageChoice {
    /// The running program.
    #[default]
    Running,
    /// A packed release (`rea-<version>-<target>.tar.gz`).
    Tarball(PathBuf),
    /// `cargo install` of this version, in a build stage that uses the network.
    Registry,
}

/// The source of a bundle, as its report and its README name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageSource {
    /// The program itself.
    Executable {
        /// Its version.
        version: &'static str,
        /// Lower-case hex SHA-256 of it.
        sha256: String,
    },
    /// A packed release.
    Tarball {
        /// The file's name in the environment folder.
        file: String,
        /// Where the program is in it.
        program: String,
        /// Lower-case hex SHA-256 of the archive.
        sha256: String,
    },
    /// A release of the registry.
    Registry {
        /// Name and version.
        specifier: String,
    },
}

impl PackageSource {
    /// `{kind, …}`.
    pub fn to_object(&self) -> Object {
        match self {
            Self::Executable { version, sha256 } => {
                Object::new().with("kind", "executable").with("version", *version).with("sha256", sha256)
            }
            Self::Tarball { file, sha256, .. } => {
                Object::new().with("kind", "tarball").with("file", file).with("sha256", sha256)
            }
            Self::Registry { specifier } => Object::new().with("kind", "registry").with("specifier", specifier),
        }
    }
}

/// A source and the file that goes with it.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) source: PackageSource,
    /// Name in the environment folder, bytes, and whether it is a program.
    pub(super) file: Option<(String, Vec<u8>, bool)>,
}

/// Reads and checks what the choice names.
///
/// # Errors
/// A program that does not run on the base image, an archive that cannot be read or holds no such program.
pub(super) fn resolve(choice: &PackageChoice) -> Result<Package, BundleError> {
    match choice {
        PackageChoice::Running => running(),
        PackageChoice::Tarball(path) => packed(path),
        PackageChoice::Registry => {
            let specifier = format!("{}@{}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
            Ok(Package { source: PackageSource::Registry { specifier }, file: None })
        }
    }
}

fn running() -> Result<Package, BundleError> {
    let unusable = |reason: String| BundleError::Program { reason };
    let path = std::env::current_exe().map_err(|error| unusable(format!("its file is not known ({error})")))?;
    let file = read_stable(&path, MAX_PROGRAM_BYTES, MEMORY_FACTOR).map_err(|error| unusable(error.to_string()))?;
    match needs(&file.bytes) {
        Ok(Needs::Nothing | Needs::Glibc(_)) => {}
        Err(reason) => return Err(unusable(reason)),
    }
    let source = PackageSource::Executable { version: env!("CARGO_PKG_VERSION"), sha256: file.sha256 };
    Ok(Package { source, file: Some(("rea".to_owned(), file.bytes, true)) })
}

fn packed(path: &Path) -> Result<Package, BundleError> {
    let archive = read_stable(path, MAX_TARBALL_BYTES, MEMORY_FACTOR).map_err(BundleError::TarballFile)?;
    let unusable = |reason: String| BundleError::Tarball { path: path.display().to_string(), reason };
    let program = tarball::program_of(&archive.bytes).map_err(unusable)?;
    let file = file_name(path);
    let source = PackageSource::Tarball { file: file.clone(), program, sha256: archive.sha256 };
    Ok(Package { source, file: Some((file, archive.bytes, false)) })
}

/// The archive's own name where a Dockerfile can spell it, else a plain one.
fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_plain = !name.starts_with(['.', '-']) && name.bytes().all(plain);
    if is_plain && (name.ends_with(".tar.gz") || name.ends_with(".tgz")) { name } else { "rea.tar.gz".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/x/rea-0.1.0-x86_64-unknown-linux-gnu.tar.gz", "rea-0.1.0-x86_64-unknown-linux-gnu.tar.gz")]
    #[case("a b.tar.gz", "rea.tar.gz")]
    #[case("--chown.tar.gz", "rea.tar.gz")]
    #[case("Dockerfile", "rea.tar.gz")]
    fn archives_keep_names_that_a_dockerfile_can_spell(#[case] path: &str, #[case] name: &str) {
        assert_eq!(file_name(Path::new(path)), name);
    }

    #[test]
    fn a_registry_source_pins_this_version() {
        let package = resolve(&PackageChoice::Registry).unwrap();
        let printed = crate::json::Value::from(package.source.to_object()).to_compact();
        assert_eq!(printed, format!(r#"{{"kind":"registry","specifier":"rea-agents@{}"}}"#, env!("CARGO_PKG_VERSION")));
    }
}
