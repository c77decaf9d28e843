//! Interceptors that connect the calls of a client to OpenTelemetry. They need the feature `opentelemetry`.
//!
//! They use the global propagator and the global meter provider, which the application must set up with
//! `opentelemetry_sdk`.
//!
//! ```
//! # #[cfg(feature = "opentelemetry")] {
//! use openapi_dropshot_client::{Client, telemetry::TracePropagation};
//!
//! let client = Client::builder("https://books.example/v1").interceptor(TracePropagation).build()?;
//! # }
//! # Ok::<(), openapi_dropshot_client::BuildError>(())
//! ```

#[cfg(feature = "opentelemetry")]
mod metrics;
#[cfg(feature = "opentelemetry")]
mod propagation;

#[cfg(feature = "opentelemetry")]
#[cfg_attr(docsrs, doc(cfg(feature = "opentelemetry")))]
pub use metrics::HttpMetrics;
#[cfg(feature = "opentelemetry")]
#[cfg_attr(docsrs, doc(cfg(feature = "opentelemetry")))]
pub use propagation::TracePropagation;
