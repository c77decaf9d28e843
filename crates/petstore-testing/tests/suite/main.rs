//! Tests the service inside a test through the client, as an application uses it.

mod clock;
mod faults;
mod life;
