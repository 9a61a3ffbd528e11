//! Decides which leases of other nodes have ended.
//!
//! A node with a clock that is far ahead takes leases that end far in the future. The others would wait for
//! their end, and nobody would do the work. So a lease counts as ended too if its end is later than a right
//! clock allows.

/// How far the clocks of two nodes may be apart, in seconds.
const CLOCK_DIFFERENCE_MAX_SECONDS: i64 = 60;

/// Who has a task, and until when others leave it to that node. Unix milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Lease<'a> {
    /// A name that is unique among running nodes.
    pub owner: &'a str,
    /// The present time.
    pub now: i64,
    /// The end of the lease.
    pub until: i64,
}

impl Lease<'_> {
    pub(crate) fn running(&self) -> RunningEnds {
        RunningEnds::in_milliseconds(self.now, self.until)
    }
}

/// The ends of leases that run, by the clock of one node. All other leases have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunningEnds {
    /// A lease that ends at this time or earlier has ended.
    pub(crate) after: i64,
    /// A lease that ends later than this counts as ended.
    pub(crate) last: i64,
}

impl RunningEnds {
    /// By a clock that shows `now`. A lease that began now would end at `until`.
    pub(crate) fn in_milliseconds(now: i64, until: i64) -> Self {
        Self::within(now, until, CLOCK_DIFFERENCE_MAX_SECONDS * 1000)
    }

    /// As [`RunningEnds::in_milliseconds`], for leases that end at a full second.
    pub(crate) fn in_seconds(now: i64, until: i64) -> Self {
        Self::within(now, until, CLOCK_DIFFERENCE_MAX_SECONDS)
    }

    pub(crate) fn contains(self, end: i64) -> bool {
        end > self.after && end <= self.last
    }

    fn within(now: i64, until: i64, difference: i64) -> Self {
        Self {
            after: now,
            last: until.saturating_add(difference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_runs_between_two_ends() {
        let running = RunningEnds::in_seconds(1_000, 1_600);
        for (end, runs) in [
            (0, false),
            (1_000, false),
            (1_001, true),
            (1_660, true),
            (1_661, false),
            (i64::MAX, false),
        ] {
            assert_eq!(running.contains(end), runs, "{end}");
        }
        let running = RunningEnds::in_milliseconds(1_000, 6_000);
        assert_eq!((running.after, running.last), (1_000, 66_000));
        assert_eq!(RunningEnds::in_seconds(0, i64::MAX).last, i64::MAX);
    }
}
