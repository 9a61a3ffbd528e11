//! A client that asks for chains, and the shape of an answer.

use http::Method;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::rows::Rows;
pub(crate) use crate::world::send as read;
use crate::world::{Answer, At, TestClient, World};

/// Where the query is.
pub(crate) const PATH: &str = "/api/v1/standard/chains";

/// The content type of most stories' questions.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// A client with a token for the query.
pub(crate) struct Asker {
    pub(crate) client: TestClient,
    pub(crate) token: String,
    pub(crate) url: String,
}

impl Asker {
    /// A lender who may ask.
    pub(crate) async fn new(world: &World) -> Self {
        Self::named(world, "lender").await
    }

    /// A lender who may ask; these properties are on sale.
    pub(crate) async fn with_sales(world: &World, uprns: impl IntoIterator<Item = u64>) -> Self {
        world.import(Rows::new().sales(uprns).lines()).await;
        Self::new(world).await
    }

    /// Another one who may ask.
    pub(crate) async fn named(world: &World, name: &str) -> Self {
        let client = world.register(name, &["transaction-status"]).await;
        Self::of(world, client).await
    }

    /// A client that exists already.
    pub(crate) async fn of(world: &World, client: TestClient) -> Self {
        Self {
            token: world.token(&client, None).await,
            url: world.url(At::Base, PATH),
            client,
        }
    }

    /// The same client with a new token, once the clock has moved.
    pub(crate) async fn renewed(&self, world: &World) -> Self {
        Self::of(world, self.client.clone()).await
    }

    /// The same client after the server was started again.
    pub(crate) fn after_restart(&self, world: &World) -> Self {
        self.at(world, PATH)
    }

    /// The same client, asking at another path of the same address.
    pub(crate) fn at(&self, world: &World, path: &str) -> Self {
        Self {
            client: self.client.clone(),
            token: self.token.clone(),
            url: world.url(At::Base, path),
        }
    }

    /// Asks with these fields.
    pub(crate) async fn ask(&self, form: &[(&str, &str)]) -> Answer {
        self.ask_at("", form).await
    }

    /// Asks with these fields and this query string.
    pub(crate) async fn ask_at(&self, query: &str, form: &[(&str, &str)]) -> Answer {
        read(self.request(query).form(form)).await
    }

    /// Asks for properties by number, all on one page.
    pub(crate) async fn ask_uprns(&self, uprns: &[u64]) -> Answer {
        let texts: Vec<String> = uprns.iter().map(u64::to_string).collect();
        let mut form = vec![("inputType", "uprn"), ("rows", "100")];
        form.extend(texts.iter().map(|text| ("value[]", text.as_str())));
        self.ask(&form).await
    }

    /// The chain of a property, which must have one.
    pub(crate) async fn chain_of(&self, uprn: u64) -> Value {
        self.ask_uprns(&[uprn]).await.chains().remove(0)
    }

    /// Asks for one address.
    pub(crate) async fn ask_address(&self, address: &str) -> Answer {
        self.ask(&[("inputType", "address"), ("value[]", address)])
            .await
    }

    /// Sends any body.
    pub(crate) async fn send(&self, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.request("").header("content-type", content_type);
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
    pub(crate) fn request(&self, query: &str) -> RequestBuilder {
        self.request_as(&Method::POST, query)
            .bearer_auth(&self.token)
    }

    /// A request without any token.
    pub(crate) fn request_as(&self, method: &Method, query: &str) -> RequestBuilder {
        let url = format!("{}{query}", self.url);
        self.client.http.request(method.clone(), url)
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
        "x-fapi-interaction-id",
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
