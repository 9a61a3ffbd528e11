//! The list of sales to chase today: `/chase`.

use askama::Template;
use chain::ids::{BranchId, ChainId, ListingId};
use forecast::chase::Reason;
use forecast::day::Day;
use jiff::civil::{Date, DateTime};

use crate::chains::{Branch, Query};
use crate::frame::{Frame, Section};
use crate::hold::{self, Contact};
use crate::words::{counted, day};

/// Sales to chase, the most urgent first.
#[derive(Debug, Clone, Template)]
#[template(path = "chase.html", whitespace = "minimize")]
pub struct ChasePage {
    /// The frame.
    pub frame: Frame,
    /// Today in London.
    pub today: Date,
    /// The filter in force.
    pub filter: ChaseFilter,
    /// The viewer's branches.
    pub branches: Vec<Branch>,
    /// The rows in groups: one group, or one for each conveyancer.
    pub groups: Vec<ChaseGroup>,
    /// How many sales are snoozed.
    pub snoozed: u64,
    /// Whether there are more sales than the list looks at or shows.
    pub is_cut: bool,
    /// Whether another page follows.
    pub has_next: bool,
    /// The refused snooze form, with the values typed.
    pub typed: Option<TypedSnooze>,
}

/// Query parameters of the list, and of `/chase.csv`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChaseFilter {
    /// `branch`
    pub branch: Option<BranchId>,
    /// `group=conveyancer`: one group for each organisation to ring.
    pub by_conveyancer: bool,
    /// `snoozed=1`: shows snoozed rows as well.
    pub with_snoozed: bool,
    /// How many pages come before this one; `page` is one more. The file has all pages.
    pub pages_before: usize,
}

/// Rows under one heading.
#[derive(Debug, Clone)]
pub struct ChaseGroup {
    /// The organisation to ring; `None` in a list that is not grouped.
    pub contact: Option<Contact>,
    /// The rows.
    pub rows: Vec<ChaseRow>,
}

/// One sale to chase, with the most urgent reason.
#[derive(Debug, Clone)]
pub struct ChaseRow {
    /// The sale.
    pub listing: ListingId,
    /// The name of the home.
    pub home: String,
    /// The post town and postcode.
    pub place: String,
    /// The chain.
    pub chain: ChainId,
    /// The number of homes in the chain.
    pub chain_length: usize,
    /// Whether the sale holds the chain up.
    pub holds_chain: bool,
    /// Whether it holds the chain up with another step, which is not late.
    pub holds_by_other_step: bool,
    /// Why it is on the list.
    pub reason: Reason,
    /// The day of SSTC.
    pub agreed: Date,
    /// Whom to ring, in this order.
    pub contacts: Vec<Contact>,
    /// How many other sales of this list wait for the first of them.
    pub other_late: u32,
    /// The last time somebody chased it.
    pub chased: Option<LastChase>,
    /// Until when it is snoozed.
    pub snoozed: Option<Snooze>,
}

/// The last time somebody chased a sale.
#[derive(Debug, Clone)]
pub struct LastChase {
    /// When.
    pub at: DateTime,
    /// The person.
    pub by: String,
}

/// A row that is hidden for a while.
#[derive(Debug, Clone)]
pub struct Snooze {
    /// The first day on which it is shown again.
    pub until: Date,
    /// The reason given.
    pub reason: String,
    /// The person.
    pub by: String,
}

/// A refused snooze form. Its fields are `snooze-{listing}-until` and `snooze-{listing}-reason`.
#[derive(Debug, Clone)]
pub struct TypedSnooze {
    /// The sale.
    pub listing: ListingId,
    /// The day typed.
    pub until: String,
    /// The reason typed.
    pub reason: String,
}

impl ChasePage {
    fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.rows.is_empty())
    }

    /// The first day until which a sale can be snoozed.
    fn tomorrow(&self) -> Date {
        self.today.tomorrow().unwrap_or(self.today)
    }

    /// The refused form, if it is this row's.
    fn typed_for(&self, row: &ChaseRow) -> Option<&TypedSnooze> {
        let mut typed = self.typed.iter();
        typed.find(|typed| typed.listing == row.listing)
    }
}

impl ChaseFilter {
    /// The query string of this filter, with `?` unless it is empty.
    pub fn query(&self) -> String {
        let mut query = Query::default();
        query.add("branch", self.branch.map(|branch| branch.to_string()));
        query.add("group", self.by_conveyancer.then_some("conveyancer"));
        query.add("snoozed", self.with_snoozed.then_some("1"));
        let page = (self.pages_before > 0).then(|| (self.pages_before + 1).to_string());
        query.add("page", page);
        query.text
    }

    /// The same list at another page.
    #[must_use]
    pub fn at(&self, pages_before: usize) -> Self {
        Self {
            pages_before,
            ..self.clone()
        }
    }
}

impl ChaseRow {
    /// The late step in words, in the middle of a sentence.
    pub fn lack(&self) -> String {
        match self.reason {
            Reason::EndOpen(end) => format!("the {end} is not confirmed"),
            Reason::Quiet { .. } => "nothing new is recorded".to_owned(),
            Reason::Overdue { open, .. }
            | Reason::Slow { open, .. }
            | Reason::ExchangeNear { open, .. } => hold::lack(open.step.milestone()),
        }
    }

    /// The reason with its numbers, as a sentence. Dates outside the year of `today` show their year.
    pub fn why(&self, today: Date) -> String {
        let date = |date: Day| day(date.date(), today.year());
        match self.reason {
            Reason::Overdue { open, days } => {
                let expected = open.expected.map(date).unwrap_or_default();
                format!("Expected on {expected}, {} ago.", counted(days, "day"))
            }
            Reason::Slow {
                open,
                days,
                percent,
                comparison,
            } => {
                let clock = open.clock_days(today.into()).unwrap_or_default();
                format!(
                    "Open for {} since {}. Of {}, {percent} % did this within {}.",
                    counted(clock, "day"),
                    open.since.map(date).unwrap_or_default(),
                    counted(comparison.ended, "comparable sale"),
                    counted(clock.saturating_sub(days), "day"),
                )
            }
            Reason::ExchangeNear { proposed, .. } => {
                format!("Exchange is proposed for {}.", date(proposed))
            }
            Reason::Quiet {
                since,
                working_days,
            } => {
                let quiet = counted(working_days, "working day");
                format!("The latest milestone is of {}, {quiet} ago.", date(since))
            }
            Reason::EndOpen(_) => {
                format!("The sale was agreed on {}.", day(self.agreed, today.year()))
            }
        }
    }

    /// The id of a field of the row's snooze form.
    fn field(&self, name: &str) -> String {
        format!("snooze-{}-{name}", self.listing)
    }
}
