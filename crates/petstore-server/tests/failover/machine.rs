//! One machine of the cluster: etcd and Patroni, which runs PostgreSQL, as the user `postgres` in a
//! separate folder. All processes are killed at the latest when the test process ends, even if the
//! test process crashes.

use crate::{
    postgres::{as_user, hand_over, owner_for},
    process::{Service, program},
    settings::{FILES, Ports, Values, filled},
    webhooks::{LOCAL, create_key, write_key},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::Write as _,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::Arc,
};
use tempfile::TempDir;

/// A script that starts the programs that it is told to start. When its standard input is closed,
/// it ends all of them and removes the folder. It ends a process only if the process still runs in
/// its folder, because the process id could have been reused.
const KEEPER: &str = r#"
run() {
    case $1 in
    etcd) set -a && . ./etcd.env && exec etcd ;;
    patroni) exec patroni patroni.yml ;;
    esac
}
end() {
    while test "$(readlink "/proc/$2/cwd")" = "$3"; do
        kill "$1" "$2"
        sleep 0.05
    done
}
while read -r name; do
    run "$name" </dev/null >>"$name.log" 2>&1 &
    echo $! >"$name.pid"
done
end -KILL "$(cat patroni.pid)" "$FOLDER"
end -QUIT "$(head -n 1 data/postmaster.pid)" "$FOLDER/data"
end -KILL "$(cat etcd.pid)" "$FOLDER"
cd / && rm -rf "$FOLDER"
"#;

pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) ports: Ports,
    folder: PathBuf,
    keeper: Child,
    /// The folder of the service, which runs as the user of the test.
    home: Arc<TempDir>,
}

impl Machine {
    /// Creates a machine with the files of the set; nothing is started yet.
    pub(crate) fn make(name: &'static str, ports: Ports, mut values: Values) -> Self {
        let folder = tempfile::Builder::new().prefix("petsha").tempdir();
        let folder = folder.expect("a temporary folder").keep();
        // The script compares this path with the path that the system reports.
        let folder = folder.canonicalize().expect("it is there");
        let home = Arc::new(TempDir::new().expect("a folder can be made"));
        let text = |path: &Path| path.to_str().expect("text").to_owned();
        values.extend([
            ("MACHINE", name.to_owned()),
            ("ETCD_CLIENT_PORT", ports.etcd.to_string()),
            ("ETCD_PEER_PORT", ports.peer.to_string()),
            ("ETCD_DATA", text(&folder.join("etcd"))),
            ("PATRONI_PORT", ports.patroni.to_string()),
            ("PATRONI_FOLDER", text(&folder)),
            ("POSTGRES_PORT", ports.postgres.to_string()),
            ("POSTGRES_DATA", text(&folder.join("data"))),
            ("POSTGRES_SOCKETS", text(&folder)),
            ("PETSTORE_PORT", ports.service.to_string()),
            ("PETSTORE_ADMIN_PORT", ports.admin.to_string()),
        ]);
        let owner = owner_for(&folder);
        write_key(home.path());
        for file in FILES {
            let place = if file == "petstore.toml" {
                home.path()
            } else {
                &folder
            };
            let place = place.join(file);
            fs::write(&place, filled(file, &values)).expect("a file");
            fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).expect("permissions");
            if place.starts_with(&folder) {
                hand_over(&place, owner);
            }
        }
        let keeper = as_user(Path::new("sh"), owner)
            .args(["-c", KEEPER])
            .env("FOLDER", &folder)
            .env("HOME", &folder)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl+C must not reach the databases before it reaches the test.
            .process_group(0)
            .spawn();
        Self {
            name,
            ports,
            keeper: keeper.expect("a shell"),
            folder,
            home,
        }
    }

    /// Starts etcd and, with it, Patroni.
    pub(crate) fn start(&mut self) {
        let keeper = self.keeper.stdin.as_mut().expect("piped");
        keeper.write_all(b"etcd\npatroni\n").expect("a keeper");
    }

    /// Kills Patroni, the database and etcd, each with SIGKILL.
    pub(crate) fn kill(&self) {
        for (file, folder) in [
            ("patroni.pid", self.folder.clone()),
            ("data/postmaster.pid", self.folder.join("data")),
            ("etcd.pid", self.folder.clone()),
        ] {
            let text = fs::read_to_string(self.folder.join(file)).expect(file);
            let number = text.lines().next().expect("a line");
            let works_in = fs::read_link(format!("/proc/{number}/cwd")).ok();
            assert_eq!(works_in, Some(folder), "{file} has ended already");
            let pid = number.parse().ok().and_then(Pid::from_raw);
            kill_process(pid.expect("a process id"), Signal::KILL).expect("it runs");
        }
    }

    /// Starts the service, and waits for its line on stdout, which it prints when it accepts
    /// requests.
    pub(crate) fn serve(&self) -> Service {
        let mut command = program(self.home.path());
        command
            .args(["serve", "--config", "petstore.toml"])
            .args(LOCAL);
        // This variable takes precedence over the file.
        command.env_remove("PETSTORE_ADMIN_LISTEN");
        Service::start_by(command, Arc::clone(&self.home))
    }

    /// Creates a key that may manage webhooks.
    pub(crate) fn create_key(&self) -> String {
        create_key(self.home.path(), &["--config", "petstore.toml"])
    }

    /// Returns the last log lines of etcd and Patroni.
    pub(crate) fn logs(&self) -> String {
        let end = |file| {
            let log = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
            let lines: Vec<_> = log.lines().collect();
            lines[lines.len().saturating_sub(15)..].join("\n")
        };
        let (etcd, patroni) = (end("etcd.log"), end("patroni.log"));
        format!(
            "etcd of {}:\n{etcd}\nPatroni of {}:\n{patroni}\n",
            self.name, self.name
        )
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ended = self.keeper.wait();
    }
}
