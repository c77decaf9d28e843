//! The differences between an operating system and a browser: timers, and values that stay on their thread.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod system;

#[cfg(target_arch = "wasm32")]
pub(crate) use browser::{Instant, Local, local, now, sleep, take, timeout};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use system::{Instant, Local, local, now, sleep, take, timeout};
