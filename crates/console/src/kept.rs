//! The page that keeps a form which nobody could accept: the session has ended, or the person sends too much.

use askama::Template;

use crate::frame::{Frame, Section};

/// A form that can be sent again as it was.
#[derive(Debug, Clone, Template)]
#[template(path = "kept.html", whitespace = "minimize")]
pub struct KeptPage {
    /// The frame.
    pub frame: Frame,
    /// The path to which the form was sent.
    pub action: String,
    /// Why it was not accepted.
    pub reason: KeptFor,
    /// All fields of the form.
    pub fields: Vec<KeptField>,
}

/// Why a form was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptFor {
    /// The session has ended.
    SignIn,
    /// The person has to wait so many seconds.
    Wait(u64),
}

/// A field of a kept form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptField {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl KeptPage {
    fn title(&self) -> &'static str {
        match self.reason {
            KeptFor::SignIn => "Your session has ended",
            KeptFor::Wait(_) => "Too many requests",
        }
    }

    /// The values that somebody typed, with the words for their fields.
    fn typed(&self) -> Vec<(String, &str)> {
        let fields = self.fields.iter();
        let typed = fields.filter(|field| field.is_typed() && !field.is_text());
        typed
            .map(|field| {
                (
                    crate::words::capitalised(&field.name.replace('_', " ")),
                    field.value.as_str(),
                )
            })
            .collect()
    }
}

impl KeptField {
    /// Whether it is the text of a note, which can be read and changed on the page.
    fn is_text(&self) -> bool {
        self.name == "text"
    }

    /// Whether a person chose the value.
    fn is_typed(&self) -> bool {
        let is_of_page = matches!(
            self.name.as_str(),
            "idempotency_key" | "seen" | "filter" | "from" | "side" | "other" | "sure"
        );
        !is_of_page && !self.value.is_empty()
    }
}
