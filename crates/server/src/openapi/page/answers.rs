//! Renders one answer of an operation: header fields, body and examples.

use serde_json::Value;

use super::html::Html;
use super::{members, resolve, schema, text};

/// Renders an answer, collapsed to its status and description.
pub(super) fn render(page: &mut Html, document: &Value, status: &str, response: &Value) {
    page.raw("<details><summary><span class=\"status\">")
        .text(status);
    page.raw("</span> ")
        .inline(text(&response["description"]))
        .raw("</summary>");
    for (content_type, content) in members(&response["content"]) {
        page.raw("<p>").code(content_type).raw(": ");
        schema::kind(page, document, &content["schema"]);
        page.raw("</p>");
        for (_name, example) in members(&content["examples"]) {
            let example = resolve(document, example);
            page.raw("<p><small>Example: ")
                .inline(text(&example["summary"]))
                .raw("</small></p>");
            let shown = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
            page.lines(&shown);
        }
    }
    headers(page, document, response);
    page.raw("</details>");
}

fn headers(page: &mut Html, document: &Value, response: &Value) {
    page.raw("<p><small>Header fields</small></p><table><tbody>");
    for (name, header) in members(&response["headers"]) {
        let header = resolve(document, header);
        page.raw("<tr><td>").code(name).raw("</td><td>");
        schema::kind(page, document, &header["schema"]);
        page.raw("</td><td>")
            .prose(text(&header["description"]))
            .raw("</td></tr>");
    }
    page.raw("</tbody></table>");
}
