//! The course of a sale: the milestones reached by a given day, and their days.

use super::random::Random;

/// A milestone of a made-up sale. Days count from the reference day of the sample, which is day 0;
/// earlier days are negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The key of the milestone catalogue.
    pub(super) key: &'static str,
    /// The day on which the milestone is recorded.
    pub(super) recorded: i32,
    /// The day that the milestone names; later than `recorded` only for the expected and proposed
    /// types.
    pub(super) date: i32,
}

/// The facts that decide the course of a sale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sale {
    /// The day of the sale subject to contract; in the future while the property is on the market.
    pub(super) agreed: i32,
    /// The number of days on the market before the sale.
    pub(super) marketed_days: i32,
    /// Whether the buyer needs no mortgage.
    pub(super) is_cash: bool,
    /// Whether the property is leasehold, so that the buyer needs the management pack.
    pub(super) is_leasehold: bool,
    /// The day on which the sale falls through; `None` if it does not.
    pub(super) falls_through: Option<i32>,
}

/// The days on which a whole chain exchanges and completes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finish {
    /// The day of the exchange of contracts, common to the chain.
    pub(super) exchange: i32,
    /// The day of completion, common to the chain.
    pub(super) completion: i32,
}

/// The course of one sale up to the point where it waits for its chain.
#[derive(Debug)]
pub(super) struct Course {
    steps: Vec<Step>,
    /// The first day on which the sale could exchange.
    pub(super) ready: i32,
    falls_through: Option<i32>,
}

impl Course {
    /// Draws the complete course of a sale, including days still in the future.
    pub(super) fn draw(random: &mut Random, sale: &Sale) -> Self {
        let mut course = Self {
            steps: Vec::with_capacity(28),
            ready: 0,
            falls_through: sale.falls_through,
        };
        let agreed = sale.agreed;
        course.add("property_listed", agreed - sale.marketed_days);
        course.add("sstc", agreed);
        course.add("memo_of_sale_sent", agreed + random.between(0, 3));
        course.add("solicitors_instructed", agreed + random.between(1, 8));
        let received = course.draw_contract(random, agreed);
        let searched = course.draw_searches(random, received);
        let funded = course.draw_funding(random, sale);
        let managed = if sale.is_leasehold {
            course.add("management_pack", agreed + random.between(20, 60))
        } else {
            agreed
        };
        let opened = course.add("enquiries_opened", received + random.between(3, 14));
        let answered = (opened + random.between(14, 60)).max(searched).max(managed);
        let closed = course.add("enquiries_closed", answered + random.between(0, 5));
        course.ready = closed.max(funded);
        course
    }

    /// The steps recorded by day 0, in the order of recording. `finish` is `None` when the chain
    /// cannot exchange.
    pub(super) fn take_steps(mut self, random: &mut Random, finish: Option<Finish>) -> Vec<Step> {
        if let Some(finish) = finish {
            self.add_finish(random, finish);
        }
        let last = self.falls_through.map_or(0, |day| day.min(0));
        self.steps.retain(|step| step.recorded <= last);
        if let Some(day) = self.falls_through.filter(|day| *day <= 0) {
            self.add("fall_through", day);
        }
        // The sort is stable, so steps of one day keep the order of the course.
        self.steps.sort_by_key(|step| step.recorded);
        self.steps
    }

    fn draw_contract(&mut self, random: &mut Random, agreed: i32) -> i32 {
        let prepared = self.add("draft_contracts_prepared", agreed + random.between(5, 20));
        let sent = self.add("contract_sent", prepared + random.between(1, 7));
        self.add("contract_received", sent + random.between(1, 5))
    }

    fn draw_searches(&mut self, random: &mut Random, received: i32) -> i32 {
        let ordered = self.add("searches_ordered", received + random.between(0, 7));
        self.expect(
            "searches_expected",
            ordered,
            ordered + random.between(15, 40),
        );
        let environment = ordered + random.between(2, 10);
        self.add("environmental_search_delivered", environment);
        let water = self.add("water_search_delivered", ordered + random.between(4, 15));
        let authority = self.add("la_search_delivered", ordered + random.between(10, 45));
        water.max(authority).max(environment)
    }

    fn draw_funding(&mut self, random: &mut Random, sale: &Sale) -> i32 {
        let agreed = sale.agreed;
        let surveyed = agreed + random.between(14, 40);
        if random.chance(600) {
            self.add("buyers_survey", surveyed);
        }
        if sale.is_cash {
            return self.add("cash_buyer", agreed + random.between(0, 5));
        }
        let applied = self.add("funding_applied", agreed + random.between(3, 20));
        let booked = self.add("valuation_booked", applied + random.between(2, 8));
        self.expect(
            "mortgage_offer_expected",
            booked,
            booked + random.between(14, 30),
        );
        let valued = self.add("valuation_satisfactory", booked + random.between(2, 10));
        self.add("mortgage_offered", valued + random.between(3, 21))
    }

    fn add_finish(&mut self, random: &mut Random, finish: Finish) {
        let proposed = (self.ready + random.between(0, 4)).min(finish.exchange);
        self.expect("proposed_exchange", proposed, finish.exchange);
        self.expect("proposed_completion", proposed, finish.completion);
        self.add("exchange", finish.exchange);
        self.add("completion_date_set", finish.exchange);
        self.add("completion", finish.completion);
    }

    /// Adds a step of this day and returns the day.
    fn add(&mut self, key: &'static str, day: i32) -> i32 {
        self.expect(key, day, day);
        day
    }

    /// Adds a step recorded on one day that names another day.
    fn expect(&mut self, key: &'static str, recorded: i32, date: i32) {
        self.steps.push(Step {
            key,
            recorded,
            date,
        });
    }
}

impl Finish {
    /// Draws the common days of a chain. Its last sale is ready on the day `ready`.
    pub(super) fn draw(random: &mut Random, ready: i32) -> Self {
        let exchange = ready + random.between(3, 14);
        Self {
            exchange,
            completion: exchange + random.between(7, 28),
        }
    }
}
