//! Checks the dates of the certificates that the service serves. Warns if a certificate has
//! expired, expires soon or is not valid yet, and reports the earliest expiry as a metric.

use super::TlsFiles;
use crate::lock::lock;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rustls::pki_types::CertificateDer;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use x509_cert::{Certificate, der::Decode as _};

/// The time between two checks.
const PERIOD: Duration = Duration::from_secs(24 * 60 * 60);
/// How long before the expiry the warnings start.
const SOON: TimeDelta = TimeDelta::days(14);

/// The dates of the certificates in a file, which the service serves as a chain.
#[derive(Debug)]
pub(crate) struct CertificateDates {
    file: PathBuf,
    chain: Mutex<Vec<Dates>>,
}

/// The dates of a certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Dates {
    subject: String,
    begin: DateTime<Utc>,
    expiry: DateTime<Utc>,
}

impl CertificateDates {
    /// Reads the dates, and checks them now and then once a day. Must be called inside a tokio
    /// runtime.
    pub(crate) fn watch(files: &TlsFiles) -> Arc<Self> {
        let dates = Arc::new(CertificateDates {
            file: files.cert.clone(),
            chain: Mutex::default(),
        });
        dates.read();
        let watched = Arc::downgrade(&dates);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PERIOD).await;
                match watched.upgrade() {
                    Some(dates) => dates.warn(),
                    None => break,
                }
            }
        });
        dates
    }

    /// Reads the dates of the file, after the server has started to use it, and checks them.
    pub(crate) fn read(&self) {
        let certificates = super::chain(&self.file).unwrap_or_default();
        let chain: Option<Vec<Dates>> = certificates.iter().map(Dates::of).collect();
        let chain = chain.filter(|chain| !chain.is_empty());
        if chain.is_none() {
            tracing::warn!(
                "cannot read the dates of the certificate `{}`, so there is no warning before it expires; check it with `openssl x509 -dates`",
                self.file.display()
            );
        }
        *lock(&self.chain) = chain.unwrap_or_default();
        self.warn();
    }

    /// Logs each certificate that clients reject, or will soon reject.
    fn warn(&self) {
        for dates in lock(&self.chain).iter() {
            if let Some(problem) = dates.problem(Utc::now()) {
                tracing::warn!(
                    "the certificate of `{}` in `{}` {problem}",
                    dates.subject,
                    self.file.display()
                );
            }
        }
    }

    /// Returns when the first certificate of the chain expires, in seconds since 1970.
    pub(crate) fn earliest_expiry(&self) -> Option<i64> {
        let chain = lock(&self.chain);
        chain.iter().map(|dates| dates.expiry.timestamp()).min()
    }
}

impl Dates {
    fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        let certificate = Certificate::from_der(certificate).ok()?.tbs_certificate;
        let validity = certificate.validity;
        Some(Dates {
            subject: certificate.subject.to_string(),
            begin: validity.not_before.to_system_time().into(),
            expiry: validity.not_after.to_system_time().into(),
        })
    }

    /// Returns the problem with the dates and its remedy.
    fn problem(&self, now: DateTime<Utc>) -> Option<String> {
        const RENEW: &str = "Renew it, write the new chain to this file, and send SIGHUP to the service (`systemctl reload`)";
        let shown = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Secs, true);
        let (begin, expiry) = (shown(self.begin), shown(self.expiry));
        if self.expiry <= now {
            Some(format!("expired at {expiry}: clients reject it. {RENEW}"))
        } else if now < self.begin {
            Some(format!(
                "is not valid before {begin}, and it is {} now: clients reject it. Check the clock of this machine, or serve a certificate that is valid now",
                shown(now)
            ))
        } else if self.expiry - now <= SOON {
            Some(format!(
                "expires at {expiry}, in {} days: clients reject it from then on. {RENEW}",
                (self.expiry - now).num_days()
            ))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_with_the_validity_dates_of_a_certificate_are_described() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1000);
        let problem = |begin: i64, expiry: i64| {
            let dates = Dates {
                subject: "CN=shop".to_owned(),
                begin: now + TimeDelta::hours(begin),
                expiry: now + TimeDelta::hours(expiry),
            };
            dates.problem(now).unwrap_or_default()
        };
        assert!(problem(-48, -24).starts_with("expired at 1972-09-26T00:00:00Z: "));
        assert!(problem(-24, 0).starts_with("expired at "));
        assert!(problem(24, 240).starts_with("is not valid before 1972-09-28T00:00:00Z, "));
        assert!(problem(-24, 49).starts_with("expires at 1972-09-29T01:00:00Z, in 2 days: "));
        assert!(problem(-24, 14 * 24).starts_with("expires at "));
        assert_eq!(problem(-24, 14 * 24 + 1), "");
        assert_eq!(problem(0, 24 * 90), "");
    }
}
