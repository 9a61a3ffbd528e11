//! Compares the answer to an operation with the model.

use serde_json::json;

use super::operation::Operation;
use super::rules::{Asker, Done, Refusal};
use super::run::{Caller, Run};
use crate::test_server::{Answer, simple_success};

impl Run<'_> {
    pub(super) fn check_stranger(caller: Caller, answer: &Answer) {
        let expected = match caller {
            Caller::Lender => (403, "insufficient_scope"),
            Caller::WithoutToken => (401, "token_missing"),
            Caller::WithWrongToken => (401, "token_invalid"),
            Caller::Agent(_) => panic!("{caller:?}"),
        };
        let (status, code) = answer.refusal();
        assert_eq!((status, code.as_str()), expected);
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
    }

    pub(super) fn check_refusal(
        &self,
        operation: &Operation,
        refusals: &[Refusal],
        answer: &Answer,
    ) {
        assert!(answer.status >= 400, "it had to be refused: {refusals:?}");
        let (status, code) = answer.refusal();
        assert!(
            refusals.contains(&(status, code.as_str())),
            "{status} {code} is none of {refusals:?}"
        );
        let body = answer.json();
        let message = body["message"].as_str().unwrap();
        if let Operation::Link(seller, buyer) = operation {
            let says = |text: String| assert!(message.contains(&text), "{message}");
            let side = |side: &str, id: i64| says(format!("{side} listing {id}"));
            match code.as_str() {
                "buyer_has_seller" => says(format!("buyer listing {buyer} already has a seller")),
                "seller_has_buyer" => says(format!("seller listing {seller} already has a buyer")),
                "listing_unknown" if self.model.live(*seller).is_none() => side("seller", *seller),
                "listing_unknown" => side("buyer", *buyer),
                "same_chain" | "not_your_branch" => {
                    side("seller", *seller);
                    side("buyer", *buyer);
                }
                _ => {}
            }
        }
        // No message shows a chain's id to a caller who did not send it.
        if !matches!(operation, Operation::Mark { .. }) {
            let mut chains = self.model.chains_seen.iter();
            let is_shown = chains.any(|chain| message.contains(chain.as_str()));
            assert!(!is_shown, "{message}");
        }
    }

    /// Takes ids and times that the server chooses from a success.
    pub(super) fn check_success(
        &mut self,
        asker: &Asker,
        operation: &Operation,
        done: Done,
        answer: &Answer,
    ) {
        let body = answer.json();
        let status = match (&done.created, done.proposed) {
            (Some(_), _) => 201,
            (None, Some(_)) => 202,
            (None, None) => 200,
        };
        assert_eq!(answer.status, status, "it had to be done: {body}");
        if let Some(created) = done.created {
            let id = body["data"]["id"].as_i64().unwrap();
            assert_eq!(answer.header("location"), format!("/api/v1/listing/{id}"));
            self.model.take_in(asker, *created, id);
            self.histories_before.insert(id, 0);
        }
        if let Operation::Record(listing, key, _) = operation {
            let now = self.model.now;
            let milestones = &mut self.model.listing_mut(*listing).milestones;
            let recorded = milestones.get_mut(key.as_str()).unwrap();
            if recorded.id.is_none() {
                recorded.id = body["data"]["id"].as_str().map(str::to_owned);
                recorded.created_at = body["data"]["attributes"]["created_at"].as_i64();
                assert!(recorded.created_at.is_some_and(|at| at <= now));
            }
        }
    }

    /// Reads the ids of chains that began, which must be new.
    pub(super) async fn learn_chains(&mut self) {
        while let Some(id) = self.model.find_chain("") {
            let path = format!("/listing/{id}");
            let answer = self.agents[self.owner(id)].get(&path).await;
            let body = answer.json();
            let chain = body["data"]["attributes"]["chain_link_id"].as_str();
            let chain = chain.unwrap();
            assert!(uuid::Uuid::parse_str(chain).is_ok(), "{chain}");
            let is_new = self.model.chains_seen.insert(chain.to_owned());
            assert!(is_new, "{chain} came again");
            for member in self.model.members(id) {
                assert_eq!(self.model.listing(member).chain, "", "of {member}");
                chain.clone_into(&mut self.model.listing_mut(member).chain);
            }
        }
    }

    /// Takes the id of a new proposal, which no other one had.
    pub(super) fn check_proposed(&mut self, link: (i64, i64), answer: &Answer) {
        let body = answer.json();
        let id = body["data"]["id"].as_i64();
        let proposals = &mut self.model.proposals;
        let last = proposals.iter().filter_map(|one| one.id).max();
        let proposed = proposals.iter_mut().find(|one| one.link == link).unwrap();
        if proposed.id.is_none() {
            assert!(id > last, "{body}");
            proposed.id = id;
        }
        assert_eq!(body, json!({"data": proposed.resource()}));
    }

    pub(super) fn check_success_body(&self, operation: &Operation, answer: &Answer) {
        let expected = if let Operation::Link(seller, buyer) = operation {
            json!({"data": self.model.listing_resources(&[*buyer, *seller])})
        } else if let Operation::Record(listing, key, _) = operation {
            json!({"data": self.model.milestone(*listing, key)})
        } else if let Operation::Lock(listing, _) | Operation::Price(listing, _) = operation {
            self.model.envelope(*listing, &[])
        } else if matches!(operation, Operation::Create(_)) {
            self.model.envelope(answer.listing(), &[])
        } else {
            simple_success()
        };
        assert_eq!(answer.json(), expected);
    }
}
