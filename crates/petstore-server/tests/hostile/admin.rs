//! Tests that clients of the admin listener that send only half of a request do not delay probes.

use crate::{alone, attack, attacked::Attacked, probe::probe, raw::Request};
use std::{io::Write as _, net::TcpStream, time::Duration};

const CONNECTIONS: usize = 3000;
/// How long a probe waits for its response.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn incomplete_request_heads_do_not_delay_health_probes() {
    let _alone = alone();
    let attacked = Attacked::start(&[], &[]);
    let open = |_| {
        let mut stream = attack::connect(attacked.admin).ok()?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nX: ").ok()?;
        Some(stream)
    };
    let hostile: Vec<TcpStream> = (0..CONNECTIONS).map_while(open).collect();
    println!("{} half-sent heads", hostile.len());
    for path in ["/readyz", "/livez", "/metrics"].repeat(5) {
        let probed = probe(attacked.admin, &Request::get(path));
        assert_eq!(probed.status(), Some(200), "{path}: {probed:?}");
        assert!(probed.took < PATIENCE, "{path}: {probed:?}");
    }
    attacked.assert_memory_is_bounded("half-sent heads of the admin listener");
}
