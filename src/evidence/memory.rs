//! How much memory this process may still take. Linux says so in files; elsewhere only the variable counts.

use super::FileError;
use std::path::{Path, PathBuf};

/// The variable that bounds the resident memory of this process, in bytes.
pub const MEMORY_LIMIT_VARIABLE: &str = "REA_MEMORY_LIMIT_BYTES";

/// The memory that is free, and the limit that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Headroom {
    /// Bytes.
    pub(super) available: u64,
    /// The limit, for people.
    pub(super) bound: &'static str,
}

/// Bytes of memory this process may still take: the smallest of the cgroup limit's rest, the available memory and
/// `REA_MEMORY_LIMIT_BYTES` less what is resident. A variable that is not a number does not count here; reading a file
/// refuses it.
pub fn memory_headroom() -> u64 {
    headroom().or_else(|_| measured(Path::new("/"), None)).map_or(u64::MAX, |headroom| headroom.available)
}

/// As [`memory_headroom`], naming the limit.
pub(super) fn headroom() -> Result<Headroom, FileError> {
    let variable = std::env::var_os(MEMORY_LIMIT_VARIABLE).map(|value| value.to_string_lossy().into_owned());
    measured(Path::new("/"), variable.as_deref())
}

/// The headroom that the files under `root` (`/`, or a test's folder) and the variable's value give.
pub(super) fn measured(root: &Path, variable: Option<&str>) -> Result<Headroom, FileError> {
    let mut smallest = Headroom { available: u64::MAX, bound: "no limit is known" };
    let mut bound_by = |available: Option<u64>, bound| {
        if let Some(available) = available.filter(|&available| available < smallest.available) {
            smallest = Headroom { available, bound };
        }
    };
    bound_by(available_memory(root), "available memory of the machine");
    bound_by(cgroup_rest(root), "memory limit of the control group");
    if let Some(value) = variable {
        let limit = value.trim().parse::<u64>().map_err(|_| FileError::Setting {
            setting: MEMORY_LIMIT_VARIABLE,
            constraint: "a whole number of bytes",
        })?;
        let resident = resident_memory(root).unwrap_or_default();
        bound_by(Some(limit.saturating_sub(resident)), MEMORY_LIMIT_VARIABLE);
    }
    Ok(smallest)
}

fn available_memory(root: &Path) -> Option<u64> {
    kibibytes(&read(&root.join("proc/meminfo"))?, "MemAvailable:")
}

fn resident_memory(root: &Path) -> Option<u64> {
    kibibytes(&read(&root.join("proc/self/status"))?, "VmRSS:")
}

/// The bytes of a line such as `VmRSS:  1234 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The files of one version of control groups.
struct Version {
    mount: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` with the file cache that the kernel gives back under pressure.
    reclaimable: &'static str,
}

const V1: Version = Version {
    mount: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file ",
};
const V2: Version =
    Version { mount: "sys/fs/cgroup", limit: "memory.max", usage: "memory.current", reclaimable: "inactive_file " };
/// Version 2 beside version 1, where systemd mounts both.
const V2_UNIFIED: Version = Version { mount: "sys/fs/cgroup/unified", ..V2 };

/// The smallest rest of the group's and its ancestors' limits.
fn cgroup_rest(root: &Path) -> Option<u64> {
    let groups = read(&root.join("proc/self/cgroup"))?;
    let rests = groups.lines().flat_map(|line| {
        // `0::/path` is version 2, `4:memory:/path` is version 1.
        let mut fields = line.splitn(3, ':').skip(1);
        let controllers = fields.next().unwrap_or_default();
        let path = fields.next().unwrap_or_default();
        let versions: &[&Version] = match controllers {
            "" => &[&V2, &V2_UNIFIED],
            other if other.split(',').any(|name| name == "memory") => &[&V1],
            _ => &[],
        };
        versions.iter().filter_map(|version| group_rest(root, version, path)).collect::<Vec<_>>()
    });
    rests.min()
}

/// The smallest rest from the group at `path` up to the mount. In a container the path may not be visible; the mount is
/// the group itself then.
fn group_rest(root: &Path, version: &Version, path: &str) -> Option<u64> {
    let mount = root.join(version.mount);
    let inside = Path::new(path.trim_start_matches('/'));
    let is_plain = inside.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let folders = if is_plain { inside.ancestors().collect() } else { vec![Path::new("")] };
    folders.into_iter().filter_map(|folder| rest(&mount.join(folder), version)).min()
}

/// What one group leaves of its limit; `None` when it has none (`max`, or a number near 2^63).
fn rest(folder: &Path, version: &Version) -> Option<u64> {
    let number = |name: &str| read(&folder.join(name))?.trim().parse::<u64>().ok();
    let limit = number(version.limit).filter(|&limit| limit < 1 << 62)?;
    let usage = number(version.usage)?;
    let stat = read(&folder.join("memory.stat")).unwrap_or_default();
    let reclaimable = stat.lines().find_map(|line| line.strip_prefix(version.reclaimable)?.trim().parse::<u64>().ok());
    Some(limit.saturating_sub(usage.saturating_sub(reclaimable.unwrap_or_default())))
}

fn read(path: &PathBuf) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
