//! Tests an overloaded server: many more requests than it has capacity for, and thousands of
//! stalled sockets. The runs are short unless `PETSTORE_PRESSURE_SECONDS` sets their duration. This
//! test binary has its own harness: its tests run one after the other, because each uses the whole
//! machine, and the server runs in a second process of this program.

mod overload;
mod server;
mod stalled;
mod talk;

use petstore_test_support::faulty;
use std::{env, time::Duration};

/// How long each of the tests takes.
const SECONDS: &str = "PETSTORE_PRESSURE_SECONDS";
const SHORT: Duration = Duration::from_secs(4);

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if arguments.iter().any(|argument| argument == "--list") {
        // With these arguments, cargo nextest requests the list of tests and of ignored tests.
        if !arguments.iter().any(|argument| argument == "--ignored") {
            println!("pressure: test");
        }
        return;
    }
    openapi_dropshot_server::open_files::raise_limit()
        .expect("the limit of open files can be raised");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    if server::is_asked_for() {
        return runtime.block_on(server::run());
    }
    let time = match env::var(SECONDS) {
        Ok(text) => Duration::from_secs(text.parse().expect("a number of seconds")),
        Err(_) => SHORT,
    };
    println!(
        "test requests_beyond_the_capacity_are_rejected_at_once_and_the_others_are_served ..."
    );
    runtime.block_on(
        overload::requests_beyond_the_capacity_are_rejected_at_once_and_the_others_are_served(time),
    );
    println!("test a_normal_client_is_served_while_thousands_of_sockets_stall ...");
    runtime.block_on(stalled::a_normal_client_is_served_while_thousands_of_sockets_stall(time));
    println!("both passed");
}
