//! Prints events and counts them up to the wanted number.

use std::io::{self, Write};

use client::{EventContent, VerifiedEvent, printable};
use serde_json::{Map, Value, json};

use crate::commands::query::Paint;

/// The output of events.
pub(super) struct Shown {
    out: Box<dyn Write + Send>,
    is_json: bool,
    paint: Paint,
    /// The number of events still to print; `None` for no limit.
    missing: Option<u64>,
}

impl Shown {
    pub(super) fn new(out: Box<dyn Write + Send>, is_json: bool, count: Option<u64>) -> Self {
        Self {
            out,
            is_json,
            paint: Paint::detect(),
            missing: count,
        }
    }

    /// Whether the wanted number of events has been printed.
    pub(super) fn is_full(&self) -> bool {
        self.missing == Some(0)
    }

    /// Prints one event. A duplicate is printed as such and does not count.
    pub(super) fn print(&mut self, event: &VerifiedEvent, is_duplicate: bool) -> io::Result<()> {
        if self.is_json {
            let document = describe_json(event, is_duplicate).to_string();
            writeln!(self.out, "{}", unicode::visible_json(&document))?;
        } else {
            writeln!(self.out, "{}", describe(event, is_duplicate, self.paint))?;
        }
        self.out.flush()?;
        if !is_duplicate {
            self.missing = self.missing.map(|missing| missing.saturating_sub(1));
        }
        Ok(())
    }
}

/// The signed claims, the key's id, and whether the event is a duplicate.
fn describe_json(event: &VerifiedEvent, is_duplicate: bool) -> Value {
    let mut claims = event.claims().clone();
    claims.insert("kid".to_owned(), json!(event.kid()));
    claims.insert("duplicate".to_owned(), json!(is_duplicate));
    Value::Object(claims)
}

/// The data as JSON.
fn event_data(claims: &Map<String, Value>) -> String {
    claims
        .get("data")
        .map_or_else(String::new, Value::to_string)
}

fn describe(verified: &VerifiedEvent, is_duplicate: bool, paint: Paint) -> String {
    let event = verified.event();
    let what = match &event.content {
        EventContent::MilestoneUpdated { label, date } => {
            format!("{} {date}", paint.bold(&printable(label)))
        }
        EventContent::FallThrough { date } => format!("{} {date}", paint.bold("fell through")),
        EventContent::ChainChanged {
            chain_id,
            change,
            uprns,
        } => format!(
            "{} chain {} of {} properties",
            paint.bold(&printable(change)),
            printable(chain_id),
            uprns.len()
        ),
        EventContent::Other { .. } => {
            let data = event_data(verified.claims());
            format!(
                "a type that this version does not know: {}",
                printable(&data)
            )
        }
    };
    let mark = if is_duplicate {
        paint.dim("= duplicate")
    } else {
        paint.green("✓")
    };
    let simulated = if event.is_simulated {
        "  SIMULATED"
    } else {
        ""
    };
    let place = if event.uprn.is_empty() {
        simulated.trim_start().to_owned()
    } else {
        format!(
            "property {}, UPRN {}{simulated}",
            event.property_id, event.uprn
        )
    };
    let rest = format!("{}  {}", event.event_timestamp, printable(&event.event_id));
    format!(
        "{mark} {}  {what}  {place}  {}",
        printable(event.event_type()),
        paint.dim(&rest)
    )
}
