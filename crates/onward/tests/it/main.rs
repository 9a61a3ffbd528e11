//! Tests over real TLS and HTTP, on both engines.
//!
//! One binary, so that it links once. The tests of a route are in the file of
//! the route's name under `routes/`.

/// Compares with an inline snapshot. The two runs of a test share it, which `insta` takes for a
/// loop.
macro_rules! assert_shown {
    ($shown:expr, @$snapshot:literal) => {
        let shown = $shown;
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown, @$snapshot);
        }
    };
}

#[cfg(test)]
mod accesses;
#[cfg(test)]
mod accounts;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod delivery;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod erasure;
#[cfg(test)]
mod forecasts;
#[cfg(test)]
mod framework;
#[cfg(test)]
mod holders;
#[cfg(test)]
mod import;
#[cfg(test)]
mod imported_keys;
#[cfg(test)]
mod management;
#[cfg(test)]
mod model;
#[cfg(test)]
mod person_limits;
#[cfg(test)]
mod published_keys;
#[cfg(test)]
mod query;
#[cfg(test)]
mod quotas;
#[cfg(test)]
mod random;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod state_log;
#[cfg(test)]
mod test_server;
#[cfg(test)]
mod tls;

/// Runs one test on SQLite and on PostgreSQL, each on a fresh store.
///
/// PostgreSQL is the one of `ONWARD_TEST_POSTGRES`, which `scripts/test` starts.
/// Without it the test runs on SQLite only, and says so; in CI it fails.
macro_rules! story {
    () => {};
    ($(#[$attribute:meta])* async fn $name:ident($server:ident) $body:block) => {
        mod $name {
            use super::*;

            // A test that needs nothing else of its file needs this.
            story! {}

            async fn run(mut $server: crate::test_server::TestServer) {
                let _unused_in_some = &mut $server;
                $body
                $server.end().await;
            }

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                run(crate::test_server::TestServer::on_sqlite().await).await;
            }

            $(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                if let Some(server) = crate::test_server::TestServer::on_postgres().await {
                    run(server).await;
                }
            }
        }
    };
}
pub(crate) use story;

/// Runs one test on SQLite alone, because nothing in it depends on SQL: it is about connections, the
/// server refuses the request before it looks into the store, or the answer is made of settings.
macro_rules! sqlite_story {
    ($(#[$attribute:meta])* async fn $name:ident($server:ident) $body:block) => {
        $(#[$attribute])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            let mut $server = crate::test_server::TestServer::on_sqlite().await;
            let _unused_in_some = &mut $server;
            $body
            $server.end().await;
        }
    };
}
pub(crate) use sqlite_story;
