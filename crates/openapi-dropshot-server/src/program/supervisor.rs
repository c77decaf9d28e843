//! Notifies systemd of the state of the service (`Type=notify`, see `sd_notify(3)`).
//! Without systemd, it does nothing.

use sd_notify::NotifyState;
use std::time::Duration;

/// How long the start may take after each notification.
const START_MAY_TAKE: u32 = 30_000_000;
/// The time between two such notifications.
const STARTING: Duration = Duration::from_secs(5);

/// Notifies systemd that the service reads its certificate again. The state `Ready` ends the
/// reload.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!("cannot read the clock for systemd: {error}"),
    }
}

/// Notifies systemd repeatedly that the start continues, so that the unit's time limit
/// (`TimeoutStartSec`) does not end a start that waits or migrates. Never returns.
pub(super) async fn extend_start() {
    loop {
        tokio::time::sleep(STARTING).await;
        notify(&[NotifyState::ExtendTimeoutUsec(START_MAY_TAKE)]);
    }
}

/// Notifies systemd of what the start is waiting for; `systemctl status` shows it.
pub(super) fn waits(reason: &str) {
    notify(&[
        NotifyState::ExtendTimeoutUsec(START_MAY_TAKE),
        NotifyState::Status(reason),
    ]);
}

/// Notifies the watchdog of systemd, twice within the time that the unit allows, that the runtime
/// still runs its tasks. Ends with the runtime.
pub(super) fn keep_alive() {
    let Some(allowed) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut ticks = tokio::time::interval(allowed / 2);
    tokio::spawn(async move {
        loop {
            ticks.tick().await;
            notify(&[NotifyState::Watchdog]);
        }
    });
}

/// Asks systemd to wait at least this long from now on for the notification that the service is
/// ready, instead of the unit's time limit (`TimeoutStartSec`).
pub(super) fn allow_start(time: Duration) {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    notify(&[NotifyState::ExtendTimeoutUsec(micros)]);
}

/// Notifies systemd of these states.
pub(super) fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!("cannot notify systemd: {error}");
    }
}
