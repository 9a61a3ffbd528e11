//! The OpenAPI description of evidence: its refusals.

use evidence::pack::MAX_PACK_BYTES;
use web::problem::{FieldError, Problem};
use web::refusals;

use super::{FOREIGN, NO_ANSWER, NO_LOG, NO_STATE, NOT_KEPT, NOT_LOGGED, TOO_LONG};
use crate::openapi::describe;

refusals!(Refusals = describe(of_evidence()));

fn of_evidence() -> Vec<Problem> {
    let wrong = FieldError {
        pointer: "page".to_owned(),
        detail: "is not known here; this call has no parameters in its URL".to_owned(),
    };
    vec![
        Problem::ScopeInsufficient("transaction-history"),
        Problem::NotFound(NO_LOG),
        Problem::BodyTooSlow,
        Problem::NotLogged(NOT_LOGGED),
        Problem::BodyTooLarge(MAX_PACK_BYTES),
        Problem::MediaTypeUnsupported("application/json"),
        Problem::ContentEncoded,
        Problem::NotProvable(NO_ANSWER),
        Problem::NotProvable(FOREIGN),
        Problem::NotProvable(NO_STATE),
        Problem::NotProvable(NOT_KEPT),
        Problem::NotProvable(TOO_LONG),
        Problem::ValuesInvalid(vec![wrong]),
    ]
}
