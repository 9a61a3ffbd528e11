//! `GET {base_url}/api/v1/standard/addresses`: suggests properties for a partly typed address.

mod described;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use property_search;
use tokens::rate_limit::Allowance;
use tokens::registry::Scope;
use web::form::Form;
use web::problem::{FieldError, Problem};
use web::routing::only_get;
use web::{authorization, rate_limit_fields};

use self::described::{Refusals, SearchParameters};
use super::ChainQueries;
use crate::limits;
use crate::wire::addresses::{AddressSuggestion, AddressSuggestions};

/// Suggests properties for an address, the most likely first.
///
/// Use it while a person types, or to choose among several properties. Equally likely properties
/// are ordered by id. Then query the chain by `uprn`, because a chain query by address only
/// answers if the address identifies exactly one property.
#[utoipa::path(
    get,
    path = "/api/v1/standard/addresses",
    tag = "Chains",
    params(SearchParameters),
    responses(
        (status = 200, description = "The suggestions, possibly none.", body = AddressSuggestions),
        Refusals,
    ),
    security(("accessToken" = ["transaction-status"], "clientCertificate" = [])),
)]
pub(crate) async fn find_addresses(
    State(queries): State<Arc<ChainQueries>>,
    request: Request,
) -> Response {
    let mut allowance = None;
    let (parts, _body) = request.into_parts();
    let mut response = match answer(&queries, &parts, &mut allowance).await {
        Ok(suggestions) => Json(suggestions).into_response(),
        Err(problem) => problem.into_response(),
    };
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}

async fn answer(
    queries: &ChainQueries,
    parts: &Parts,
    allowance: &mut Option<Allowance>,
) -> Result<AddressSuggestions, Problem> {
    only_get(&parts.method)?;
    let snapshot = queries.tokens.registry.snapshot().await?;
    let (tokens, scope) = (&queries.tokens, Scope::TransactionStatus);
    let caller = authorization::prove(tokens, &snapshot, parts, scope).await?;
    rate_limit_fields::count(tokens.rate_limits.as_deref(), caller.client(), allowance)?;
    let search = AddressSearch::parse(parts.uri.query())?;
    let (suggestions, compared) = queries
        .storage
        .read(move |read| property_search::list_suggestions(read, &search.text, search.limit))
        .await?;
    queries
        .tokens
        .owe(&caller.client().id, compared / limits::COMPARED_PER_REQUEST);
    Ok(AddressSuggestions {
        data: suggestions
            .into_iter()
            .map(AddressSuggestion::from)
            .collect(),
    })
}

struct AddressSearch {
    text: String,
    limit: usize,
}

impl AddressSearch {
    /// Parses all parameters and reports all errors together.
    fn parse(query_string: Option<&str>) -> Result<Self, Problem> {
        let fields = Form::parse_urlencoded(query_string.unwrap_or_default().as_bytes())?;
        let mut errors = Vec::new();
        let text = fields.find("q").map(str::trim).unwrap_or_default();
        let length = text.chars().count();
        if length == 0 || length > limits::VALUE_CHARACTERS_MAX {
            let longest = limits::VALUE_CHARACTERS_MAX;
            errors.push(FieldError {
                pointer: "q".to_owned(),
                detail: format!("must have 1 to {longest} characters, has {length}"),
            });
        }
        let asked = fields.find("limit");
        let limit = asked.map_or(Some(limits::SUGGESTIONS_DEFAULT), |text| text.parse().ok());
        let limit = limit.filter(|limit| (1..=limits::SUGGESTIONS_MAX).contains(limit));
        if limit.is_none() {
            errors.push(FieldError {
                pointer: "limit".to_owned(),
                detail: format!("must be an integer from 1 to {}", limits::SUGGESTIONS_MAX),
            });
        }
        match limit {
            Some(limit) if errors.is_empty() => Ok(Self {
                text: text.to_owned(),
                limit,
            }),
            Some(_) | None => Err(Problem::ValuesInvalid(errors)),
        }
    }
}
