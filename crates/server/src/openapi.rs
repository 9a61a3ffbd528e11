//! The description of each listener, as an OpenAPI 3.1 document and as an HTML page. Both are
//! generated from the handlers, wire types, limits and tables of refusals.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use guides::GUIDES;
use utoipa::openapi::OpenApi;
use web::listener::Listener;

use crate::config::Config;

mod examples;
mod finish;
mod headers;
mod listeners;
pub(crate) mod page;
mod shapes;
mod words;

/// The description of one listener. The first request renders it, so that it does not delay the
/// program's start.
#[derive(Debug)]
pub(crate) struct Description {
    listener: Listener,
    config: Arc<Config>,
    operations: OpenApi,
    rendered: OnceLock<Rendered>,
    guides: [OnceLock<Bytes>; GUIDES.len()],
}

/// A rendered description.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// The OpenAPI document.
    pub json: Bytes,
    /// The HTML page.
    pub page: Bytes,
}

impl Description {
    /// The description of the `operations` of `listener`, not yet rendered.
    pub(crate) fn new(listener: Listener, config: Arc<Config>, operations: OpenApi) -> Self {
        Self {
            listener,
            config,
            operations,
            rendered: OnceLock::new(),
            guides: Default::default(),
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
            Rendered {
                json: Bytes::from(document.to_string()),
                page: Bytes::from(page::render(&document, &self.other_pages())),
            }
        })
    }

    /// The page of the guide with this name, rendered at the first call.
    pub(crate) fn guide(&self, name: &str) -> Option<Bytes> {
        let index = GUIDES.iter().position(|guide| guide.name == name)?;
        let page = self.guides[index].get_or_init(|| {
            let guide = &GUIDES[index];
            Bytes::from(page::render_guide(guide, self.title(), &self.other_pages()))
        });
        Some(page.clone())
    }

    fn other_pages(&self) -> Vec<page::OtherPage> {
        listeners::other_pages(self.listener, &self.config)
    }
}
