//! `GET /health/live`: the process answers.

use http::Method;

use crate::problem::Problem;
use crate::routes::only_get;

/// Says that the process runs.
pub async fn show_live(method: Method) -> Result<&'static str, Problem> {
    only_get(&method)?;
    Ok("live\n")
}
