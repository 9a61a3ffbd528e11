//! Renders the OpenAPI document as a plain HTML page. The page has no scripts and loads nothing
//! from elsewhere.

use serde_json::{Map, Value};
use signing::canonical;

use self::html::Html;

mod answers;
mod html;
mod operation;
mod schema;

const STYLE: &str = include_str!("page/style.css");

/// Renders the complete page.
pub(super) fn render(document: &Value) -> String {
    let mut page = Html::default();
    page.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.element("title", text(&document["info"]["title"]));
    page.raw("<style>").raw(STYLE).raw("</style></head><body>");
    head(&mut page, document);
    contents(&mut page, document);
    for tag in tags(document) {
        page.raw("<section>");
        page.element("h2", text(&tag["name"]));
        page.prose(text(&tag["description"]));
        for (path, method, operation) in operations(document, tag) {
            operation::render(&mut page, document, path, method, operation);
        }
        page.raw("</section>");
    }
    schemas(&mut page, document);
    page.raw("</body></html>\n");
    page.into_string()
}

/// The policy under which the page may use its own style sheet and nothing else.
pub(super) fn content_security_policy() -> String {
    use base64::Engine as _;
    let digest = canonical::digest(STYLE.as_bytes());
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

fn head(page: &mut Html, document: &Value) {
    let info = &document["info"];
    page.element("h1", text(&info["title"]));
    page.raw("<p><small>Version ").text(text(&info["version"]));
    page.raw(" · <a href=\"openapi.json\">OpenAPI document</a></small></p>");
    for server in list(&document["servers"]) {
        page.raw("<p>Address: ")
            .code(text(&server["url"]))
            .raw("</p>");
    }
    page.prose(text(&info["description"]));
    let schemes = members(&document["components"]["securitySchemes"]);
    if schemes.clone().next().is_none() {
        return;
    }
    page.element("h2", "Authentication");
    for (name, scheme) in schemes {
        page.raw("<h3>").code(name).raw("</h3>");
        page.prose(text(&scheme["description"]));
        for (_kind, flow) in members(&scheme["flows"]) {
            page.raw("<p>Token endpoint: ");
            page.code(text(&flow["tokenUrl"])).raw(". Scopes:</p><ul>");
            for (scope, meaning) in members(&flow["scopes"]) {
                page.raw("<li>")
                    .code(scope)
                    .raw(" ")
                    .text(text(meaning))
                    .raw("</li>");
            }
            page.raw("</ul>");
        }
    }
}

fn contents(page: &mut Html, document: &Value) {
    page.element("h2", "Contents");
    page.raw("<nav>");
    for tag in tags(document) {
        page.element("h3", text(&tag["name"]));
        page.raw("<ul>");
        for (path, method, operation) in operations(document, tag) {
            page.raw("<li><a href=\"#")
                .text(&anchor(operation))
                .raw("\">");
            page.method_and_path(method, path).raw("</a> ");
            page.inline(text(&operation["summary"])).raw("</li>");
        }
        page.raw("</ul>");
    }
    page.raw("</nav>");
}

fn schemas(page: &mut Html, document: &Value) {
    page.raw("<section>").element("h2", "Schemas");
    for (name, described) in members(&document["components"]["schemas"]) {
        page.raw("<details open><summary>")
            .code(name)
            .raw("</summary>");
        page.raw("<div id=\"schema-").text(name).raw("\">");
        schema::render(page, document, described);
        page.raw("</div></details>");
    }
    page.raw("</section>");
}

/// The document's tags that have operations.
fn tags(document: &Value) -> impl Iterator<Item = &Value> {
    let tags = list(&document["tags"]).iter();
    tags.filter(|tag| operations(document, tag).next().is_some())
}

/// The operations of a tag: path, method, operation. HEAD is left out, because it is GET without
/// a body.
fn operations<'a>(
    document: &'a Value,
    tag: &'a Value,
) -> impl Iterator<Item = (&'a str, &'a str, &'a Value)> {
    let all = members(&document["paths"]).flat_map(|(path, item)| {
        members(item).map(move |(method, operation)| (path, method, operation))
    });
    all.filter(|(_, method, operation)| {
        *method != "head" && list(&operation["tags"]).contains(&tag["name"])
    })
}

/// The HTML id of an operation.
fn anchor(operation: &Value) -> String {
    format!("operation-{}", text(&operation["operationId"]))
}

/// Follows a reference. Other values are returned unchanged.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let reference = value.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(value, |pointer| document.pointer(pointer).unwrap_or(value))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> + Clone {
    let members = value.as_object().into_iter().flat_map(Map::iter);
    members.map(|(name, value)| (name.as_str(), value))
}
