//! The signals of the operating system that the program listens to.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signal that asks the program to read its certificates again: SIGHUP.
#[derive(Debug)]
pub struct ReloadSignal(Signal);

/// The signals that ask the program to stop: SIGINT and SIGTERM.
#[derive(Debug)]
pub struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

/// Who asked the program to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// A person at a terminal, who waits for it.
    Interrupt,
    /// Whatever runs the program.
    Terminate,
}

impl StopSignals {
    /// Catches both signals from now on: before, they would end the program at
    /// once. So this comes before anybody is told that the program serves.
    pub fn catch() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the first of them.
    pub async fn wait(mut self) {
        self.next().await;
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _interrupted = self.interrupt.recv() => StopSignal::Interrupt,
            _terminated = self.terminate.recv() => StopSignal::Terminate,
        }
    }
}

impl ReloadSignal {
    /// Catches it from now on: before, it would end the program.
    pub fn catch() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
