//! How a client asks for chains, and the shape of an answer.

use http::Method;
use reqwest::RequestBuilder;
use serde_json::json;

use super::rows::Rows;
pub(crate) use crate::test_server::send as read;
use crate::test_server::{Answer, Client, TestServer};

/// Where the query is.
pub(crate) const PATH: &str = "/api/v1/standard/chains";

/// The content type of most tests' questions.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

impl TestServer {
    /// Puts these properties on sale, and registers a lender.
    pub(crate) async fn lender_with_sales(&self, uprns: impl IntoIterator<Item = u64>) -> Client {
        self.import(Rows::new().sales(uprns).lines()).await;
        self.lender().await
    }
}

impl Client {
    /// Asks with these fields.
    pub(crate) async fn ask(&self, form: &[(&str, &str)]) -> Answer {
        self.ask_at("", form).await
    }

    /// Asks with these fields and this query string.
    pub(crate) async fn ask_at(&self, query: &str, form: &[(&str, &str)]) -> Answer {
        read(self.question(query).form(form)).await
    }

    /// Asks for properties by number, all on one page.
    pub(crate) async fn ask_uprns(&self, uprns: &[impl ToString]) -> Answer {
        let texts: Vec<String> = uprns.iter().map(ToString::to_string).collect();
        self.ask_values("uprn", &texts).await
    }

    /// Asks for these values of one kind, all on one page.
    pub(crate) async fn ask_values(&self, kind: &str, values: &[String]) -> Answer {
        let mut form = vec![("inputType", kind), ("rows", "100")];
        form.extend(values.iter().map(|value| ("value[]", value.as_str())));
        self.ask(&form).await
    }

    /// Asks for one address.
    pub(crate) async fn ask_address(&self, address: &str) -> Answer {
        self.ask(&[("inputType", "address"), ("value[]", address)])
            .await
    }

    /// Sends any body.
    pub(crate) async fn send(&self, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.question("").header("content-type", content_type);
        read(request.body(body)).await
    }

    /// Sends the text of a URL-encoded form.
    pub(crate) async fn send_form(&self, body: &str) -> Answer {
        self.send(FORM, body.to_owned()).await
    }

    /// Sends a multipart form of these fields.
    pub(crate) async fn send_multipart(&self, fields: &[(&str, &str)]) -> Answer {
        self.send("multipart/form-data; boundary=seam", multipart(fields))
            .await
    }

    /// A query with the token, without a body yet.
    pub(crate) fn question(&self, query: &str) -> RequestBuilder {
        self.bare_question(&Method::POST, query)
            .bearer_auth(&self.token)
    }

    /// A request without any token.
    pub(crate) fn bare_question(&self, method: &Method, query: &str) -> RequestBuilder {
        self.at_base(method, &format!("{PATH}{query}"))
    }

    /// A request without any token to a path of the base address.
    pub(crate) fn at_base(&self, method: &Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.node.base);
        self.registration.http.request(method.clone(), url)
    }
}

/// A multipart body with the boundary `seam`.
pub(crate) fn multipart(fields: &[(&str, &str)]) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        body += "--seam\r\nContent-Disposition: form-data; name=\"";
        body += name;
        body += "\"\r\n\r\n";
        body += value;
        body += "\r\n";
    }
    body + "--seam--\r\n"
}

/// Status, header fields that matter, and body. The request's id is taken out after it was
/// compared with the header field.
pub(crate) fn show(answer: &Answer) -> String {
    let id = answer.header("x-request-id");
    assert_eq!(id.len(), 36, "{id}");
    let mut text = format!("{}\n", answer.status);
    for name in [
        "content-type",
        "cache-control",
        "www-authenticate",
        "retry-after",
        "allow",
        "accept",
    ] {
        for value in answer.headers.get_all(name) {
            text += &[name, ": ", value.to_str().unwrap(), "\n"].concat();
        }
    }
    let mut body = answer.json();
    assert_eq!(body["requestId"], id);
    body["requestId"] = json!("…");
    text + &serde_json::to_string_pretty(&body).unwrap()
}
