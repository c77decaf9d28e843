//! Tests that no confirmed write is lost. The real program is killed and traced, and gets faulty
//! disks and files. Afterwards, everything that it confirmed must exist exactly once. The tests of
//! `petstore-store` test a store directly.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_CRASH_ROUNDS` | how often the service is killed; a few times by default |
//! | `PETSTORE_CRASH_ROUNDS_POSTGRES` | how often the service, its PostgreSQL, or both are |
//! | `PETSTORE_CRASH_PETS` | how many pets are created before a kill at most |
//! | `PETSTORE_CRASH_SEED` | another choice of the moments; it is printed |
//! | `PETSTORE_WAIT_FOR_LEASES` | whether the deliveries of a killed service to webhooks wait for their leases, 75 seconds |

mod backup;
mod clock;
mod crash;
mod database;
mod database_disk;
mod disk;
mod files;
mod orders;
mod power;
mod slow;
mod stalled;
mod stalled_writes;
mod trace;

use petstore_test_support::{
    faulty_disk, ledger, load, postgres, process, raw, sales, scrape, subscribers, webhooks,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the names and the bytes of the files in a folder, except the index of a log, which is
/// shared memory of processes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut contents: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("can be read").path())
        .filter(|path| path.is_file() && !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.clone(), fs::read(path).expect("its bytes")))
        .collect();
    contents.sort();
    contents
}
