//! Tests the failover of the cluster in `examples/deploy/cluster` on one machine: etcd, Patroni,
//! PostgreSQL and the service run three times, with HAProxy in front. Under load, the leading machine is
//! killed, then a server, and both are started again. Then HAProxy is killed. `tests/durability` kills a single database.
//!
//! A round takes about a minute, so `.ci/failover` runs this test and `cargo xtask test` does not. It
//! needs Patroni, etcd, HAProxy and PostgreSQL.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_FAILOVER_ROUNDS` | how often a leader and a server are killed; without it nothing is run |

mod cluster;
mod machine;
mod rounds;
mod settings;

use petstore_test_support::{haproxy, ledger, load, postgres, process, subscribers, webhooks};
