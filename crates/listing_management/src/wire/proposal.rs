//! The resource of a proposed link.

use chain::link::Side;
use serde::Serialize;
use storage::proposals::StoredProposal;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;
use web::schema::one_of_texts;

const SIDES: [Side; 2] = [Side::Seller, Side::Buyer];

/// A link that one branch has proposed and the other one has not confirmed.
// S-47
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LinkProposal)]
pub struct ProposalResource {
    #[schema(minimum = 1)]
    id: i64,
    #[schema(pattern = "^link_proposal$")]
    r#type: &'static str,
    attributes: ProposalAttributes,
}

/// Attributes of a proposed link.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LinkProposalAttributes)]
pub(crate) struct ProposalAttributes {
    /// The listing that would be bought.
    #[schema(minimum = 1)]
    seller: i64,
    /// The listing of the person who would buy `seller`.
    #[schema(minimum = 1)]
    buyer: i64,
    /// The side that proposed the link; the branch of the other side confirms it.
    #[schema(schema_with = describe_sides)]
    proposed_by: &'static str,
    /// Unix seconds.
    created_at: i64,
    /// Unix seconds.
    expires_at: i64,
}

fn describe_sides() -> Object {
    one_of_texts(SIDES.map(Side::as_str)).build()
}

impl From<&StoredProposal> for ProposalResource {
    fn from(proposal: &StoredProposal) -> Self {
        let attributes = ProposalAttributes {
            seller: proposal.link.seller.0,
            buyer: proposal.link.buyer.0,
            proposed_by: proposal.side.as_str(),
            created_at: proposal.created_at,
            expires_at: proposal.expires_at,
        };
        Self {
            id: proposal.id,
            r#type: "link_proposal",
            attributes,
        }
    }
}
