//! The course of a sale: the milestones reached by a given day, and their days.

use std::ops::RangeInclusive;

use super::pace::Pace;
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
    pace: Pace,
}

impl Course {
    /// Draws the complete course of a sale, including days still in the future.
    pub(super) fn draw(random: &mut Random, sale: &Sale, pace: Pace) -> Self {
        let mut course = Self {
            steps: Vec::with_capacity(28),
            ready: 0,
            falls_through: sale.falls_through,
            pace,
        };
        let agreed = sale.agreed;
        course.add("property_listed", agreed - sale.marketed_days);
        course.add("sstc", agreed);
        course.follow(random, "memo_of_sale_sent", agreed, 0..=3);
        course.follow(random, "solicitors_instructed", agreed, 1..=8);
        let received = course.draw_contract(random, agreed);
        let searched = course.draw_searches(random, received);
        let funded = course.draw_funding(random, sale);
        let managed = if sale.is_leasehold {
            course.follow(random, "management_pack", agreed, 20..=60)
        } else {
            agreed
        };
        let opened = course.follow(random, "enquiries_opened", received, 3..=14);
        let answered = (opened + course.pace.days(random, 14..=60))
            .max(searched)
            .max(managed);
        let closed = course.follow(random, "enquiries_closed", answered, 0..=5);
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
        let prepared = self.follow(random, "draft_contracts_prepared", agreed, 5..=20);
        let sent = self.follow(random, "contract_sent", prepared, 1..=7);
        self.follow(random, "contract_received", sent, 1..=5)
    }

    fn draw_searches(&mut self, random: &mut Random, received: i32) -> i32 {
        let ordered = self.follow(random, "searches_ordered", received, 0..=7);
        self.expect(
            "searches_expected",
            ordered,
            ordered + random.between(15, 40),
        );
        let environment = ordered + self.pace.days(random, 2..=10);
        self.add("environmental_search_delivered", environment);
        let water = self.follow(random, "water_search_delivered", ordered, 4..=15);
        let authority = self.follow(random, "la_search_delivered", ordered, 10..=45);
        water.max(authority).max(environment)
    }

    fn draw_funding(&mut self, random: &mut Random, sale: &Sale) -> i32 {
        let agreed = sale.agreed;
        let surveyed = agreed + self.pace.days(random, 14..=40);
        if random.chance(600) {
            self.add("buyers_survey", surveyed);
        }
        if sale.is_cash {
            return self.follow(random, "cash_buyer", agreed, 0..=5);
        }
        let applied = self.follow(random, "funding_applied", agreed, 3..=20);
        let booked = self.follow(random, "valuation_booked", applied, 2..=8);
        self.expect(
            "mortgage_offer_expected",
            booked,
            booked + random.between(14, 30),
        );
        let valued = self.follow(random, "valuation_satisfactory", booked, 2..=10);
        self.follow(random, "mortgage_offered", valued, 3..=21)
    }

    fn add_finish(&mut self, random: &mut Random, finish: Finish) {
        let proposed = (self.ready + random.between(0, 4)).min(finish.exchange);
        self.expect("proposed_exchange", proposed, finish.exchange);
        self.expect("proposed_completion", proposed, finish.completion);
        self.add("exchange", finish.exchange);
        self.add("completion_date_set", finish.exchange);
        self.add("completion", finish.completion);
    }

    /// Adds a step that takes so many days from the day `begun`, and returns its day.
    fn follow(
        &mut self,
        random: &mut Random,
        key: &'static str,
        begun: i32,
        days: RangeInclusive<i32>,
    ) -> i32 {
        let day = begun + self.pace.days(random, days);
        self.add(key, day)
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
    pub(super) fn draw(random: &mut Random, ready: i32, pace: &mut Pace) -> Self {
        let exchange = ready + pace.days(random, 3..=14);
        Self {
            exchange,
            completion: exchange + random.between(7, 28),
        }
    }
}
