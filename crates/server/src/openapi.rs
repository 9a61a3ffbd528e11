//! What each address answers, as an OpenAPI 3.1 document and as a page: both
//! are generated from the handlers, wire types, limits and tables of refusals.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;

use crate::config::Config;
use crate::listener::Listener;

mod finish;
mod headers;
mod listeners;
mod page;
pub(crate) mod refusals;
pub(crate) mod schema;

/// The description of one address. It is made when somebody asks first, so
/// that starting the program does not wait for it.
#[derive(Debug)]
pub(crate) struct Description {
    listener: Listener,
    config: Arc<Config>,
    rendered: OnceLock<Rendered>,
}

/// A finished description.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// The OpenAPI document.
    pub json: Bytes,
    /// The page for people.
    pub page: Bytes,
    /// The Content-Security-Policy that the page works under.
    pub page_policy: String,
}

impl Description {
    /// The description of this address.
    pub(crate) fn new(listener: Listener, config: Arc<Config>) -> Self {
        Self {
            listener,
            config,
            rendered: OnceLock::new(),
        }
    }

    /// Renders it once.
    pub(crate) fn rendered(&self) -> &Rendered {
        self.rendered.get_or_init(|| {
            let document = finish::finish(self.listener, &self.config);
            Rendered {
                json: Bytes::from(document.to_string()),
                page: Bytes::from(page::render(&document)),
                page_policy: page::content_security_policy(),
            }
        })
    }
}
