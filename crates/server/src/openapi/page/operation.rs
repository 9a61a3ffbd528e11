//! Renders one operation: security, parameters, request body and answers.

use serde_json::Value;

use super::html::Html;
use super::{anchor, answers, curl, list, members, resolve, schema, text};

/// Renders an operation, collapsed to its method, path and summary.
pub(super) fn render(
    page: &mut Html,
    document: &Value,
    path: &str,
    method: &str,
    operation: &Value,
) {
    page.raw("<details class=\"operation\"><summary>")
        .method_and_path(method, path);
    page.raw(" ")
        .inline(text(&operation["summary"]))
        .raw("</summary>");
    page.raw("<div id=\"").text(&anchor(operation)).raw("\">");
    page.prose(text(&operation["description"]));
    security(page, document, operation);
    page.raw("<pre class=\"shell\">");
    page.text(&curl::line(document, path, method, operation));
    page.raw("</pre>");
    parameters(page, document, operation);
    request_body(page, document, operation);
    page.element("h3", "Answers");
    for (status, response) in members(&operation["responses"]) {
        answers::render(page, document, status, resolve(document, response));
    }
    page.raw("</div></details>");
}

fn security(page: &mut Html, document: &Value, operation: &Value) {
    let own = operation.get("security");
    let ways = list(own.unwrap_or(&document["security"]));
    if ways.is_empty() {
        return;
    }
    page.raw("<p>Needs ");
    for (index, way) in ways.iter().enumerate() {
        if index > 0 {
            page.raw(", or ");
        }
        if members(way).next().is_none() {
            page.raw("nothing");
        }
        for (index, (name, scopes)) in members(way).enumerate() {
            if index > 0 {
                page.raw(" and ");
            }
            page.code(name);
            for scope in list(scopes) {
                page.raw(" with the scope ").code(text(scope));
            }
        }
    }
    page.raw(".</p>");
}

fn parameters(page: &mut Html, document: &Value, operation: &Value) {
    let parameters = list(&operation["parameters"]);
    if parameters.is_empty() {
        return;
    }
    page.element("h3", "Parameters");
    page.raw("<table><tbody>");
    for parameter in parameters {
        let parameter = resolve(document, parameter);
        page.raw("<tr><td>").code(text(&parameter["name"]));
        page.raw("<br><small>").text(text(&parameter["in"]));
        if parameter["required"] == true {
            page.raw(", required");
        }
        page.raw("</small></td><td>");
        schema::kind(page, document, &parameter["schema"]);
        page.raw("</td><td>").prose(text(&parameter["description"]));
        schema::bounds(page, &parameter["schema"]);
        page.raw("</td></tr>");
    }
    page.raw("</tbody></table>");
}

fn request_body(page: &mut Html, document: &Value, operation: &Value) {
    let body = resolve(document, &operation["requestBody"]);
    let mut shown: Option<&Value> = None;
    for (content_type, content) in members(&body["content"]) {
        if shown.is_none() {
            page.element("h3", "Body").prose(text(&body["description"]));
        }
        page.raw("<p>").code(content_type);
        // A form that is accepted in two encodings is described once.
        if shown == Some(&content["schema"]) {
            page.raw(", the same fields</p>");
        } else {
            page.raw("</p>");
            schema::render(page, document, resolve(document, &content["schema"]));
        }
        shown = Some(&content["schema"]);
    }
}
