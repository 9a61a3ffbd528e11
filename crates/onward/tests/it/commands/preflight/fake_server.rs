//! Servers of the tests: a certificate, and one answer to every request.

use std::future::ready;
use std::path::Path;

use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use rcgen::{CertificateParams, ExtendedKeyUsagePurpose};

use super::set_up::SetUp;
use crate::test_server::https;

/// The answer to every request.
#[derive(Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// The header field `Date`; empty: the right one.
    pub(super) date: &'static str,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn status(status: u16) -> Self {
        Self {
            status,
            date: "",
            body: String::new(),
        }
    }
}

/// Starts a server with a certificate of the sandbox's authority for this host; its address.
pub(super) async fn start(set_up: &SetUp, host: &str, reply: Reply) -> String {
    let mut params = CertificateParams::new([host.to_owned()]).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    set_up.issue("fake", params);
    start_with(Path::new(set_up.directory()), "fake", reply).await
}

/// Starts a server with the certificate of this name in a folder; its address.
pub(super) async fn start_with(folder: &Path, name: &str, reply: Reply) -> String {
    let acceptor = https::acceptor(folder, name);
    let (port, _task) = https::listen_tls(acceptor, move |stream| {
        let reply = reply.clone();
        https::serve(stream, move |_parts, _body| ready(answer(&reply)))
    })
    .await;
    format!("https://localhost:{port}")
}

fn answer(reply: &Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(reply.body.clone()));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap();
    if !reply.date.is_empty() {
        let date = HeaderValue::from_static(reply.date);
        response.headers_mut().insert(header::DATE, date);
    }
    response
}
