//! Long calls write in parts: on this node one part at a time, with pauses, so that recordings hardly wait,
//! however many participants make such calls.

use observe::clock::Stopwatch;
use tokio::sync::Mutex;

/// A pause after each part is so many times as long as the part took.
const PAUSE_FACTOR: u32 = 3;

/// The turn of the next part. Calls that wait get it in their order.
#[derive(Debug, Default)]
pub struct Paced(Mutex<()>);

impl Paced {
    /// Runs one part, and pauses.
    pub async fn run<T>(&self, part: impl Future<Output = T>) -> T {
        let _turn = self.0.lock().await;
        let running = Stopwatch::start();
        let done = part.await;
        tokio::time::sleep(running.elapsed() * PAUSE_FACTOR).await;
        done
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test]
    async fn parts_of_all_calls_run_one_at_a_time_with_pauses() {
        let paced = Arc::<Paced>::default();
        let running = Arc::<AtomicUsize>::default();
        let mut calls = JoinSet::new();
        let since = Stopwatch::start();
        for _call in 0..4 {
            let (paced, running) = (Arc::clone(&paced), Arc::clone(&running));
            calls.spawn(async move {
                let part = async {
                    assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                paced.run(part).await;
            });
        }
        while let Some(ended) = calls.join_next().await {
            ended.unwrap();
        }
        assert!(since.elapsed() >= 4 * Duration::from_millis(5) * (1 + PAUSE_FACTOR));
    }
}
