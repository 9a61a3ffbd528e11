//! The list of sales to chase today: `/chase`.

use askama::Template;
use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId};
use chain::milestone::MilestoneType;
use jiff::civil::{Date, DateTime};

use crate::chains::{Branch, Query};
use crate::frame::{Frame, Section};
use crate::hold::{self, Ring};
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
    pub ring: Option<Ring>,
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
    /// The milestone that is late. For an open end, Exchange.
    pub step: &'static MilestoneType,
    /// The rule that put the row here.
    pub rule: Rule,
    /// Whom to ring, in this order.
    pub ring: Vec<Ring>,
    /// How many other sales of this list wait for the first of them.
    pub other_late: u32,
    /// The last time somebody chased it.
    pub chased: Option<Chased>,
    /// Until when it is snoozed.
    pub snoozed: Option<Snooze>,
}

/// The rule that put a row on the list, with its numbers.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// The expected or proposed day has passed.
    Overdue {
        /// That day.
        expected: Date,
        /// Days since then.
        days: u32,
    },
    /// The step takes longer than in most comparable sales.
    Slow {
        /// The day on which the step before was done.
        since: Date,
        /// Days since then.
        days: u32,
        /// The number of comparable sales.
        sales: u32,
        /// So many percent of them had done it …
        percent: u8,
        /// … within so many days.
        within_days: u32,
    },
    /// Exchange is proposed within a week, and the step is open.
    ExchangeNear {
        /// The proposed day.
        exchange: Date,
    },
    /// Nothing happened for a long time.
    Quiet {
        /// The date of the latest milestone.
        since: Date,
        /// Working days since then.
        working_days: u32,
    },
    /// An end of the chain is not confirmed.
    EndOpen {
        /// The end.
        end: End,
        /// The day of SSTC.
        agreed: Date,
    },
}

/// Somebody chased a sale.
#[derive(Debug, Clone)]
pub struct Chased {
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
        match self.rule {
            Rule::EndOpen { end, .. } => format!("the {end} is not confirmed"),
            Rule::Quiet { .. } => "nothing new is recorded".to_owned(),
            Rule::Overdue { .. } | Rule::Slow { .. } | Rule::ExchangeNear { .. } => {
                hold::lack(self.step)
            }
        }
    }

    /// The id of a field of the row's snooze form.
    fn field(&self, name: &str) -> String {
        format!("snooze-{}-{name}", self.listing)
    }
}

impl Rule {
    /// The rule with its numbers, as a sentence. Dates outside `year` show their year.
    pub fn words(&self, year: i16) -> String {
        match *self {
            Self::Overdue { expected, days } => {
                let late = counted(days, "day");
                format!("Expected on {}, {late} ago.", day(expected, year))
            }
            Self::Slow {
                since,
                days,
                sales,
                percent,
                within_days,
            } => format!(
                "Open for {} since {}. Of {}, {percent} % did this within {}.",
                counted(days, "day"),
                day(since, year),
                counted(sales, "comparable sale"),
                counted(within_days, "day"),
            ),
            Self::ExchangeNear { exchange } => {
                format!("Exchange is proposed for {}.", day(exchange, year))
            }
            Self::Quiet {
                since,
                working_days,
            } => {
                let quiet = counted(working_days, "working day");
                let since = day(since, year);
                format!("The latest milestone is of {since}, {quiet} ago.")
            }
            Self::EndOpen { agreed, .. } => {
                format!("The sale was agreed on {}.", day(agreed, year))
            }
        }
    }
}
