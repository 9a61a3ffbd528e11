//! The answer for one listing, with the included resources (S-48, S-49).

use std::collections::HashSet;

use chain::ids::{ChainId, ListingId};
use chain::state::Chain;
use chain::words;
use serde::Serialize;
use storage::listings::StoredListing;
use storage::milestones::StoredMilestone;
use utoipa::ToSchema;

use super::listing::{ListingResource, Relationships};
use super::milestone::MilestoneResource;
use super::{Id, Identifier, OneOrMany, Related, RelatedMany, RelatedOne};

words! {
    /// A value of the query parameter `includes`.
    pub(crate) enum Include {
        /// The listings that the listing's buyer sells.
        Buyer = "buyer",
        /// The listings that the listing's seller buys.
        Seller = "seller",
        /// The length and ends of the listing's chain, and its position there.
        ChainData = "chain_data",
        /// All listings of the chain.
        ChainedListings = "chained_listings",
        /// The listing's milestones.
        Milestones = "milestones",
    }
}

/// The rows that an answer is made of. Without includes, only `listing` is loaded.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The requested listing.
    pub listing: StoredListing,
    /// Its chain, and all listings of the chain in any order.
    pub chain: Option<(Chain, Vec<StoredListing>)>,
    /// Its milestones, in the order of the catalogue.
    pub milestones: Vec<StoredMilestone>,
}

/// A listing with its included resources. [`DescribedListing`] describes it.
#[derive(Debug, Serialize)]
pub(crate) struct ListingDocument {
    data: ListingResource,
    #[serde(skip_serializing_if = "Option::is_none")]
    included: Option<Included>,
}

/// A listing with its included resources. `included` is an array itself if the request includes
/// milestones, and an object with an array otherwise.
// Client generators fail for a member that is either an object or an array.
#[derive(Debug, ToSchema)]
#[serde(untagged)]
#[schema(as = ListingDocument)]
#[expect(dead_code, reason = "it describes `ListingDocument`")]
pub(crate) enum DescribedListing {
    Wrapped(ListingWithIncluded),
    Flat(ListingWithMilestones),
}

/// A listing. `included` is present if the request has `includes`.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes `ListingDocument`")]
pub(crate) struct ListingWithIncluded {
    data: ListingResource,
    #[schema(nullable = false)]
    included: Option<IncludedData>,
}

/// The included resources.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes `Included`")]
pub(crate) struct IncludedData {
    data: Vec<Resource>,
}

/// A listing, for a request that includes milestones.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes `ListingDocument`")]
pub(crate) struct ListingWithMilestones {
    data: ListingResource,
    included: Vec<Resource>,
}

/// The included resources: an object with `data`, or a plain array if the request includes
/// milestones.
// S-49
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Included {
    Wrapped { data: Vec<Resource> },
    Flat(Vec<Resource>),
}

/// An included resource, as its `type` says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = IncludedResource)]
enum Resource {
    Listing(Box<ListingResource>),
    ChainData(ChainDataResource),
    Milestone(MilestoneResource),
}

/// The position of a listing in its chain, and the state of the chain's ends.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainPosition)]
pub(crate) struct ChainDataResource {
    /// The chain's `chain_link_id`.
    #[schema(format = "uuid")]
    id: String,
    #[schema(pattern = "^chain_data$")]
    r#type: &'static str,
    attributes: ChainDataAttributes,
}

/// Attributes of chain data.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainPositionAttributes)]
pub(crate) struct ChainDataAttributes {
    /// Number of listings in the chain.
    #[schema(minimum = 1)]
    length: usize,
    /// Position of the listing, counted from 0 at the bottom.
    #[schema(minimum = 0)]
    position: usize,
    top_checked: bool,
    bottom_checked: bool,
}

impl Include {
    /// Parses a comma-separated list and drops repeated names. The error is the first unknown
    /// name.
    pub(crate) fn parse_list(text: &str) -> Result<Vec<Self>, &str> {
        let mut includes = Vec::new();
        let names = text.split(',').map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            let include = Self::parse(name).ok_or(name)?;
            if !includes.contains(&include) {
                includes.push(include);
            }
        }
        Ok(includes)
    }

    /// Whether the include needs the listing's chain.
    pub(crate) fn needs_chain(self) -> bool {
        self != Self::Milestones
    }
}

impl ListingDocument {
    /// Assembles the answer from the loaded rows.
    pub(crate) fn new(sources: &Sources, asked: &[Include]) -> Self {
        let is_flat = asked.contains(&Include::Milestones);
        let mut data = ListingResource::own(&sources.listing, is_flat);
        if asked.is_empty() {
            return Self {
                data,
                included: None,
            };
        }
        let mut assembly = Assembly {
            sources,
            is_flat,
            relationships: Relationships::default(),
            resources: Vec::new(),
            seen: HashSet::new(),
        };
        for include in asked {
            assembly.add(*include);
        }
        let relationships = assembly.relationships;
        data.relationships = (!relationships.is_empty()).then_some(relationships);
        let resources = assembly.resources;
        let included = Some(if is_flat {
            Included::Flat(resources)
        } else {
            Included::Wrapped { data: resources }
        });
        Self { data, included }
    }
}

/// An answer under construction.
struct Assembly<'a> {
    sources: &'a Sources,
    is_flat: bool,
    relationships: Relationships,
    resources: Vec<Resource>,
    /// Listings already included, by type.
    seen: HashSet<(&'static str, ListingId)>,
}

impl Assembly<'_> {
    fn add(&mut self, include: Include) {
        if include == Include::Milestones {
            self.add_milestones();
            return;
        }
        let Some((chain, listings)) = &self.sources.chain else {
            return;
        };
        let own = self.sources.listing.id;
        match include {
            Include::Buyer => {
                let related = self.add_listings(listings, chain.buyers_sales(own), "buyer");
                self.relationships.buyer = related;
            }
            Include::Seller => {
                let related = self.add_listings(listings, chain.onward_purchases(own), "seller");
                self.relationships.seller = related;
            }
            Include::ChainedListings => {
                let all = chain.listings();
                self.add_listings(listings, all, "chained_listing");
                let names = all.iter().map(|id| Identifier {
                    r#type: "chained_listing",
                    id: Id::of_listing(*id, self.is_flat),
                });
                self.relationships.chained_listings = Some(RelatedMany {
                    data: names.collect(),
                });
            }
            Include::ChainData => self.add_chain_data(chain),
            Include::Milestones => {}
        }
    }

    /// Adds listings of the chain in the order of `ids`. The requested listing keeps its own
    /// type.
    fn add_listings(
        &mut self,
        stored: &[StoredListing],
        ids: &[ListingId],
        kind: &'static str,
    ) -> Option<Related> {
        let mut names = Vec::with_capacity(ids.len());
        for id in ids {
            let own = *id == self.sources.listing.id;
            let kind = if own { "listing" } else { kind };
            let Some(listing) = stored.iter().find(|listing| listing.id == *id) else {
                continue;
            };
            let resource = ListingResource::new(listing, kind, self.is_flat);
            names.push(Identifier {
                r#type: kind,
                id: resource.id.clone(),
            });
            if self.seen.insert((kind, *id)) {
                self.resources.push(Resource::Listing(Box::new(resource)));
            }
        }
        let only = names.pop()?;
        let data = if names.is_empty() {
            OneOrMany::One(only)
        } else {
            names.push(only);
            OneOrMany::Many(names)
        };
        Some(Related { data })
    }

    fn add_chain_data(&mut self, chain: &Chain) {
        let resource = ChainDataResource::new(chain, self.sources.listing.id);
        self.relationships.chain_data = Some(RelatedOne {
            data: Identifier {
                r#type: "chain_data",
                id: Id::Text(resource.id.clone()),
            },
        });
        self.resources.push(Resource::ChainData(resource));
    }

    fn add_milestones(&mut self) {
        let stored = self.sources.milestones.iter();
        let milestones: Vec<_> = stored.map(MilestoneResource::from).collect();
        let names = milestones.iter().map(MilestoneResource::identifier);
        self.relationships.milestones = Some(RelatedMany {
            data: names.collect(),
        });
        let milestones = milestones.into_iter().map(Resource::Milestone);
        self.resources.extend(milestones);
    }
}

impl Relationships {
    fn is_empty(&self) -> bool {
        self.buyer.is_none()
            && self.seller.is_none()
            && self.chain_data.is_none()
            && self.chained_listings.is_none()
            && self.milestones.is_none()
    }
}

impl ChainDataResource {
    fn new(chain: &Chain, listing: ListingId) -> Self {
        let id: ChainId = chain.id();
        Self {
            id: id.to_string(),
            r#type: "chain_data",
            attributes: ChainDataAttributes {
                length: chain.length(),
                position: chain.position(listing).unwrap_or_default(),
                top_checked: chain.top_checked(),
                bottom_checked: chain.bottom_checked(),
            },
        }
    }
}
