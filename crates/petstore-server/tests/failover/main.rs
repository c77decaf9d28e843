//! Tests the failover of the cluster in `examples/deploy/cluster` on one machine: three
//! times etcd, Patroni, PostgreSQL and the service, with HAProxy in front. Under load,
//! the leading machine is killed, then a server, and both are started again.
//! `tests/durability` kills a single database.
//!
//! Takes about a minute a round, so `.ci/failover` runs it and `cargo xtask test`
//! does not; needs Patroni, etcd, HAProxy and PostgreSQL.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_FAILOVER_ROUNDS` | how often a leader and a server are killed; without it nothing is run |

#[path = "../support/haproxy.rs"]
mod haproxy;
#[expect(
    dead_code,
    reason = "shared with `tests/durability`, which needs more of it"
)]
#[path = "../support/ledger.rs"]
mod ledger;
#[expect(
    dead_code,
    reason = "shared with `tests/durability`, which needs more of it"
)]
#[path = "../support/load.rs"]
mod load;
#[expect(
    dead_code,
    reason = "shared with `petstore-store`, which needs more of it"
)]
#[path = "../../../petstore-store/tests/support/postgres.rs"]
mod postgres;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/process.rs"]
mod process;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/raw.rs"]
mod raw;

mod cluster;
mod machine;
mod rounds;
mod settings;
