//! The list of chains: `/chains`.

use askama::Template;
use chain::ids::{BranchId, ChainId};
use chain::milestone::{Group, MilestoneType};
use jiff::civil::{Date, DateTime};

use crate::frame::{Frame, Section};
use crate::words::Encoded;

/// The chains with a sale of the viewer's branches.
#[derive(Debug, Clone, Template)]
#[template(path = "chains.html", whitespace = "minimize")]
pub struct ChainsPage {
    /// The frame.
    pub frame: Frame,
    /// Today in London.
    pub today: Date,
    /// The filter in force.
    pub filter: ChainsFilter,
    /// The viewer's branches.
    pub branches: Vec<Branch>,
    /// One row a chain.
    pub rows: Vec<ChainRow>,
    /// The parameter `after` of the next page.
    pub next: Option<String>,
}

/// Query parameters of the list, and of `/chains.csv`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChainsFilter {
    /// `branch`
    pub branch: Option<BranchId>,
    /// `stage` (a key of the group): the furthest sale is at this stage.
    pub stage: Option<Group>,
    /// `ends=open`: an end is not confirmed.
    pub has_open_end: bool,
    /// `stuck=1`: a sale is late.
    pub is_stuck: bool,
    /// `q`: part of an address.
    pub text: String,
}

/// A branch that the viewer may choose.
#[derive(Debug, Clone)]
pub struct Branch {
    /// Its id.
    pub id: BranchId,
    /// Its name.
    pub name: String,
}

/// One chain.
#[derive(Debug, Clone)]
pub struct ChainRow {
    /// The chain.
    pub chain: ChainId,
    /// The name of the bottom home.
    pub bottom: String,
    /// The name of the top home.
    pub top: String,
    /// The number of homes.
    pub length: usize,
    /// The names of the viewer's own homes.
    pub own: Vec<String>,
    /// The furthest milestone of any sale, if any.
    pub furthest: Option<&'static MilestoneType>,
    /// The furthest milestone of the sale that lags most, if any.
    pub lagging: Option<&'static MilestoneType>,
    /// The sale or the reason that holds it up.
    pub held_by: HeldBy,
    /// The next expected or proposed date.
    pub next: Option<(Date, &'static MilestoneType)>,
    /// When the chain last changed.
    pub changed: DateTime,
}

/// The sale or the reason that holds up a chain, in short.
#[derive(Debug, Clone)]
pub enum HeldBy {
    /// A sale.
    Sale {
        /// The name of the home.
        home: String,
        /// The step that is not done.
        step: &'static MilestoneType,
        /// For how many days, where the viewer may see that.
        days: Option<u32>,
    },
    /// A sale fell through or has no buyer.
    Broken {
        /// The name of the home.
        home: String,
    },
    /// Nothing.
    Nothing,
    /// Unknown: too few comparable sales.
    Unknown,
}

/// The title of a chain, such as `Chain of 5: 12 Queen Way to 16 Chapel Hill`.
pub(crate) fn title(length: usize, bottom: &str, top: &str) -> String {
    match length {
        0 | 1 => format!("{bottom}, not in a chain"),
        _ => format!("Chain of {length}: {bottom} to {top}"),
    }
}

/// The stages of a sale with their names.
pub(crate) const STAGES: [(Group, &str); 6] = [
    (Group::Sstc, "Sale agreed"),
    (Group::Searches, "Searches"),
    (Group::Funding, "Funding"),
    (Group::Enquiries, "Enquiries"),
    (Group::Exchange, "Exchange"),
    (Group::Completion, "Completion"),
];

impl ChainsFilter {
    /// Whether some chains do not fit.
    fn is_narrow(&self) -> bool {
        self.stage.is_some() || self.has_open_end || !self.text.is_empty()
    }

    /// The query string of this filter, with `?` unless it is empty.
    fn query(&self, after: Option<&str>) -> String {
        let mut query = Query::default();
        query.add("branch", self.branch.map(|branch| branch.to_string()));
        query.add("stage", self.stage.map(Group::key));
        query.add("ends", self.has_open_end.then_some("open"));
        query.add("stuck", self.is_stuck.then_some("1"));
        query.add(
            "q",
            Some(self.text.as_str()).filter(|text| !text.is_empty()),
        );
        query.add("after", after);
        query.text
    }
}

/// A query string under construction.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pub(crate) text: String,
}

impl Query {
    pub(crate) fn add(&mut self, name: &str, value: Option<impl AsRef<str>>) {
        if let Some(value) = value {
            let separator = if self.text.is_empty() { "?" } else { "&" };
            let value = Encoded(value.as_ref()).to_string();
            self.text.extend([separator, name, "=", &value]);
        }
    }
}

#[cfg(test)]
mod tests {
    use chain::ids::BranchId;
    use chain::milestone::Group;

    use super::ChainsFilter;

    #[test]
    fn a_filter_is_a_query_string() {
        assert_eq!(ChainsFilter::default().query(None), "");
        let filter = ChainsFilter {
            branch: Some(BranchId(3)),
            stage: Some(Group::Enquiries),
            has_open_end: true,
            is_stuck: true,
            text: "Queen & Way".to_owned(),
        };
        let query = "?branch=3&stage=enquiries&ends=open&stuck=1&q=Queen%20%26%20Way&after=a%3D1";
        assert_eq!(filter.query(Some("a=1")), query);
    }
}
