//! Two clients request all permits of a server. The first client gets three quarters, so that some permits are left for
//! the second one.

use fair_shares::Shares;
use std::sync::Arc;

fn main() {
    let permits = Arc::new(Shares::new(16));
    let mut held = Vec::new();
    for client in ["first", "second"] {
        let before = held.len();
        while let Some(share) = permits.try_take(&client, 1) {
            held.push(share);
        }
        println!("{client}: {} of {}", held.len() - before, permits.limit());
    }
}
