//! The description of each listener, as an OpenAPI 3.1 document and as an HTML page. Both are
//! generated from the handlers, wire types, limits and tables of refusals.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use utoipa::openapi::OpenApi;
use web::listener::Listener;

use crate::config::Config;

mod finish;
mod headers;
mod listeners;
mod page;
mod shapes;

/// The description of one listener. The first request renders it, so that it does not delay the
/// program's start.
#[derive(Debug)]
pub(crate) struct Description {
    listener: Listener,
    config: Arc<Config>,
    operations: OpenApi,
    rendered: OnceLock<Rendered>,
}

/// A rendered description.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// The OpenAPI document.
    pub json: Bytes,
    /// The HTML page.
    pub page: Bytes,
    /// The page's `Content-Security-Policy`.
    pub page_policy: String,
}

impl Description {
    /// The description of the `operations` of `listener`, not yet rendered.
    pub(crate) fn new(listener: Listener, config: Arc<Config>, operations: OpenApi) -> Self {
        Self {
            listener,
            config,
            operations,
            rendered: OnceLock::new(),
        }
    }

    /// The title of the listener.
    pub(crate) fn title(&self) -> &'static str {
        listeners::title(self.listener)
    }

    /// The public URL of the listener, without a slash at its end. Empty if it has none.
    pub(crate) fn url(&self) -> &str {
        listeners::server_url(self.listener, &self.config).trim_end_matches('/')
    }

    /// Renders the description at the first call and returns the same result later.
    pub(crate) fn rendered(&self) -> &Rendered {
        self.rendered.get_or_init(|| {
            let document = finish::finish(self.listener, &self.config, &self.operations);
            let others = listeners::other_pages(self.listener, &self.config);
            Rendered {
                json: Bytes::from(document.to_string()),
                page: Bytes::from(page::render(&document, &others)),
                page_policy: page::content_security_policy(),
            }
        })
    }
}
