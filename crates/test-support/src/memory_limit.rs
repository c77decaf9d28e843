//! Limits the memory of a process with a control group of the kernel, as a container does.

use crate::{Need, skip};
use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// A control group with a limit. It is removed when the test drops it, which must happen after its processes have ended.
#[derive(Debug)]
pub struct MemoryLimit(PathBuf);

impl MemoryLimit {
    /// Creates a group whose processes together may use this many bytes, including files in memory. If this machine does not
    /// allow it, records this and returns `None`.
    pub fn new(bytes: u64) -> Option<Self> {
        let limit = Self::in_version_1(bytes).or_else(|| Self::in_version_2(bytes));
        if limit.is_none() {
            skip(Need::ControlGroup, "no control group can be made");
        }
        limit
    }

    fn in_version_1(bytes: u64) -> Option<Self> {
        let group = Self::below(Path::new("/sys/fs/cgroup/memory"))?;
        group.set("memory.limit_in_bytes", &bytes.to_string())?;
        Some(group)
    }

    fn in_version_2(bytes: u64) -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup");
        fs::write(root.join("cgroup.subtree_control"), "+memory").ok()?;
        let group = Self::below(root)?;
        group.set("memory.max", &bytes.to_string())?;
        Some(group)
    }

    fn below(root: &Path) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = root.join(format!("test-{}-{number}", process::id()));
        fs::create_dir(&folder).ok()?;
        Some(MemoryLimit(folder))
    }

    fn set(&self, name: &str, value: &str) -> Option<()> {
        fs::write(self.0.join(name), value).ok()
    }

    /// Adds a process to the group.
    ///
    /// # Panics
    ///
    /// Panics if the kernel does not allow it.
    pub fn hold(&self, process: u32) {
        let held = self.set("cgroup.procs", &process.to_string());
        assert!(
            held.is_some(),
            "{process} cannot be put into {}",
            self.0.display()
        );
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        // If a process is still running, the group cannot be removed and stays visible.
        let _ = fs::remove_dir(&self.0);
    }
}
