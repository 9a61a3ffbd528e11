//! One file for each route, named after its path.

pub mod address;
pub mod branch;
pub mod chain;
pub mod health;
pub mod jwks;
pub mod listing;
pub mod metrics;
pub mod milestone_group;
pub mod milestone_type;
pub mod standard;
pub mod token;
pub mod webhook;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use http::{HeaderValue, Method, header};

use crate::problem::Problem;

/// Everything that no route answers.
pub async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// A path that has other methods; the router names them in `Allow`.
pub async fn method_not_allowed() -> Problem {
    Problem::MethodNotAllowed(None)
}

/// Takes HEAD away, which a router otherwise answers and names in `Allow`
/// wherever there is GET. It stands around everything else, because `Allow` is
/// set by the outermost part of each route.
pub fn without_head(routes: Router) -> Router {
    Router::new()
        .fallback_service(routes)
        .layer(middleware::from_fn(refuse_head))
}

async fn refuse_head(mut request: Request, next: Next) -> Response {
    let is_head = request.method() == Method::HEAD;
    if is_head {
        // No route has this one, so that it is refused as any other.
        *request.method_mut() = Method::TRACE;
    }
    let mut response = next.run(request).await;
    if let Some(allow) = response.headers_mut().get_mut(header::ALLOW) {
        let methods = allow.to_str().unwrap_or_default().split(',');
        let methods: Vec<_> = methods.filter(|method| *method != "HEAD").collect();
        if let Ok(methods) = HeaderValue::try_from(methods.join(",")) {
            *allow = methods;
        }
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Refuses every method but GET and HEAD.
fn only_get(method: &Method) -> Result<(), Problem> {
    if method == Method::GET || method == Method::HEAD {
        Ok(())
    } else {
        Err(Problem::MethodNotAllowed(Some("GET, HEAD")))
    }
}
