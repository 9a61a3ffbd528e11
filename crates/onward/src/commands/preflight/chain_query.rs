//! A chain query and the signature of its answer.

use client::problem::{NOT_FOUND, Problem};
use client::{ChainInput, ChainQuery, Client, ClientError, ClientFiles, VerifiedAnswer, printable};

use super::refusal;
use super::report::{Advice, Check, Report, Who};

/// Asks for one property, and closes the steps `query` and `signature`. A service that does not list
/// the property passes the first. `has_keys` says whether the key set could be read.
pub(super) async fn check_query(
    client: &Client,
    uprn: u64,
    files: &ClientFiles,
    has_keys: bool,
    report: &mut Report<'_>,
) {
    let (mut query, mut signature) = (Check::new(), Check::new());
    let wish = ChainQuery {
        input: ChainInput::Uprns(vec![uprn]),
        rows: None,
        page: None,
        explain: false,
        as_of: None,
    };
    match client.query_chains(&wish).await {
        Ok(answer) => {
            query.note(describe(&answer, uprn));
            let kid = answer.kid();
            signature.note(format_args!(
                "the key {kid} of the key set signed the answer"
            ));
        }
        Err(ClientError::Refused(problem)) if problem.kind == NOT_FOUND => {
            query.note(format_args!(
                "the service answers that UPRN {uprn} is not on sale"
            ));
            signature =
                Check::skipped("this answer has none: pass --uprn with a property that is on sale");
        }
        Err(error @ ClientError::NotGenuine(_)) => {
            query.note("an answer came");
            let yours = "do not use the answer; check that --jwks-url and --base-url name the same \
                         service, and that no program changes its answers";
            let theirs = "publish the key that signs answers: `onward keys list --config FILE`";
            let advice = [Who::You.should(yours), Who::Operator.should(theirs)];
            signature.fail(error, advice);
        }
        Err(ClientError::KeySet(error)) => {
            query.note("an answer came");
            if has_keys {
                let advice = "run the command again: the key set was readable before";
                signature.fail(error, [Who::You.should(advice)]);
            }
        }
        Err(error) => {
            let advice = advise(&error, files);
            query.fail(error, advice);
        }
    }
    report.close("query", query);
    report.close("signature", signature);
}

fn describe(answer: &VerifiedAnswer, uprn: u64) -> String {
    match answer.page().data.first() {
        Some(chain) => {
            let length = chain.chain_summary.chain_length;
            let id = printable(&chain.chain_id);
            format!("UPRN {uprn} is in chain {id}, of length {length}")
        }
        None => format!("the answer for UPRN {uprn} has no chain"),
    }
}

fn advise(error: &ClientError, files: &ClientFiles) -> Vec<Advice> {
    match error {
        ClientError::Refused(problem) => advise_refused(problem, files),
        ClientError::RateLimited { .. } => {
            vec![Who::You.should("wait, and send requests less often")]
        }
        ClientError::Shape(_) => {
            vec![Who::You.should("use an `onward` that is as new as the service")]
        }
        ClientError::UnexpectedAnswer { .. } => {
            vec![Who::You.should("put the address of the chain query's host into --base-url")]
        }
        ClientError::File { .. }
        | ClientError::Sandbox { .. }
        | ClientError::UnknownClient { .. }
        | ClientError::Credential { .. }
        | ClientError::Unreachable { .. }
        | ClientError::Token(_)
        | ClientError::Webhook(_)
        | ClientError::KeySet(_)
        | ClientError::NotGenuine(_) => {
            vec![Who::You.should("check --base-url, and run the command again")]
        }
    }
}

fn advise_refused(problem: &Problem, files: &ClientFiles) -> Vec<Advice> {
    match problem.status {
        401 => vec![
            Who::You.should("check that --base-url and --auth-url name the same service"),
            Who::Operator.should(
                "if a proxy ends TLS before the chain query, let it pass the client's certificate on",
            ),
        ],
        403 => refusal::grant(files, client::sandbox::QUERY_SCOPE),
        404 => vec![
            Who::You.should("put the address of the chain query's host, without a path, into --base-url"),
            Who::Operator.should("let `path_segments` have the word `standard`"),
        ],
        500..=599 => vec![Who::Operator.should("read the log of the service for this request id")],
        _ => vec![Who::You.should("check that --base-url is the address of the chain query's host")],
    }
}
