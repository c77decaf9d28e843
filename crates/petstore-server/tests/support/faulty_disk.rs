//! Delays and fails the reads, writes and syncs of the database files of a running program, which
//! preloads a library (`faults.c`) that this module compiles.

use std::{
    env,
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

const SOURCE: &str = include_str!("faults.c");
/// This is longer than any test; the delay ends when the fault is switched off.
pub const STALLED: Duration = Duration::from_secs(100_000);

/// The indexes of the numbers in `struct faults`.
#[derive(Clone, Copy)]
enum Place {
    Reads,
    ReadMicros,
    WriteError,
    SyncMicros,
    SyncError,
    DelayedReads,
    FailedWrites,
    DelayedSyncs,
    FailedSyncs,
}

/// Which reads are delayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Reads of pages that are not in the memory of the operating system.
    Cold = 1,
    All = 2,
}

/// How often a fault took effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    pub delayed_reads: u64,
    pub failed_writes: u64,
    pub delayed_syncs: u64,
    pub failed_syncs: u64,
}

/// The disk of a program that was started with [`Disk::attach`].
pub struct Disk {
    control: File,
    control_path: PathBuf,
    library: PathBuf,
}

impl Disk {
    /// Compiles the library into the folder; `None` if there is no C compiler.
    pub fn new(folder: &Path) -> Option<Self> {
        let (source, library) = (folder.join("faults.c"), folder.join("faults.so"));
        fs::write(&source, SOURCE).expect("a file");
        let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let output = Command::new(compiler)
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .output()
            .ok()?;
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let control_path = folder.join("faults");
        fs::write(&control_path, [0; 4096]).expect("a file");
        let control = File::options().read(true).write(true).open(&control_path);
        Some(Self {
            control: control.expect("it was made"),
            control_path,
            library,
        })
    }

    /// Makes the program use this disk.
    pub fn attach(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("PETSTORE_FAULTS", &self.control_path);
    }

    /// Delays each of these reads.
    pub fn delay_reads(&self, reads: Reads, delay: Duration) {
        self.set(Place::ReadMicros, micros(delay));
        self.set(Place::Reads, reads as u64);
    }

    /// Delays each sync.
    pub fn delay_syncs(&self, delay: Duration) {
        self.set(Place::SyncMicros, micros(delay));
    }

    /// Fails each sync with an input/output error.
    pub fn fail_syncs(&self) {
        self.set(Place::SyncError, error(rustix::io::Errno::IO));
    }

    /// Fails each write as a full disk does.
    pub fn fill(&self) {
        self.set(Place::WriteError, error(rustix::io::Errno::NOSPC));
    }

    /// Ends all faults and delays.
    pub fn heal(&self) {
        for place in [
            Place::Reads,
            Place::ReadMicros,
            Place::WriteError,
            Place::SyncError,
            Place::SyncMicros,
        ] {
            self.set(place, 0);
        }
    }

    pub fn effects(&self) -> Effects {
        Effects {
            delayed_reads: self.get(Place::DelayedReads),
            failed_writes: self.get(Place::FailedWrites),
            delayed_syncs: self.get(Place::DelayedSyncs),
            failed_syncs: self.get(Place::FailedSyncs),
        }
    }

    fn set(&self, place: Place, value: u64) {
        self.control
            .write_all_at(&value.to_ne_bytes(), 8 * place as u64)
            .expect("a file of the test");
    }

    fn get(&self, place: Place) -> u64 {
        let mut bytes = [0; 8];
        self.control
            .read_exact_at(&mut bytes, 8 * place as u64)
            .expect("a file of the test");
        u64::from_ne_bytes(bytes)
    }
}

fn micros(delay: Duration) -> u64 {
    u64::try_from(delay.as_micros()).expect("less than forever")
}

fn error(error: rustix::io::Errno) -> u64 {
    error.raw_os_error().unsigned_abs().into()
}
