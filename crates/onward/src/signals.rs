//! The signals of the operating system that the program handles.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGHUP: asks the program to read its certificates again.
#[derive(Debug)]
pub struct ReloadSignal(Signal);

/// SIGINT and SIGTERM: ask the program to stop.
#[derive(Debug)]
pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

/// The origin of a request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT: a person at a terminal, who waits for the program to end.
    Interrupt,
    /// SIGTERM: the program's supervisor.
    Terminate,
}

impl StopSignals {
    /// Catches both signals from now on. An uncaught signal ends the program at once, so call this
    /// before anything announces that the program serves.
    pub fn catch() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the first signal.
    pub async fn wait(mut self) {
        self.next().await;
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _interrupted = self.interrupt.recv() => StopSignal::Interrupt,
            _terminated = self.terminate.recv() => StopSignal::Terminate,
        }
    }
}

impl ReloadSignal {
    /// Catches SIGHUP from now on; an uncaught SIGHUP ends the program.
    pub fn catch() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next SIGHUP.
    pub async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
