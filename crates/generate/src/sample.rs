//! Draws and writes a sample, chain by chain.

use std::io::Write;

use chain::ids::Uprn;
use chain::milestone::find_by_key;
use import::row::{EndCheckRow, LinkRow, ListingRow, MilestoneRow, PartyRole, PartyRow, Row};

use super::branches::Branches;
use super::calendar::Calendar;
use super::chains::{Allowance, Chain, PlannedSale};
use super::firms::conveyancer_name;
use super::given::GivenAddresses;
use super::made_up::MadeUpAddresses;
use super::pace::Pace;
use super::property::{Kind, Placeholders, Property};
use super::random::{Random, mix};
use super::rows::{RowWriter, draw_price, draw_tenure, draw_transaction_types};
use super::shape::Shape;
use super::timeline::Step;
use super::{GenerateError, GenerateOptions, Summary};

/// A sample while it is written.
pub(super) struct Sample<'a> {
    random: Random,
    supply: Supply,
    branches: Branches,
    calendar: Calendar,
    writer: RowWriter<'a>,
    listings_left: u64,
    /// The listings of past chains, which come last.
    past_listings: u64,
    history_days: i32,
    /// The seeds of the paces of all chains, if the sample has a past.
    paces: Option<Random>,
    placeholders: Placeholders,
}

enum Supply {
    MadeUp(MadeUpAddresses),
    Given(Box<GivenAddresses>),
}

/// The reference of a listing in other rows.
struct ListingName {
    branch: String,
    listing: String,
}

/// A property, the branch that sells it and its place in the chain.
struct Offer {
    property: Property,
    branch: usize,
    place: usize,
}

impl<'a> Sample<'a> {
    pub(super) fn new(
        options: &GenerateOptions,
        listings: u64,
        out: &'a mut dyn Write,
    ) -> Result<Self, GenerateError> {
        let mut random = Random::new(options.seed);
        let made_up = MadeUpAddresses::new(options.seed);
        let pick_town = || made_up.pick_town(&mut random);
        let past_listings = options.past_listings(listings);
        // A sample without a past has the same recent chains.
        let recent = listings - past_listings;
        let branches = Branches::new(recent, made_up.town_count(), pick_town);
        let supply = match &options.addresses {
            None => Supply::MadeUp(made_up),
            Some(file) => Supply::Given(Box::new(GivenAddresses::open(file)?)),
        };
        Ok(Self {
            random,
            supply,
            branches,
            calendar: Calendar::new(options.as_of)?,
            writer: RowWriter::new(out),
            listings_left: listings,
            past_listings,
            history_days: options.history_days(),
            paces: options.history.map(|_| Random::new(mix(options.seed))),
            placeholders: Placeholders::new(),
        })
    }

    pub(super) fn write(mut self) -> Result<Summary, GenerateError> {
        for branch in 0..self.branches.count() {
            let town = self.supply.town_name(self.branches.town(branch));
            self.writer
                .write(&Row::Branch(self.branches.row(branch, town)))?;
        }
        while self.listings_left > 0 {
            let is_past = self.listings_left <= self.past_listings;
            let later = if is_past { 0 } else { self.past_listings };
            let allowance = Allowance {
                listings: self.listings_left - later,
                // Each given address gets one listing, so that all of them are used.
                has_earlier: matches!(self.supply, Supply::MadeUp(_)),
            };
            let shape = Shape::draw(&mut self.random, allowance.listings);
            let offers = self.take_offers(&shape)?;
            if offers.len() < shape.length {
                break;
            }
            let kinds: Vec<Kind> = offers.iter().map(|offer| offer.property.kind).collect();
            let pace = self.draw_pace();
            let chain = if is_past {
                Chain::draw_past(&mut self.random, shape, &kinds, self.history_days, pace)
            } else {
                Chain::draw(&mut self.random, shape, &kinds, allowance, pace)
            };
            self.write_chain(chain, offers)?;
        }
        if let Supply::Given(given) = &self.supply {
            let counts = given.counts();
            self.writer.summary.addresses_skipped = counts.skipped;
            self.writer.summary.addresses_repeated = counts.repeated;
        }
        self.writer.finish()
    }

    /// The pace of the next chain. Recent and past chains of one sample have the same kind of pace.
    fn draw_pace(&mut self) -> Pace {
        match &mut self.paces {
            Some(paces) => Pace::long_tailed(paces),
            None => Pace::Even,
        }
    }

    /// Takes a property and a branch for each place; fewer when the addresses run out.
    fn take_offers(&mut self, shape: &Shape) -> Result<Vec<Offer>, GenerateError> {
        let tops = shape.tops();
        let mut branch = self.branches.pick(&mut self.random);
        let mut offers = Vec::with_capacity(shape.length);
        for place in 0..shape.length {
            // A builder sells and buys nothing, so only the top of a chain can be a new build.
            let is_new_build = tops.contains(&place) && self.random.chance(NEW_BUILD_PER_THOUSAND);
            let town = self.branches.town(branch);
            let property = match &mut self.supply {
                Supply::MadeUp(made_up) => made_up.next_property(town, is_new_build),
                Supply::Given(given) => given.next_property()?,
            };
            let Some(property) = property else {
                break;
            };
            offers.push(Offer {
                property,
                branch,
                place,
            });
            branch = self.branches.pick_next(&mut self.random, branch);
        }
        Ok(offers)
    }

    fn write_chain(&mut self, chain: Chain, offers: Vec<Offer>) -> Result<(), GenerateError> {
        let mut waiting = Vec::with_capacity(offers.len());
        for (mut offer, planned) in offers.into_iter().zip(chain.sales) {
            let uprn = self.write_property(&mut offer.property)?;
            if let Some(earlier) = &planned.earlier {
                // The earlier sale is a chain of its own; its rows come before the next chain
                // begins.
                self.write_listing(&offer, uprn, earlier)?;
                self.writer.summary.chains += 1;
            }
            waiting.push((offer, uprn, planned));
        }
        let mut names = Vec::with_capacity(waiting.len());
        for (offer, uprn, planned) in &waiting {
            names.push(self.write_listing(offer, *uprn, planned)?);
        }
        for link in &chain.shape.links {
            if let (Some(buyer), Some(seller)) = (names.get(link.buyer), names.get(link.seller)) {
                self.writer.write(&Row::Link(LinkRow {
                    seller_branch: seller.branch.clone(),
                    seller: seller.listing.clone(),
                    buyer_branch: buyer.branch.clone(),
                    buyer: buyer.listing.clone(),
                    split: chain.shape.is_split_link(*link),
                }))?;
            }
        }
        for (place, end) in chain.checks {
            if let Some(name) = names.get(place) {
                let (branch, listing) = (name.branch.clone(), name.listing.clone());
                self.writer.write(&Row::EndCheck(EndCheckRow {
                    branch,
                    listing,
                    end,
                }))?;
            }
        }
        self.writer.summary.chains += 1;
        self.writer.summary.split_chains += u64::from(chain.shape.fork.is_some());
        Ok(())
    }

    fn write_property(&mut self, property: &mut Property) -> Result<Uprn, GenerateError> {
        let uprn = match property.uprn {
            Some(uprn) => uprn,
            None => self.placeholders.take()?,
        };
        self.writer.write(&Row::Property(property.take_row(uprn)))?;
        Ok(uprn)
    }

    /// Writes a listing, its parties and its milestones.
    fn write_listing(
        &mut self,
        offer: &Offer,
        uprn: Uprn,
        planned: &PlannedSale,
    ) -> Result<ListingName, GenerateError> {
        let property = &offer.property;
        let name = ListingName {
            branch: Branches::reference(offer.branch),
            listing: format!("L{:07}", self.writer.summary.listings + 1),
        };
        self.listings_left = self.listings_left.saturating_sub(1);
        let sale = &planned.sale;
        let random = &mut self.random;
        let is_sold = sale.agreed <= 0;
        let mut row = ListingRow {
            branch: name.branch.clone(),
            listing: name.listing.clone(),
            uprn,
            price: draw_price(random, property.kind, property.price_thousands, offer.place),
            tenure: draw_tenure(random, property.kind),
            transaction_type: draw_transaction_types(random, property.kind),
            seller_conveyancer: is_sold.then(|| conveyancer_name(random)),
            buyer_conveyancer: is_sold.then(|| conveyancer_name(random)),
            created_at: Some(
                self.calendar
                    .draw_seconds(random, sale.agreed - sale.marketed_days),
            ),
        };
        // Some systems send the conveyancers apart from the listing.
        let mut parties = Vec::new();
        if random.chance(PARTY_PER_THOUSAND) {
            let seller = row
                .seller_conveyancer
                .take()
                .map(|firm| (PartyRole::SellerConveyancer, firm));
            let buyer = row
                .buyer_conveyancer
                .take()
                .map(|firm| (PartyRole::BuyerConveyancer, firm));
            parties.extend(seller.into_iter().chain(buyer));
        }
        self.writer.write(&Row::Listing(row))?;
        for (role, firm) in parties {
            let (branch, listing) = (name.branch.clone(), name.listing.clone());
            self.writer.write(&Row::Party(PartyRow {
                branch,
                listing,
                role,
                name: firm,
            }))?;
        }
        self.write_milestones(&name, &planned.steps)?;
        Ok(name)
    }

    fn write_milestones(
        &mut self,
        name: &ListingName,
        steps: &[Step],
    ) -> Result<(), GenerateError> {
        let known = steps
            .iter()
            .filter_map(|step| Some((find_by_key(step.key)?, step.date)));
        let mut known =
            known.map(|(milestone_type, day)| (milestone_type, self.calendar.date(day)));
        let Some((milestone_type, date)) = known.next() else {
            return Ok(());
        };
        let row = MilestoneRow {
            branch: name.branch.clone(),
            listing: name.listing.clone(),
            milestone_type,
            date,
        };
        self.writer.write_milestones(row, known)
    }
}

impl Supply {
    /// The name of a town of made-up addresses.
    fn town_name(&self, town: usize) -> Option<&'static str> {
        match self {
            Self::MadeUp(made_up) => made_up.town_name(town),
            Self::Given(_) => None,
        }
    }
}

/// The share of top properties that are not finished yet: about 3 % of all properties.
const NEW_BUILD_PER_THOUSAND: u64 = 75;

/// The share of listings with conveyancers in `party` rows.
const PARTY_PER_THOUSAND: u64 = 150;
