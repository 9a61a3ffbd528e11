//! The six addresses that the program serves, each with a socket of its own.

use chain::words;

words! {
    /// One of the six addresses, by its name in logs and metrics.
    pub enum Listener {
        /// Chain query and webhook management. Requests a client certificate.
        Base = "base",
        /// Token endpoint, introspection and revocation. Requests a client certificate.
        Auth = "auth",
        /// Key set and directory.
        Directory = "directory",
        /// Listing and chain management. Requests a client certificate, because bound tokens are valid
        /// here too (S-24).
        Listing = "listing",
        /// Health and metrics, for the operator.
        Ops = "ops",
        /// The console, for people. Never requests a client certificate. Off unless `console_url` is set.
        Console = "console",
    }
}
