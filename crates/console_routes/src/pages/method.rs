//! `GET {console_url}/method`: how the console decides, with the numbers of the last pass. It is public.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::frame::Section;
use console::method::{Horizon, MethodPage, Point, Record, StepDays, StepRule};
use console::render;
use forecast::chase::{CHASE_PERCENT, LOOK_PERCENT, whom_to_chase};
use forecast::counts::Stratum;
use forecast::figures::{Figures, FiguresRow};
use forecast::step::Step;
use listing_management::forecasts::Learned;
use web::problem::Problem;

use crate::Console;
use crate::frames::show;
use crate::holds::to_percent;
use crate::session::SignedIn;

/// Shows the rules in words, the durations of all sales, and the error of past forecasts.
pub(crate) async fn show_method(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
) -> Result<Response, Problem> {
    let forecasts = Arc::clone(&console.management.forecasts);
    let learned = console
        .storage
        .read(move |read| forecasts.learned(read))
        .await?;
    let page = MethodPage {
        frame: console.frame(signed_in.as_ref(), Section::Other),
        as_of: learned.made_on.unwrap_or_else(|| console.today()),
        steps: Step::ALL.map(|step| rule(step, &learned)).to_vec(),
        record: record(&learned),
    };
    show(render(&page))
}

fn rule(step: Step, learned: &Learned) -> StepRule {
    let table = learned.tables.comparable(Stratum::All).step(step).ok();
    StepRule {
        step: step.milestone(),
        contacts: whom_to_chase(step),
        days: table.map(|table| {
            let within = |percent| table.days_by(f64::from(percent) / 100.0);
            StepDays {
                sales: table.ended(),
                median: within(50),
                look: within(LOOK_PERCENT),
                chase: within(CHASE_PERCENT),
            }
        }),
    }
}

fn record(learned: &Learned) -> Record {
    let figures = &learned.figures;
    let has_ended = figures.ended > 0;
    let horizons = figures.rows.iter().filter_map(horizon);
    Record {
        horizons: horizons.filter(|_| has_ended).collect(),
        reliability: if has_ended {
            points(figures)
        } else {
            Vec::new()
        },
        silence: learned.silence,
    }
}

/// A row of the table; `None` for the row of all forecasts.
fn horizon(row: &FiguresRow) -> Option<Horizon> {
    let (from_days, to_days) = row.horizon?;
    Some(Horizon {
        from_days,
        to_days,
        forecasts: row.number,
        inside_50_percent: to_percent(row.covered_half_percent),
        inside_80_percent: to_percent(row.covered_most_percent),
        median_error_days: row.error.median_days,
        bias_days: row.error.bias_days,
        baseline_error_days: row.simple.map(|simple| simple.error.median_days),
    })
}

fn points(figures: &Figures) -> Vec<Point> {
    let reliability = figures.reliability.iter();
    let points = reliability.map(|point| Point {
        said_percent: to_percent(point.forecast_percent),
        came_percent: to_percent(point.exchanged_percent),
        forecasts: figures.ended,
    });
    points.collect()
}
