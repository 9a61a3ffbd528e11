//! The lines that describe one property: its address, its sellers and the progress of its sale.

use client::printable;
use client::wire::{Milestones, Property};

use super::Paint;

/// The first placeholder UPRN (S-12).
const FIRST_PLACEHOLDER_UPRN: u64 = 900_000_000_000;
/// The width of a milestone group's name, in columns.
const GROUP_COLUMNS: usize = 10;
/// The width of a line of milestones, in columns: beside three tracks it fits into 80.
const LINE_COLUMNS: usize = 72;

/// The heading of a property: its address, and a mark if the query asked for it.
pub(super) fn describe_address(property: &Property, is_asked_for: bool, paint: Paint) -> String {
    let address = &property.address.display_address;
    let shown = if address.is_empty() {
        "address unknown".to_owned()
    } else {
        printable(address)
    };
    if is_asked_for {
        format!("{}  {}", paint.bold(&shown), paint.dim("(asked for)"))
    } else {
        paint.bold(&shown)
    }
}

/// The lines under the heading.
pub(super) fn describe_property(property: &Property, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    let milestones = &property.milestones;
    if let Some(fall_through) = &milestones.fall_through {
        let date = fall_through
            .completed
            .as_deref()
            .map_or_else(String::new, printable);
        let text = format!("✗ SALE FELL THROUGH {date}");
        lines.push(paint.alarm(text.trim_end()));
    }
    lines.push(describe_sale(property));
    lines.extend(describe_progress(milestones, paint));
    lines
}

fn describe_sale(property: &Property) -> String {
    let mut uprn = format!("UPRN {}", property.uprn);
    if property.uprn >= FIRST_PLACEHOLDER_UPRN {
        uprn.push_str(" (placeholder)");
    }
    let tenure = match property.tenure.as_str() {
        "" => "tenure unknown".to_owned(),
        "shareoffreehold" => "share of freehold".to_owned(),
        other => printable(other),
    };
    let agent = match property.participants.selling_agent.as_str() {
        "" => "agent unknown".to_owned(),
        name => printable(name),
    };
    let mut parts = vec![uprn, tenure, agent];
    let kinds = property.transaction_type.iter().take(10);
    parts.extend(kinds.map(|kind| printable(kind).replace('_', " ")));
    parts.join(" · ")
}

/// One line for each group of milestones: reached ones with their date, others with the expected
/// date.
fn describe_progress(milestones: &Milestones, paint: Paint) -> Vec<String> {
    let step = |name: &str, completed: &Option<String>| Step::new(name, completed.as_ref(), None);
    let searches = &milestones.searches;
    let exchange = &milestones.exchange_of_contracts;
    let completion = &milestones.completion;
    let local = &searches.local_authority;
    let groups = [
        (
            "sale",
            vec![
                step("listed", &milestones.listed.completed),
                step(
                    "sold subject to contract",
                    &milestones.sold_subject_to_contract.completed,
                ),
            ],
        ),
        (
            "searches",
            vec![
                step("ordered", &searches.started),
                Step::new(
                    "local authority",
                    local.completed.as_ref(),
                    local.expected.as_ref(),
                ),
                step("environmental", &searches.environmental.completed),
                step("water", &searches.drainage_water.completed),
            ],
        ),
        ("funding", funding_steps(milestones)),
        (
            "enquiries",
            vec![
                step("opened", &milestones.enquiries.started),
                step("closed", &milestones.enquiries.completed),
            ],
        ),
        (
            "contracts",
            vec![
                Step::new(
                    "exchanged",
                    exchange.completed.as_ref(),
                    exchange.expected.as_ref(),
                ),
                Step::new(
                    "completed",
                    completion.completed.as_ref(),
                    completion.expected.as_ref(),
                ),
            ],
        ),
    ];
    groups
        .iter()
        .flat_map(|(name, steps)| describe_group(name, steps, paint))
        .collect()
}

/// The steps of the mortgage. A cash buyer needs none, so they appear only if they were recorded.
fn funding_steps(milestones: &Milestones) -> Vec<Step> {
    let funding = &milestones.funding;
    let mut steps = Vec::new();
    if funding.is_cash_buyer {
        steps.push(Step {
            name: "cash buyer".to_owned(),
            reached: true,
            date: None,
        });
    }
    if !funding.is_cash_buyer || funding.started.is_some() || funding.completed.is_some() {
        steps.push(Step::new(
            "mortgage applied for",
            funding.started.as_ref(),
            None,
        ));
        steps.push(Step::new(
            "mortgage offered",
            funding.completed.as_ref(),
            None,
        ));
    }
    steps
}

/// The group's name and its steps, wrapped onto further lines when they do not fit on one.
fn describe_group(name: &str, steps: &[Step], paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = paint.dim(&format!("{name:<GROUP_COLUMNS$}"));
    let mut columns = GROUP_COLUMNS;
    for step in steps {
        let width = step.columns();
        if columns > GROUP_COLUMNS && columns + width > LINE_COLUMNS {
            lines.push(std::mem::replace(&mut line, " ".repeat(GROUP_COLUMNS)));
            columns = GROUP_COLUMNS;
        }
        line.push_str(&step.describe(paint));
        line.push_str("  ");
        columns += width + 2;
    }
    lines.push(line);
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// One milestone: reached on a date, expected on a date, or neither.
struct Step {
    name: String,
    reached: bool,
    date: Option<String>,
}

impl Step {
    fn new(name: &str, completed: Option<&String>, expected: Option<&String>) -> Self {
        let date = completed.or(expected);
        Self {
            name: name.to_owned(),
            reached: completed.is_some(),
            date: date.map(|date| printable(date)),
        }
    }

    /// The width of the step without its colours, in columns.
    fn columns(&self) -> usize {
        self.describe(Paint::plain()).chars().count()
    }

    fn describe(&self, paint: Paint) -> String {
        match (self.reached, &self.date) {
            (true, Some(date)) => format!("{} {} {date}", paint.green("✓"), self.name),
            (true, None) => format!("{} {}", paint.green("✓"), self.name),
            (false, Some(date)) => paint.dim(&format!("· {} (expected {date})", self.name)),
            (false, None) => paint.dim(&format!("· {}", self.name)),
        }
    }
}

#[cfg(test)]
mod tests;
