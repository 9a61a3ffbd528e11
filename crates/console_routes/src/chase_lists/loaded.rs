//! Loads the sales under way of some branches, and the assessments of their chains.

use std::collections::HashMap;
use std::sync::Arc;

use chain::ids::{BranchId, ChainId};
use forecast::day::Day;
use listing_management::forecasts::{Assessment, Forecasts, Learned};
use storage::chase::{self, SaleUnderWay};
use storage::forecasts::{self, ChainSales};
use storage::{Read, StorageError};

use crate::limits;

/// Chains that are read one by one.
const READ_ALONE_MAX: usize = 20;

/// The sales under way of some branches, and the assessments of their chains.
#[derive(Default)]
pub(super) struct Loaded {
    pub sales: Vec<SaleUnderWay>,
    /// How many sales under offer were looked at.
    looked_at: i64,
    /// Whether there may be more.
    pub is_cut: bool,
    pub assessments: HashMap<ChainId, Arc<Assessment>>,
}

/// What assesses chains.
#[derive(Clone, Copy)]
struct Knowledge<'a> {
    forecasts: &'a Forecasts,
    learned: &'a Learned,
    today: Day,
}

impl Loaded {
    pub(super) fn of_branches(
        read: &mut Read<'_>,
        forecasts: &Forecasts,
        learned: &Learned,
        branches: &[BranchId],
        today: Day,
    ) -> Result<Self, StorageError> {
        let mut loaded = Self::default();
        let knowledge = Knowledge {
            forecasts,
            learned,
            today,
        };
        for branch in branches {
            loaded.add_branch(read, *branch, knowledge)?;
        }
        Ok(loaded)
    }

    fn add_branch(
        &mut self,
        read: &mut Read<'_>,
        branch: BranchId,
        knowledge: Knowledge<'_>,
    ) -> Result<(), StorageError> {
        let limit = limits::CHASE_SALES_MAX.saturating_sub(self.looked_at);
        let found = chase::list_sales_under_way(read, branch, limit)?;
        self.looked_at += found.looked_at;
        self.is_cut |= found.looked_at >= limit;
        let mut unknown: HashMap<ChainId, i64> = HashMap::new();
        for sale in &found.sales {
            match knowledge.find(sale) {
                Some(assessment) => {
                    self.assessments.insert(sale.chain, assessment);
                }
                None => {
                    unknown.insert(sale.chain, sale.version);
                }
            }
        }
        for sales in list_sales(read, branch, limit, &unknown)? {
            if let Some(version) = unknown.get(&sales.chain) {
                self.assessments
                    .insert(sales.chain, knowledge.assess(&sales, *version));
            }
        }
        self.sales.extend(found.sales);
        Ok(())
    }

    /// The sales by their chains.
    pub(super) fn by_chain(&self) -> HashMap<ChainId, Vec<&SaleUnderWay>> {
        let mut by_chain: HashMap<ChainId, Vec<&SaleUnderWay>> = HashMap::new();
        for sale in &self.sales {
            by_chain.entry(sale.chain).or_default().push(sale);
        }
        by_chain
    }
}

impl Knowledge<'_> {
    fn find(self, sale: &SaleUnderWay) -> Option<Arc<Assessment>> {
        let (chain, version) = (sale.chain, sale.version);
        self.forecasts
            .find_assessed(self.learned, chain, version, self.today)
    }

    fn assess(self, sales: &ChainSales, version: i64) -> Arc<Assessment> {
        self.forecasts
            .assess_sales(self.learned, sales, version, self.today)
    }
}

/// The sales of chains that are not assessed yet: a few one by one, and many with the others of their
/// branch in one statement.
fn list_sales(
    read: &mut Read<'_>,
    branch: BranchId,
    limit: i64,
    chains: &HashMap<ChainId, i64>,
) -> Result<Vec<ChainSales>, StorageError> {
    if chains.len() > READ_ALONE_MAX {
        return forecasts::list_sales_of_branch(read, branch, limit);
    }
    let read_chain = |chain: &ChainId| {
        let sales = forecasts::list_sales_of_chain(read, *chain)?;
        Ok(ChainSales {
            chain: *chain,
            sales,
        })
    };
    chains.keys().map(read_chain).collect()
}
