//! The six addresses that the program serves, each with a socket of its own.

/// One of the six addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// Chain query and webhook management. Requests a client certificate.
    Base,
    /// Token endpoint, introspection and revocation. Requests a client certificate.
    Auth,
    /// Key set and directory.
    Directory,
    /// Listing and chain management. Requests a client certificate, because bound tokens are valid
    /// here too (S-24).
    Listing,
    /// Health and metrics, for the operator.
    Ops,
    /// The console, for people. Never requests a client certificate. Off unless `console_url` is set.
    Console,
}

impl Listener {
    /// All listeners.
    pub const ALL: [Self; 6] = [
        Self::Base,
        Self::Auth,
        Self::Directory,
        Self::Listing,
        Self::Ops,
        Self::Console,
    ];

    /// Its name in logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Auth => "auth",
            Self::Directory => "directory",
            Self::Listing => "listing",
            Self::Ops => "ops",
            Self::Console => "console",
        }
    }
}
