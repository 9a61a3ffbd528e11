//! The guides for integrators: the Markdown files in `docs/`, rendered as HTML. Pure, without I/O.

mod render;

/// A guide.
#[derive(Debug)]
pub struct Guide {
    /// The name in its path, which is also the name of its file in `docs/`.
    pub name: &'static str,
    /// What the list of guides calls it.
    pub title: &'static str,
    markdown: &'static str,
}

/// All guides, in the order in which an integrator needs them.
pub const GUIDES: [Guide; 7] = [
    Guide {
        name: "query",
        title: "Ask for a chain",
        markdown: include_str!("../../../docs/query.md"),
    },
    Guide {
        name: "addresses",
        title: "Ask by address",
        markdown: include_str!("../../../docs/addresses.md"),
    },
    Guide {
        name: "webhooks",
        title: "Receive events",
        markdown: include_str!("../../../docs/webhooks.md"),
    },
    Guide {
        name: "agents",
        title: "Record listings and chains",
        markdown: include_str!("../../../docs/agents.md"),
    },
    Guide {
        name: "clients",
        title: "Tokens, keys and certificates",
        markdown: include_str!("../../../docs/clients.md"),
    },
    Guide {
        name: "errors",
        title: "Errors",
        markdown: include_str!("../../../docs/errors.md"),
    },
    Guide {
        name: "versions",
        title: "What may change",
        markdown: include_str!("../../../docs/versions.md"),
    },
];

impl Guide {
    /// The guide with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        GUIDES.iter().find(|guide| guide.name == name)
    }

    /// The guide as HTML elements. Links to other guides are relative to the guide's own path. A link
    /// to a file that is not a guide becomes its text, because no address serves that file.
    pub fn html(&self) -> String {
        render::html(self.markdown)
    }
}

#[cfg(test)]
mod tests;
