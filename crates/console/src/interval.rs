//! The drawing of a forecast: its days on a line, as coordinates for the template's SVG.

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::forecast::Interval;
use crate::words;

/// The width of the drawing.
pub(crate) const WIDTH: i32 = 320;
/// The room at both ends of the line.
const MARGIN: i32 = 12;
/// The room that two labels beside each other need.
const LABELS_WIDTH: i32 = 104;

/// The places on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawing {
    pub(crate) today: i32,
    pub(crate) early: Label,
    pub(crate) median: Label,
    /// `None` beyond a year.
    pub(crate) late: Option<Label>,
    /// The width of the bar from `early` to `late`.
    pub(crate) bar: i32,
}

/// A day with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) x: i32,
    pub(crate) text: String,
    /// The side of the text that stands at `x`: SVG's `text-anchor`.
    pub(crate) anchor: &'static str,
}

/// Places the interval on a line that begins today and ends a little after the interval.
pub(crate) fn draw(interval: &Interval, today: Date) -> Drawing {
    let first = today.min(interval.early);
    let days = |date: Date| (date - first).get_days().max(0);
    let last = interval.late.unwrap_or(first.saturating_add(365.days()));
    let span = (days(last) * 21 / 20).max(1);
    let place = |date| MARGIN + days(date) * (WIDTH - 2 * MARGIN) / span;
    let (left, right) = (place(interval.early), place(last));
    let is_narrow = right - left < LABELS_WIDTH;
    let label = |date, anchor| {
        let x = place(date);
        let anchor = match x {
            0..45 => "start",
            _ if x > WIDTH - 45 => "end",
            _ => anchor,
        };
        let text = words::day(date, today.year());
        Label { x, text, anchor }
    };
    Drawing {
        today: place(today),
        early: label(interval.early, if is_narrow { "end" } else { "middle" }),
        median: label(interval.median, "middle"),
        late: interval
            .late
            .map(|late| label(late, if is_narrow { "start" } else { "middle" })),
        bar: (right - left).max(2),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};

    use super::{Drawing, WIDTH, draw};
    use crate::forecast::Interval;

    fn interval(early: Date, median: Date, late: Date) -> Interval {
        Interval {
            early,
            median,
            late: Some(late),
            past_forecasts: 1204,
            inside_percent: 79,
            one_in_fell_through: None,
        }
    }

    #[test]
    fn days_keep_their_distances() {
        let days = interval(date(2026, 12, 4), date(2026, 12, 19), date(2027, 1, 30));
        let Drawing {
            today,
            early,
            median,
            late,
            bar,
        } = draw(&days, date(2026, 11, 22));
        let late = late.unwrap();
        assert_eq!(
            (today, early.x, median.x, late.x, bar),
            (12, 61, 123, 295, 234)
        );
        assert_eq!(
            (early.text.as_str(), late.text.as_str()),
            ("4 Dec", "30 Jan 2027")
        );
    }

    #[test]
    fn nothing_leaves_the_drawing() {
        let today = date(2026, 11, 22);
        for [early, median, late] in [
            [0, 0, 0],
            [0, 1, 2],
            [-9, 0, 3],
            [400, 500, 3000],
            [0, 0, 900],
        ] {
            let day = |days: i32| today.saturating_add(jiff::Span::new().days(days));
            let drawing = draw(&interval(day(early), day(median), day(late)), today);
            let late = drawing.late.as_ref().unwrap();
            for place in [&drawing.early, &drawing.median, late] {
                assert!((0..=WIDTH).contains(&place.x), "{drawing:?}");
            }
            assert!(drawing.early.x + drawing.bar <= WIDTH, "{drawing:?}");
        }
    }
}
