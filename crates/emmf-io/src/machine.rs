//! How much memory this program may use.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What is taken for the memory of a machine that does not tell: nothing real has more.
const UNKNOWN: u64 = 1 << 46;
const GROUPS: &str = "/sys/fs/cgroup";

/// Bytes of memory that the machine has, or fewer where the system allows this program fewer: by a control group, as
/// containers have, or by a limit on its address space. Where the system does not tell, a number that is never reached.
pub fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let groups = group_limits(&read("/proc/self/cgroup"));
        let limits = groups.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
        let limits = limits.chain(installed(&read("/proc/meminfo")));
        limits.chain(address_space(&read("/proc/self/limits"))).min().unwrap_or(UNKNOWN)
    })
}

/// `MemTotal:       24617524 kB`
fn installed(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// `Max address space         unlimited            unlimited            bytes`
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The files with the limits of the groups that this program is in, and of those around them: `0::/a/b` for all
/// resources, or `5:memory:/a/b` where each resource has groups of its own.
fn group_limits(groups: &str) -> Vec<PathBuf> {
    let files = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (resources, group) = rest.split_once(':')?;
        let (root, file) = match resources {
            "" => (PathBuf::from(GROUPS), "memory.max"),
            _ if resources.split(',').any(|resource| resource == "memory") => {
                (Path::new(GROUPS).join("memory"), "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let group = Path::new(group).strip_prefix("/").ok()?.to_owned();
        Some(group.ancestors().map(|group| root.join(group).join(file)).collect::<Vec<_>>())
    };
    groups.lines().filter_map(files).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says() {
        assert_eq!(installed("MemTotal:       24617524 kB\nMemFree: 1 kB\n"), Some(24_617_524 * 1024));
        assert_eq!(installed(""), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         2048000000           unlimited            bytes\n";
        assert_eq!(address_space(limits), Some(2_048_000_000));
        assert_eq!(address_space(&limits.replace("2048000000", "unlimited")), None);
    }

    #[test]
    fn groups_and_those_around_them() {
        let files = |groups: &str| {
            let files = group_limits(groups);
            files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            files("0::/user/job\n"),
            ["user/job/memory.max", "user/memory.max", "memory.max"].map(|end| format!("{GROUPS}/{end}"))
        );
        assert_eq!(
            files("4:cpu,cpuacct:/a\n5:memory:/a\n"),
            ["memory/a", "memory"].map(|end| format!("{GROUPS}/{end}/memory.limit_in_bytes"))
        );
    }

    #[test]
    fn a_machine_has_memory() {
        assert!(memory() > 1 << 20);
    }
}
