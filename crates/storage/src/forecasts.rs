//! Past sales to learn from, and forecasts as they were made.

mod made;
mod pass;
mod sales;

pub use self::made::{
    OpenForecast, delete_forecasts, has_forecasts, insert_forecasts, list_ended_forecasts,
    list_forecasts_made, list_newly_ended, store_outcomes,
};
pub use self::pass::{Pass, claim_pass, end_pass, extend_claim, find_pass, list_counts};
pub use self::sales::{ChainSales, list_chain_sales, list_sales_of_branch, list_sales_of_chain};
