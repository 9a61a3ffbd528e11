//! Document 2 against a model of it: random operations by all kinds of callers, and after each of
//! them document 2's views, document 1's view and the outbox compared with what a plain model in
//! memory says. The model is written from the specification and knows nothing of crate `chain`.
//!
//! `ONWARD_MODEL_SEED` chooses other operations, `ONWARD_MODEL_STEPS` makes the run longer or shorter.

mod answers;
pub(crate) mod catalogue;
mod chain_changes;
mod checks;
mod choice;
mod current;
mod fixture;
mod listings;
mod operation;
mod proposals;
mod recording;
mod rules;
mod run;
mod standard;
mod state;
mod views;

use chain::consent::ForeignLinks;
use server::config::Config;

use self::run::Run;
pub(crate) use self::standard::no_milestones;
use crate::story;
use crate::test_server::TestServer;

/// The same operations in each run, unless a run is asked for others.
const SEED: u64 = 1;
/// Operations of one run.
const STEPS: u64 = 300;
/// After so many operations everything is read at once.
const STEPS_BETWEEN_SWEEPS: u64 = 100;

/// A number from the environment.
pub(crate) fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
    )
}

async fn run_operations(server: &TestServer) {
    let seed = setting("ONWARD_MODEL_SEED").unwrap_or(SEED);
    let steps = setting("ONWARD_MODEL_STEPS").unwrap_or(STEPS);
    println!("ONWARD_MODEL_SEED={seed} ONWARD_MODEL_STEPS={steps}");
    let mut run = Run::begin(server, seed).await;
    for step in 1..=steps {
        run.step().await;
        if step % STEPS_BETWEEN_SWEEPS == 0 || step == steps {
            run.check_everything().await;
        }
    }
}

story! {
    async fn random_operations_agree_with_the_model(server) {
        server = server.reconfigure(|config| config.offer_idle_days = 1).await;
        run_operations(&server).await;
    }
}

story! {
    async fn random_operations_agree_with_the_model_where_links_are_confirmed(server) {
        let change = |config: &mut Config| {
            config.offer_idle_days = 1;
            config.foreign_links = ForeignLinks::Confirmed;
        };
        server = server.reconfigure(change).await;
        run_operations(&server).await;
    }
}
