//! The daily pass over all chains: it scores forecasts, makes the tables, and makes new forecasts.
//!
//! One node has the task at a time, and each London day has one pass. The pass reads pages of chains,
//! each in a short transaction of its own, and writes small parts, so other writes never wait for it.

use chain::london::date_in_london;
use forecast::WINDOW_DAYS;
use forecast::day::Day;
use forecast::gathering::{Gathered, Gathering};
use jiff::civil::Date;
use observe::clock::Clock;
use storage::{Storage, StorageError, forecasts};
use tokio::sync::watch;

use super::list_old;
use crate::limits;

/// The parts that the pass uses.
#[derive(Debug, Clone)]
pub struct DailyPass {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
}

/// Why a pass ends early. The next round begins it again.
enum Stop {
    /// The node stops, or another node took the task.
    Lost,
    Failed(StorageError),
}

impl From<StorageError> for Stop {
    fn from(error: StorageError) -> Self {
        Self::Failed(error)
    }
}

/// Makes today's pass, unless it is made or another node makes it. It stops early when `stop` turns true.
pub async fn make_if_due(
    pass: &DailyPass,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let now = pass.clock.now_seconds();
    let Some(today) = date_in_london(now) else {
        return Ok(());
    };
    let last = pass.storage.read(forecasts::find_pass).await?;
    let claimed_until = now + limits::PASS_CLAIM_SECONDS;
    if last.is_made(today) || last.is_claimed(now, claimed_until) {
        return Ok(());
    }
    let claiming = pass
        .storage
        .write(move |write| forecasts::claim_pass(write, today, now, claimed_until));
    if !claiming.await? {
        return Ok(());
    }
    let mut task = Task {
        pass,
        stop,
        today,
        claimed_until,
    };
    match task.run().await {
        Ok(()) | Err(Stop::Lost) => Ok(()),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// A pass that this node makes.
struct Task<'a> {
    pass: &'a DailyPass,
    stop: &'a watch::Receiver<bool>,
    today: Date,
    claimed_until: i64,
}

impl Task<'_> {
    async fn run(&mut self) -> Result<(), Stop> {
        self.score().await?;
        let has_any = self.pass.storage.read(forecasts::has_forecasts).await?;
        let gathering = self
            .gather(Gathering::new(self.today.into(), !has_any))
            .await?;
        let today = Day::from(self.today);
        let old = self
            .pass
            .storage
            .read(move |read| list_old(read, today))
            .await?;
        let finishing = tokio::task::spawn_blocking(move || gathering.finish(&old));
        let gathered = finishing.await.map_err(|_ended| Stop::Lost)?;
        self.store(gathered).await?;
        self.prune().await
    }

    /// Stores the outcomes of forecasts of sales that have ended.
    async fn score(&mut self) -> Result<(), Stop> {
        let today = self.today;
        let limit = i64::try_from(limits::FORECASTS_STORED_MAX).unwrap_or(i64::MAX);
        let mut after = 0;
        loop {
            let reading = self
                .pass
                .storage
                .read(move |read| forecasts::list_newly_ended(read, today, after, limit));
            let ended = reading.await?;
            let Some(last) = ended.last() else {
                return Ok(());
            };
            after = last.id;
            self.pass
                .storage
                .write(move |write| forecasts::store_outcomes(write, &ended))
                .await?;
            self.go_on().await?;
        }
    }

    async fn gather(&mut self, mut gathering: Gathering) -> Result<Gathering, Stop> {
        let mut after = String::new();
        let mut pages = 0;
        loop {
            let reading = self.pass.storage.read(move |read| {
                let page = forecasts::list_chain_sales(read, &after, limits::PASS_CHAINS)?;
                let (last, chains) = page.unzip();
                for one in chains.unwrap_or_default() {
                    gathering.add(one.chain, &one.sales);
                }
                Ok::<_, StorageError>((last, gathering))
            });
            let (last, back) = reading.await?;
            gathering = back;
            match last {
                Some(last) => after = last,
                None => return Ok(gathering),
            }
            pages += 1;
            if pages % limits::PASS_PAGES_UNTIL_SIGN == 0 || *self.stop.borrow() {
                self.go_on().await?;
            }
        }
    }

    async fn store(&mut self, gathered: Gathered) -> Result<(), Stop> {
        let today = self.today;
        for part in gathered.forecasts.chunks(limits::FORECASTS_STORED_MAX) {
            let part = part.to_vec();
            self.pass
                .storage
                .write(move |write| forecasts::insert_forecasts(write, &part))
                .await?;
            self.go_on().await?;
        }
        let rows = gathered.counts.rows();
        let claimed_until = self.claimed_until;
        self.pass
            .storage
            .write(move |write| forecasts::end_pass(write, today, claimed_until, &rows))
            .await?;
        Ok(())
    }

    async fn prune(&self) -> Result<(), Stop> {
        let days = limits::FORECAST_RETENTION_DAYS.max(WINDOW_DAYS);
        let before = Day::from(self.today).plus(-days).date();
        let limit = limits::FORECASTS_PRUNED_MAX;
        loop {
            let deleting = self
                .pass
                .storage
                .write(move |write| forecasts::delete_forecasts(write, before, limit));
            let deleted: u64 = deleting.await?;
            if deleted < limit.unsigned_abs() || *self.stop.borrow() {
                return Ok(());
            }
        }
    }

    /// Keeps the task, unless the node stops or another node took it.
    async fn go_on(&mut self) -> Result<(), Stop> {
        if *self.stop.borrow() {
            return Err(Stop::Lost);
        }
        let from = self.claimed_until;
        let until = self.pass.clock.now_seconds() + limits::PASS_CLAIM_SECONDS;
        if until == from {
            return Ok(());
        }
        let extending = self
            .pass
            .storage
            .write(move |write| forecasts::extend_claim(write, from, until));
        if !extending.await? {
            return Err(Stop::Lost);
        }
        self.claimed_until = until;
        Ok(())
    }
}
