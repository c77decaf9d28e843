//! The service inside a test, as an application meets it: through the client.

mod clock;
mod faults;
mod life;
