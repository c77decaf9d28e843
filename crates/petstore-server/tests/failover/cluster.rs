//! Starts the machines of the cluster, and reads its state from Patroni.

use crate::{
    machine::Machine,
    settings::{Ports, Values},
};
use reqwest::Client;
use serde_json::Value;
use std::{
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(120);
const NAMES: [&str; 3] = ["one", "two", "three"];

pub(crate) struct Cluster {
    pub(crate) machines: Vec<Machine>,
    client: Client,
}

impl Cluster {
    /// Starts three machines: one with the leading database, two with its replicas.
    pub(crate) async fn start(programs: &Path) -> Self {
        let ports = Ports::free(NAMES.len());
        let values = shared(programs, &ports);
        let machines = NAMES.into_iter().zip(ports);
        let mut cluster = Self {
            machines: machines
                .map(|(name, ports)| Machine::make(name, ports, values.clone()))
                .collect(),
            client: Client::builder().no_proxy().build().expect("a client"),
        };
        for machine in &mut cluster.machines {
            machine.start();
        }
        cluster.until_whole().await;
        cluster
    }

    /// Waits until one machine is the leader and the others are its replicas, with one synchronous
    /// replica, without which no commit succeeds.
    pub(crate) async fn until_whole(&self) {
        let begin = Instant::now();
        loop {
            let mut roles = self.roles().await;
            roles.sort();
            if roles == ["leader", "replica", "sync_standby"] {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "{roles:?}\n{}", self.logs());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Returns the roles of the machines whose database runs and, if it is a replica, streams.
    async fn roles(&self) -> Vec<String> {
        let running = |member: &&Value| {
            ["running", "streaming"].contains(&member["state"].as_str().unwrap_or_default())
        };
        let role = |member: &Value| member["role"].as_str().unwrap_or_default().to_owned();
        self.members()
            .await
            .iter()
            .filter(running)
            .map(role)
            .collect()
    }

    /// Returns the index of the leader.
    pub(crate) async fn leader(&self) -> usize {
        let members = self.members().await;
        let leads = members.iter().find(|member| member["role"] == "leader");
        let name = leads.map(|member| member["name"].clone());
        let place = self
            .machines
            .iter()
            .position(|machine| name == Some(machine.name.into()));
        place.unwrap_or_else(|| panic!("nobody leads: {members:?}\n{}", self.logs()))
    }

    /// Whether the etcd of this machine is also the leader of etcd. If so, the lease of the
    /// database leader expires later, because a new leader of etcd restarts each lease.
    pub(crate) async fn leads_etcd(&self, place: usize) -> bool {
        let port = self.machines[place].ports.etcd;
        let address = format!("http://127.0.0.1:{port}/v3/maintenance/status");
        let response = self.client.post(address).body("{}").send().await;
        let status: Value = match response {
            Ok(response) => response.json().await.expect("the status of etcd"),
            Err(error) => panic!("{error}\n{}", self.logs()),
        };
        status["leader"] == status["header"]["member_id"]
    }

    /// Returns the members as the first reachable machine reports them.
    async fn members(&self) -> Vec<Value> {
        for machine in &self.machines {
            let address = format!("http://127.0.0.1:{}/cluster", machine.ports.patroni);
            let Ok(response) = self.client.get(address).send().await else {
                continue;
            };
            if let Ok(cluster) = response.json::<Value>().await {
                return cluster["members"].as_array().cloned().unwrap_or_default();
            }
        }
        Vec::new()
    }

    /// Returns the addresses of the servers, with the ports of their admin listeners.
    pub(crate) fn servers(&self) -> Vec<(SocketAddr, u16)> {
        let ports = self.machines.iter().map(|machine| &machine.ports);
        ports
            .map(|ports| {
                (
                    SocketAddr::from(([127, 0, 0, 1], ports.service)),
                    ports.admin,
                )
            })
            .collect()
    }

    pub(crate) fn logs(&self) -> String {
        self.machines.iter().map(Machine::logs).collect()
    }
}

/// Returns the settings that are the same on every machine.
fn shared(programs: &Path, ports: &[Ports]) -> Values {
    let hosts = |port: fn(&Ports) -> u16| {
        let hosts = ports
            .iter()
            .map(|ports| format!("127.0.0.1:{}", port(ports)));
        hosts.collect::<Vec<_>>().join(",")
    };
    let members = NAMES.iter().zip(ports);
    let members = members.map(|(name, ports)| format!("{name}=http://127.0.0.1:{}", ports.peer));
    Values::from([
        ("ADDRESS", "127.0.0.1".to_owned()),
        ("ETCD_CLUSTER", members.collect::<Vec<_>>().join(",")),
        ("ETCD_HOSTS", hosts(|ports| ports.etcd)),
        ("POSTGRES_HOSTS", hosts(|ports| ports.postgres)),
        ("NETWORK", "127.0.0.1/32".to_owned()),
        ("SUPERUSER_PASSWORD", "first".to_owned()),
        ("REPLICATION_PASSWORD", "second".to_owned()),
        ("REWIND_PASSWORD", "third".to_owned()),
        ("PETSTORE_PASSWORD", "fourth".to_owned()),
        // This option would restart the machine.
        ("PATRONI_WATCHDOG", "off".to_owned()),
        (
            "POSTGRES_PROGRAMS",
            programs.to_str().expect("text").to_owned(),
        ),
    ])
}
