//! Renders the OpenAPI document as an HTML page. The page has one script of its own, shows everything
//! without it, and loads nothing from elsewhere.

use guides::{GUIDES, Guide};
use serde_json::{Map, Value};
use signing::canonical;

use self::html::Html;

mod answers;
mod curl;
mod html;
mod operation;
mod schema;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// The page of another address of the service.
#[derive(Debug)]
pub(super) struct OtherPage {
    pub(super) title: &'static str,
    pub(super) url: String,
}

/// Renders the complete page.
pub(super) fn render(document: &Value, others: &[OtherPage]) -> String {
    let mut page = begin(text(&document["info"]["title"]));
    page.raw("<nav class=\"contents\">");
    operations_list(&mut page, document);
    page_lists(&mut page, "docs/", others);
    page.raw("</nav><main>");
    head(&mut page, document);
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
    end(page)
}

/// Renders the page of a guide.
pub(super) fn render_guide(guide: &Guide, reference: &str, others: &[OtherPage]) -> String {
    let mut page = begin(guide.title);
    page.raw("<nav class=\"contents\">");
    page.element("h2", "Reference").raw("<ul>");
    page_link(&mut page, reference, "../docs");
    page.raw("</ul>");
    page_lists(&mut page, "", others);
    page.raw("</nav><main class=\"guide\">").guide(guide);
    end(page)
}

fn begin(title: &str) -> Html {
    let mut page = Html::default();
    page.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.element("title", title);
    page.raw("<style>").raw(STYLE).raw("</style></head><body>");
    page
}

fn end(mut page: Html) -> String {
    page.raw("</main><script>")
        .raw(SCRIPT)
        .raw("</script></body></html>\n");
    page.into_string()
}

/// The policy under which the page may use its own style sheet and script and nothing else.
pub(crate) fn content_security_policy() -> String {
    use base64::Engine as _;
    let [style, script] = [STYLE, SCRIPT].map(|text| {
        let digest = canonical::digest(text.as_bytes());
        base64::engine::general_purpose::STANDARD.encode(digest)
    });
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
    authentication(page, document);
}

fn authentication(page: &mut Html, document: &Value) {
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

/// The operations of this page in the side bar.
fn operations_list(page: &mut Html, document: &Value) {
    for tag in tags(document) {
        page.element("h2", text(&tag["name"]));
        page.raw("<ul>");
        for (path, method, operation) in operations(document, tag) {
            page.raw("<li><a href=\"#")
                .text(&anchor(operation))
                .raw("\">");
            page.method_and_path(method, path).raw("</a></li>");
        }
        page.raw("</ul>");
    }
}

/// The guides and the pages of the other addresses in the side bar. `folder` leads from the page to
/// the guides.
fn page_lists(page: &mut Html, folder: &str, others: &[OtherPage]) {
    page.element("h2", "Guides").raw("<ul>");
    for guide in &GUIDES {
        page_link(page, guide.title, &format!("{folder}{}", guide.name));
    }
    page.raw("</ul>")
        .element("h2", "Other addresses")
        .raw("<ul>");
    for other in others {
        page_link(page, other.title, &other.url);
    }
    page.raw("</ul>");
}

fn page_link(page: &mut Html, title: &str, url: &str) {
    page.raw("<li><a href=\"").text(url).raw("\">");
    page.text(title).raw("</a></li>");
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

/// The operations of a tag: path, method, operation.
fn operations<'a>(
    document: &'a Value,
    tag: &'a Value,
) -> impl Iterator<Item = (&'a str, &'a str, &'a Value)> {
    let all = members(&document["paths"]).flat_map(|(path, item)| {
        members(item).map(move |(method, operation)| (path, method, operation))
    });
    all.filter(|(_, _, operation)| list(&operation["tags"]).contains(&tag["name"]))
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
