//! Colours text on a terminal and leaves it plain elsewhere.

use std::io::IsTerminal;

/// Adds terminal colours to text, or leaves it plain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    colour: bool,
}

impl Paint {
    /// Uses colours if standard output is a terminal that supports them and `NO_COLOR` is unset or
    /// empty (no-color.org).
    pub(crate) fn detect() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self {
            colour: !refused && !dumb && std::io::stdout().is_terminal(),
        }
    }

    /// Never uses colours.
    pub(crate) fn plain() -> Self {
        Self { colour: false }
    }

    /// Always uses colours.
    #[cfg(test)]
    pub(crate) fn coloured() -> Self {
        Self { colour: true }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// White on red, for a text that every reader must notice.
    pub(crate) fn alarm(self, text: &str) -> String {
        self.wrap("1;97;41", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
