//! Tests the files in `examples/deploy/systemd`: systemd accepts the unit (if its tools are
//! installed), and the service accepts the settings.

use crate::process::{program, run_ok};
use std::{fs, path::PathBuf, process::Command};
use tempfile::TempDir;
use test_support::{Need, skip};

fn deployed(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/deploy/systemd");
    PathBuf::from(folder).join(name)
}

fn unit() -> String {
    fs::read_to_string(deployed("petstore-server.service")).expect("it is there")
}

#[test]
fn the_packaged_settings_are_accepted_including_those_in_comments() {
    let folder = TempDir::new().expect("a folder can be made");
    let text = fs::read_to_string(deployed("petstore.toml")).expect("it is there");
    if !crate::tls::made_in(folder.path()) {
        return;
    }
    // The command `config` reads the files.
    let with_tls = text.replace("# tls-", "tls-").replace("/etc/petstore/", "");
    for text in [text, with_tls] {
        fs::write(folder.path().join("petstore.toml"), &text).expect("can be written");
        let printed = run_ok(folder.path(), &["config", "--config", "petstore.toml"]);
        assert!(
            printed.contains("database = \"sqlite:/var/lib/petstore/petstore.db\""),
            "{printed}"
        );
        assert_eq!(printed.contains("tls-key"), !text.contains("# tls-key"));
    }
}

/// The documentation must not be an address of the service, because the owner may change the
/// address in the settings.
#[test]
fn the_documentation_setting_of_each_systemd_unit_names_a_manual_page_of_the_package() {
    let folder = TempDir::new().expect("a folder can be made");
    run_ok(folder.path(), &["man", "--to", "."]);
    for name in ["petstore-server.service", "petstore-server-backup.service"] {
        let unit = fs::read_to_string(deployed(name)).expect("it is there");
        let mut lines = unit.lines();
        let found = lines.find_map(|line| line.strip_prefix("Documentation="));
        for page in found.expect("documentation").split(' ') {
            let page = page.strip_prefix("man:");
            let page = page.and_then(|page| page.strip_suffix("(1)"));
            let page = page.unwrap_or_else(|| panic!("{name}: {found:?}"));
            let file = folder.path().join(format!("{page}.1"));
            assert!(file.exists(), "{name}: {found:?}");
        }
    }
}

#[test]
fn the_unit_waits_for_the_service_and_starts_it_with_its_settings() {
    let unit = unit();
    for line in [
        "Type=notify",
        "ExecStart=/usr/bin/petstore-server serve --config /etc/petstore/petstore.toml",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "User=petstore",
        "StateDirectory=petstore",
        // The service must be restarted as often as necessary.
        "StartLimitIntervalSec=0",
        "Restart=on-failure",
        "NoNewPrivileges=true",
        "ProtectSystem=strict",
    ] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn systemd_analyze_reports_no_fault_in_the_unit() {
    let folder = TempDir::new().expect("a folder can be made");
    let program = program(folder.path());
    let program = program.get_program().to_str().expect("text");
    // systemd-analyze requires that the program exists where the unit expects it.
    let unit = unit().replace("/usr/bin/petstore-server", program);
    let path = folder.path().join("petstore-server.service");
    fs::write(&path, unit).expect("can be written");
    for arguments in [
        &["verify", "--man=no"][..],
        &["security", "--offline=true", "--threshold=20"],
    ] {
        let command = Command::new("systemd-analyze")
            .args(arguments)
            .arg(&path)
            .output();
        let Ok(output) = command else {
            skip(Need::Systemd, "`systemd-analyze` is missing");
            return;
        };
        // It succeeds even if it does not know a setting, but prints the name of the setting.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{output:?}");
    }
}
