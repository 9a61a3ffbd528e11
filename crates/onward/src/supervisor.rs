//! Tells systemd the state of the program, as `sd_notify(3)` describes. Without systemd it does nothing.

use sd_notify::NotifyState;

/// Sends states. A supervisor that does not listen is no reason to stop.
pub(crate) fn tell(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "systemd could not be told the state of this program");
    }
}

/// Tells that the program begins to read its settings again, if the clock can be read.
pub(crate) fn tell_reloading() {
    if let Ok(now) = NotifyState::monotonic_usec_now() {
        tell(&[NotifyState::Reloading, now]);
    }
}

/// Tells twice in each interval of the unit's `WatchdogSec` that the program runs. Without such an
/// interval it ends at once.
pub(crate) async fn feed_watchdog() {
    let interval = sd_notify::watchdog_enabled().map(|interval| interval / 2);
    let Some(interval) = interval.filter(|interval| !interval.is_zero()) else {
        return;
    };
    let mut due = tokio::time::interval(interval);
    loop {
        due.tick().await;
        tell(&[NotifyState::Watchdog]);
    }
}
