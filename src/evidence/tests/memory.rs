//! The memory that is free, read from made-up machines.

use crate::evidence::FileError;
use crate::evidence::memory::measured;
use rstest::rstest;
use std::fs;

const GIB: u64 = 1 << 30;

/// The headroom of a machine whose files are given, in GiB or as none.
fn available(files: &[(&str, &str)], variable: Option<&str>) -> Result<u64, FileError> {
    let root = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    measured(root.path(), variable).map(|headroom| headroom.available)
}

const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable: 8388608 kB\n");
const RESIDENT: (&str, &str) = ("proc/self/status", "Name:\trea\nVmRSS:\t 1048576 kB\n");

#[rstest]
#[case::nothing_known(&[], None, u64::MAX)]
#[case::the_machine(&[MACHINE], None, 8 * GIB)]
#[case::the_variable(&[MACHINE, RESIDENT], Some("2147483648"), GIB)]
#[case::the_variable_is_used_up(&[MACHINE, RESIDENT], Some("5"), 0)]
#[case::a_wide_variable(&[MACHINE, RESIDENT], Some("99999999999999"), 8 * GIB)]
#[case::version_2(&[MACHINE, ("proc/self/cgroup", "0::/a/b\n"), ("sys/fs/cgroup/a/b/memory.max", "4294967296\n"),
    ("sys/fs/cgroup/a/b/memory.current", "2147483648\n"), ("sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 1073741824\n")], None, 3 * GIB)]
#[case::version_2_without_a_limit(&[MACHINE, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "max\n"),
    ("sys/fs/cgroup/a/memory.current", "2147483648\n")], None, 8 * GIB)]
#[case::an_ancestor_is_tighter(&[MACHINE, ("proc/self/cgroup", "0::/a/b\n"), ("sys/fs/cgroup/a/b/memory.max", "4294967296\n"),
    ("sys/fs/cgroup/a/b/memory.current", "0\n"), ("sys/fs/cgroup/a/memory.max", "1073741824\n"), ("sys/fs/cgroup/a/memory.current", "0\n")], None, GIB)]
#[case::in_a_container(&[MACHINE, ("proc/self/cgroup", "0::/host/only\n"), ("sys/fs/cgroup/memory.max", "1073741824\n"),
    ("sys/fs/cgroup/memory.current", "0\n")], None, GIB)]
#[case::above_the_mount(&[MACHINE, ("proc/self/cgroup", "0::/../../x\n"), ("sys/fs/cgroup/memory.max", "1073741824\n"),
    ("sys/fs/cgroup/memory.current", "0\n")], None, GIB)]
#[case::version_1(&[MACHINE, ("proc/self/cgroup", "5:cpu,memory:/a\n1:cpu:/\n"), ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n"),
    ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1073741824\n"), ("sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 0\n")], None, GIB)]
#[case::version_1_without_a_limit(&[MACHINE, ("proc/self/cgroup", "4:memory:/\n"), ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
    ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n")], None, 8 * GIB)]
#[case::over_its_limit(&[MACHINE, ("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "1\n"), ("sys/fs/cgroup/memory.current", "5\n")], None, 0)]
#[case::nonsense(&[("proc/meminfo", "MemAvailable: lots\n"), ("proc/self/cgroup", "x\n::\n0:\n")], None, u64::MAX)]
fn the_smallest_counts(#[case] files: &[(&str, &str)], #[case] variable: Option<&str>, #[case] expected: u64) {
    assert_eq!(available(files, variable), Ok(expected));
}

#[rstest]
fn a_variable_that_is_no_number(#[values("", "1 GiB", "-1", "1e9", "0x10")] value: &str) {
    assert!(matches!(available(&[MACHINE], Some(value)), Err(FileError::Setting { .. })));
}

#[test]
fn this_machine_has_some() {
    assert!(crate::evidence::memory_headroom() > 0);
}
