//! The names of the service, its program, its variables, its metrics and its log lines.

/// The names of a service. Create it with [`service_info!`](crate::service_info).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ServiceInfo {
    /// The prefix of the service's own names: metrics `NAME_…`, variables `NAME_…` in capitals, attributes
    /// of spans `NAME.…`, and the realm of `WWW-Authenticate`. It consists of lower-case letters, digits
    /// and `_`.
    pub name: &'static str,
    /// The name of the program, for messages that say which command to run.
    pub program: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The crate of the service. Log lines of this crate have its name as their target; the target of the
    /// access log is `CRATE::access`.
    pub crate_name: &'static str,
}

impl ServiceInfo {
    /// Returns the variable for a flag: `NAME_LOG_FORMAT` for `--log-format`.
    #[must_use]
    pub fn variable(&self, flag: &str) -> String {
        format!("{}_{flag}", self.name)
            .replace('-', "_")
            .to_uppercase()
    }

    /// Returns the name of a metric of the service: `NAME_…`.
    pub(crate) fn metric(&self, name: &str) -> String {
        format!("{}_{name}", self.name)
    }
}

/// Creates the [`ServiceInfo`](crate::ServiceInfo) of the crate in which the macro is called, with the
/// given name. The optional second argument is the version; the default is the version in `Cargo.toml`.
///
/// ```
/// const INFO: openapi_dropshot_server::ServiceInfo = openapi_dropshot_server::service_info!("bookmarks");
/// assert_eq!(INFO.variable("log-format"), "BOOKMARKS_LOG_FORMAT");
/// ```
#[macro_export]
macro_rules! service_info {
    ($name:literal) => {
        $crate::service_info!($name, env!("CARGO_PKG_VERSION"))
    };
    ($name:literal, $version:expr) => {
        $crate::ServiceInfo {
            name: $name,
            program: env!("CARGO_PKG_NAME"),
            version: $version,
            crate_name: env!("CARGO_CRATE_NAME"),
        }
    };
}

#[cfg(test)]
pub(crate) const TEST: ServiceInfo = ServiceInfo {
    name: "shop",
    program: "shop-server",
    version: "1.2.3",
    crate_name: "shop_server",
};
