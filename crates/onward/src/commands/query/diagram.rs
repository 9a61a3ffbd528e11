//! Draws a chain: the top first, one track for each branch, and arrows from a sale to the purchase
//! that it pays for.

use client::printable;
use client::wire::Chain;

use super::Paint;
use super::property::{describe_address, describe_property};

mod links;
mod tracks;

use links::{End, Links};
use tracks::Tracks;

/// The most properties drawn of one chain. The service allows 100 (S-54); this limit keeps a
/// hostile answer from filling the terminal.
const DRAWN_LIMIT: usize = 200;

/// Draws `chain` as lines that each end with a line break. Text from the network is always filtered
/// first. `asked` is the UPRN that the service says was asked for. Without it, the address decides.
pub(super) fn draw_chain(chain: &Chain, asked: Option<u64>, paint: Paint) -> String {
    // The service lists a chain from the bottom to the top (S-9); the drawing starts at the top.
    let shown: Vec<_> = chain.properties.iter().rev().take(DRAWN_LIMIT).collect();
    let links = Links::between(&shown);
    let mut tracks = Tracks::new();
    let mut rows = vec![describe_chain(chain, paint), String::new()];

    for (place, property) in shown.iter().enumerate() {
        let joined = tracks.enter(place);
        match joined.count {
            0 => {
                let (mark, remark) = describe_top(links.top(place));
                rows.push(tracks.row(joined.track, mark, remark, paint));
            }
            1 => {}
            count => rows.push(format!(
                "{} {}",
                joined.drawing,
                paint.dim(&format!("the seller below buys these {count} properties"))
            )),
        }
        let is_asked_for = asked.map_or_else(
            || property.address.display_address == chain.queried_address,
            |uprn| property.uprn == uprn,
        );
        let heading = describe_address(property, is_asked_for, paint);
        rows.push(format!("{} {heading}", tracks.drawing(joined.track, '●')));
        let below = links.below(place);
        let stem = if below.is_empty() { ' ' } else { '│' };
        for line in describe_property(property, paint) {
            rows.push(format!("{}   {line}", tracks.drawing(joined.track, stem)));
        }
        if below.is_empty() {
            let (mark, remark) = describe_bottom(links.bottom(place));
            rows.push(tracks.row(joined.track, mark, remark, paint));
        } else {
            let arrow = describe_arrow(below.len());
            rows.push(tracks.row(joined.track, '▲', arrow, paint));
        }
        rows.extend(tracks.leave(joined.track, below));
    }
    let left_out = chain.properties.len().saturating_sub(shown.len());
    if left_out > 0 {
        rows.push(format!(
            "and {left_out} more below that are not drawn; --json has them"
        ));
    }
    rows.push(String::new());
    rows.iter()
        .map(|line| line.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

fn describe_chain(chain: &Chain, paint: Paint) -> String {
    let summary = &chain.chain_summary;
    let shape = summary.chain_type.describe();
    let noun = if summary.chain_length == 1 {
        "property"
    } else {
        "properties"
    };
    let heading = paint.bold(&printable(&chain.queried_address));
    let id = paint.dim(&format!("chain {}", printable(&chain.chain_id)));
    format!("{heading}\n{shape}, {} {noun}, {id}", summary.chain_length)
}

fn describe_top(end: End) -> (char, &'static str) {
    match end {
        End::Closed => ('┯', "top closed: nothing further above"),
        End::Open => ('┊', "top open: not confirmed that nothing is above"),
        End::Unknown => ('?', "top unknown: a property above is not in this answer"),
    }
}

fn describe_bottom(end: End) -> (char, &'static str) {
    match end {
        End::Closed => ('┷', "bottom closed: nothing further below"),
        End::Open => ('┊', "bottom open: not confirmed that nothing is below"),
        End::Unknown => (
            '?',
            "bottom unknown: a property below is not in this answer",
        ),
    }
}

fn describe_arrow(sales_below: usize) -> &'static str {
    if sales_below == 1 {
        "bought by the seller below"
    } else {
        "bought by one buyer, who sells several properties below"
    }
}

#[cfg(test)]
mod tests;
