//! Tests of what subscribers receive, when and how often (S-34 to S-38).

mod chain_changes;
mod crash;
mod end_states;
mod labels;
pub(crate) mod narrowed;
mod nodes;
mod order;
mod pruning;
mod retries;
mod rotation;
mod under_way;
