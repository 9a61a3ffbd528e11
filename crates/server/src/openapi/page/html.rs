//! An HTML writer that escapes every text.

use guides::Guide;

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct Html {
    written: String,
}

impl Html {
    /// Appends markup unchanged. Only literals of this program are allowed.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.written.push_str(markup);
        self
    }

    /// Appends the rendered markup of a guide.
    pub(super) fn guide(&mut self, guide: &Guide) -> &mut Self {
        self.written.push_str(&guide.html());
        self
    }

    /// Appends a text, escaped for use between tags and in quoted attributes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            match character {
                '&' => self.written.push_str("&amp;"),
                '<' => self.written.push_str("&lt;"),
                '>' => self.written.push_str("&gt;"),
                '"' => self.written.push_str("&quot;"),
                '\'' => self.written.push_str("&#39;"),
                other => self.written.push(other),
            }
        }
        self
    }

    /// Appends a text in an element.
    pub(super) fn element(&mut self, tag: &'static str, text: &str) -> &mut Self {
        self.raw("<").raw(tag).raw(">").text(text);
        self.raw("</").raw(tag).raw(">")
    }

    /// Appends a text in the fixed-width font.
    pub(super) fn code(&mut self, text: &str) -> &mut Self {
        self.element("code", text)
    }

    /// Appends several lines in the fixed-width font.
    pub(super) fn lines(&mut self, text: &str) -> &mut Self {
        self.element("pre", text)
    }

    /// Appends a method and a path, such as `GET /path`.
    pub(super) fn method_and_path(&mut self, method: &str, path: &str) -> &mut Self {
        self.raw("<span class=\"method\">")
            .text(&method.to_uppercase());
        self.raw("</span> ").code(path)
    }

    /// Appends one paragraph of a description. Text between backticks is shown as code.
    pub(super) fn inline(&mut self, description: &str) -> &mut Self {
        for (index, part) in description.split('`').enumerate() {
            if index % 2 == 1 {
                self.code(part);
            } else {
                self.text(part);
            }
        }
        self
    }

    /// Appends a description. Empty lines separate its paragraphs.
    pub(super) fn prose(&mut self, description: &str) -> &mut Self {
        let paragraphs = description.split("\n\n").map(str::trim);
        for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
            self.raw("<p>").inline(paragraph).raw("</p>");
        }
        self
    }

    /// The finished markup.
    pub(super) fn into_string(self) -> String {
        self.written
    }
}
