//! Refuses query parameters that a call does not know.
//!
//! The description of a call names its parameters, so description and refusal cannot differ.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use crate::fields::shorten;
use crate::limits;
use crate::page::{Query, refuse_errors};
use crate::problem::{FieldError, Problem};

/// The query parameters of each described call.
#[derive(Debug, Default)]
pub struct KnownParameters {
    /// By path, as routes spell it.
    calls: HashMap<String, Vec<(Method, Vec<String>)>>,
}

impl KnownParameters {
    /// The parameters that these operations describe.
    pub fn described_by(operations: &OpenApi) -> Self {
        let calls = operations.paths.paths.iter().map(|(path, item)| {
            let methods = [
                (Method::GET, &item.get),
                (Method::POST, &item.post),
                (Method::PUT, &item.put),
                (Method::PATCH, &item.patch),
                (Method::DELETE, &item.delete),
            ];
            let methods = methods.into_iter();
            let described = methods.filter_map(|(method, operation)| {
                Some((method, names_in_query(operation.as_ref()?)))
            });
            (path.clone(), described.collect())
        });
        let calls = calls.collect();
        Self { calls }
    }

    /// The parameters of a call. `None` if there is no such call. HEAD has those of GET.
    fn of_call(&self, method: &Method, path: &str) -> Option<&[String]> {
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let mut described = self.calls.get(path)?.iter();
        let found = described.find(|(known, _names)| known == method);
        found.map(|(_method, names)| names.as_slice())
    }
}

fn names_in_query(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten();
    let names = parameters.filter_map(|parameter| match parameter {
        RefOr::T(one) if matches!(one.parameter_in, ParameterIn::Query) => Some(one.name.clone()),
        RefOr::T(_) | RefOr::Ref(_) => None,
    });
    names.collect()
}

/// Refuses a request with a query parameter that its call does not know, or that is given twice.
pub async fn refuse_unknown(
    State(known): State<Arc<KnownParameters>>,
    path: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    let sent = request.uri().query();
    let known = sent.and_then(|_sent| known.of_call(request.method(), path.as_str()));
    if let (Some(sent), Some(known)) = (sent, known)
        && let Err(problem) = check(sent, known)
    {
        return problem.into_response();
    }
    next.run(request).await
}

/// Fails if a query string has other parameters than these, or one of them twice.
pub fn check(query: &str, known: &[String]) -> Result<(), Problem> {
    let query = Query::parse(Some(query))?;
    let mut errors = Vec::new();
    let mut seen = Vec::new();
    for name in query.names() {
        let detail = if seen.contains(&name) {
            "is given twice".to_owned()
        } else if known.iter().any(|known| known == name) {
            seen.push(name);
            continue;
        } else if known.is_empty() {
            "is not known here; this call has no parameters in its URL".to_owned()
        } else {
            format!("is not known here; known are {}", known.join(", "))
        };
        errors.push(FieldError {
            pointer: shorten(name),
            detail,
        });
    }
    errors.truncate(limits::UNKNOWN_NAMES_SHOWN);
    refuse_errors(errors)
}
