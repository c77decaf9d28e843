//! The installed programs of PostgreSQL, and the user that runs them.

use std::{
    env, fs,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
};

/// PostgreSQL does not run as root. In this case it runs as the user `postgres`, who becomes the
/// owner of the folder.
pub fn owner_for(folder: &Path) -> Option<(u32, u32)> {
    if fs::metadata(folder).expect("the folder").uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("the list of users");
    let user = users
        .lines()
        .find(|line| line.starts_with("postgres:"))
        .expect("a user `postgres`, since this is root");
    let number = |field| {
        user.split(':')
            .nth(field)
            .and_then(|text| text.parse().ok())
            .expect("a number")
    };
    let owner = Some((number(2), number(3)));
    hand_over(folder, owner);
    owner
}

/// Makes the user that [`owner_for`] returned the owner of a file or a folder.
pub fn hand_over(path: &Path, owner: Option<(u32, u32)>) {
    if let Some((uid, gid)) = owner {
        chown(path, Some(uid), Some(gid)).expect("it is handed over");
    }
}

/// Returns the command of a program that runs as the user that [`owner_for`] returned.
pub fn as_user(program: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

/// Returns the folder of the newest server that Debian installed, or the one in `PATH`.
pub fn programs() -> Option<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut versions: Vec<(u32, PathBuf)> = installed
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    let path = env::var_os("PATH").unwrap_or_default();
    let has = |folder: &PathBuf, program: &str| folder.join(program).is_file();
    debian
        .chain(env::split_paths(&path))
        .find(|folder| has(folder, "initdb") && has(folder, "postgres"))
}
