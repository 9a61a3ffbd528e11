//! Tells systemd the state of the program, as `sd_notify(3)` describes. Without systemd it does nothing.

use std::sync::LazyLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use sd_notify::NotifyState;

/// Messages that wait for systemd. Further ones are lost.
const WAITING_MAX: usize = 16;

type Message = Vec<NotifyState<'static>>;

/// A thread of its own sends the messages, so that a supervisor that does not read holds up nothing.
static MESSAGES: LazyLock<SyncSender<Message>> = LazyLock::new(|| {
    let (sender, messages) = sync_channel::<Message>(WAITING_MAX);
    let send = move || {
        for message in messages {
            if let Err(error) = sd_notify::notify(&message) {
                tracing::warn!(%error, "systemd could not be told the state of this program");
            }
        }
    };
    // Without the thread, messages are lost.
    drop(
        thread::Builder::new()
            .name("onward-notify".to_owned())
            .spawn(send),
    );
    sender
});

/// Sends a state.
pub(crate) fn tell(state: NotifyState<'static>) {
    send(vec![state]);
}

/// Tells that the program begins to read its settings again, if the clock can be read.
pub(crate) fn tell_reloading() {
    if let Ok(now) = NotifyState::monotonic_usec_now() {
        send(vec![NotifyState::Reloading, now]);
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
        tell(NotifyState::Watchdog);
    }
}

fn send(message: Message) {
    // Nothing can be done about a message that is lost.
    drop(MESSAGES.try_send(message));
}
