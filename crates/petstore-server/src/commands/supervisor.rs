//! What systemd is told of the service (`Type=notify`, see `sd_notify(3)`).
//! Where nobody supervises it, nothing happens.

use sd_notify::NotifyState;

/// It answers.
pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// It reads its certificate again; `ready` ends that.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!("cannot read the clock for systemd: {error}"),
    }
}

/// It stops.
pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// Tells, twice within the time that the unit allows, that the runtime still
/// gives tasks their turn. Ends with the runtime.
pub(super) fn keep_alive() {
    let Some(allowed) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut ticks = tokio::time::interval(allowed / 2);
    tokio::spawn(async move {
        loop {
            ticks.tick().await;
            tell(&[NotifyState::Watchdog]);
        }
    });
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!("cannot tell systemd: {error}");
    }
}
