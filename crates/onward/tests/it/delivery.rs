//! Stories of what subscribers receive, when and how often (S-34 to S-38).

mod crash;
mod end_states;
mod labels;
mod narrowed;
mod nodes;
mod order;
mod pruning;
mod retries;
mod rotation;

/// Key and label of document 1's catalogue, in its order.
pub(crate) const LABELS: &[(&str, &str)] = &[
    ("property_listed", "Property Listed"),
    ("sstc", "SSTC"),
    ("searches_ordered", "Searches Ordered"),
    ("searches_expected", "LA Search Expected"),
    ("la_search_delivered", "Search Delivered"),
    (
        "environmental_search_delivered",
        "Environmental Search Delivered",
    ),
    ("water_search_delivered", "Water Search Delivered"),
    ("cash_buyer", "Cash Buyer"),
    ("funding_applied", "Mortgage Applied"),
    ("mortgage_offered", "Mortgage Offered"),
    ("enquiries_opened", "Enquiries Opened"),
    ("enquiries_closed", "Enquiries Closed"),
    ("proposed_exchange", "Proposed Exchange"),
    ("exchange", "Exchange"),
    ("proposed_completion", "Proposed Completion"),
    ("completion", "Completion"),
    ("completion_date_set", "Completion Date Set"),
    ("fall_through", "Fall Through"),
];
