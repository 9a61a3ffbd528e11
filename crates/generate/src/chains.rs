//! Draws complete chains: their sales, the progress of each sale and the confirmed ends.

use import::row::ChainEnd;

use super::pace::Pace;
use super::property::Kind;
use super::random::Random;
use super::shape::Shape;
use super::timeline::{Course, Finish, Sale, Step};

/// A chain before its properties and branches are known.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) shape: Shape,
    /// The sales, one for each place of the shape.
    pub(super) sales: Vec<PlannedSale>,
    /// The confirmed ends, with their places.
    pub(super) checks: Vec<(usize, ChainEnd)>,
}

/// A sale and its recorded milestones.
#[derive(Debug)]
pub(super) struct PlannedSale {
    pub(super) sale: Sale,
    pub(super) steps: Vec<Step>,
    /// An earlier sale of the same property that fell through.
    pub(super) earlier: Option<Box<PlannedSale>>,
}

/// The limits on the sales of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    /// The number of listings still to be made, at least 1.
    pub(super) listings: u64,
    /// Whether a property may have an earlier listing.
    pub(super) has_earlier: bool,
}

impl Chain {
    /// Draws the sales of a chain, one for each place, given the kinds of its properties.
    pub(super) fn draw(
        random: &mut Random,
        shape: Shape,
        kinds: &[Kind],
        allowance: Allowance,
        mut pace: Pace,
    ) -> Self {
        let mut sales = draw_sales(random, &shape, kinds);
        draw_fall_through(random, &shape, &mut sales);
        let (courses, finish) = draw_courses(random, &sales, &mut pace);
        let spare = allowance
            .listings
            .saturating_sub(u64::try_from(shape.length).unwrap_or(0));
        let mut earlier_left = if allowance.has_earlier { spare } else { 0 };
        let mut planned = Vec::with_capacity(sales.len());
        for (place, (sale, course)) in sales.iter().zip(courses).enumerate() {
            let is_new = kinds.get(place) == Some(&Kind::NewBuild);
            let has_earlier = earlier_left > 0 && !is_new && random.chance(EARLIER_PER_THOUSAND);
            let earlier = has_earlier.then(|| Box::new(draw_earlier(random, sale, &mut pace)));
            earlier_left -= u64::from(has_earlier);
            let steps = course.take_steps(random, finish);
            planned.push(PlannedSale {
                sale: *sale,
                steps,
                earlier,
            });
        }
        let checks = draw_checks(random, &shape, &sales, kinds);
        Self {
            shape,
            sales: planned,
            checks,
        }
    }

    /// Draws a chain that began in the past. Most such chains have ended: they
    /// completed, or one sale fell through and the others after it.
    pub(super) fn draw_past(
        random: &mut Random,
        shape: Shape,
        kinds: &[Kind],
        history_days: i32,
        mut pace: Pace,
    ) -> Self {
        let mut sales = draw_agreed_sales(random, &shape, kinds, history_days);
        if random.chance(PAST_FALL_THROUGH_PER_THOUSAND) {
            draw_end(random, &mut sales);
        }
        let (courses, finish) = draw_courses(random, &sales, &mut pace);
        let pairs = sales.iter().zip(courses);
        let planned = pairs.map(|(sale, course)| PlannedSale {
            sale: *sale,
            steps: course.take_steps(random, finish),
            earlier: None,
        });
        let planned = planned.collect();
        let checks = draw_checks(random, &shape, &sales, kinds);
        Self {
            shape,
            sales: planned,
            checks,
        }
    }
}

/// Draws the courses of all sales of a chain, and its end.
fn draw_courses(
    random: &mut Random,
    sales: &[Sale],
    pace: &mut Pace,
) -> (Vec<Course>, Option<Finish>) {
    let courses = sales.iter();
    let courses = courses.map(|sale| Course::draw(random, sale, pace.of_next_sale()));
    let courses: Vec<Course> = courses.collect();
    let finish = draw_finish(random, sales, &courses, pace);
    (courses, finish)
}

/// Makes one sale of a past chain fall through, and the others some days later.
fn draw_end(random: &mut Random, sales: &mut [Sale]) {
    let first = random.index(sales.len());
    let last_agreed = sales.iter().map(|sale| sale.agreed).max();
    let day = last_agreed.unwrap_or_default() + random.between(5, 110);
    for (place, sale) in sales.iter_mut().enumerate() {
        let later = random.between(2, 45);
        sale.falls_through = Some(if place == first { day } else { day + later });
    }
}

/// Draws the day of each sale, from the bottom up, and the cash buyers.
fn draw_sales(random: &mut Random, shape: &Shape, kinds: &[Kind]) -> Vec<Sale> {
    if shape.length == 1 && random.chance(UNSOLD_PER_THOUSAND) {
        return vec![draw_unsold(random, kinds.first().copied())];
    }
    draw_agreed_sales(random, shape, kinds, OLDEST_CHAIN_DAYS)
}

/// Draws sales that are all agreed, the last one at most `oldest_days` ago.
fn draw_agreed_sales(
    random: &mut Random,
    shape: &Shape,
    kinds: &[Kind],
    oldest_days: i32,
) -> Vec<Sale> {
    let agreed = draw_agreed(random, shape, oldest_days);
    let bottoms = shape.bottoms();
    let mut sales = Vec::with_capacity(shape.length);
    for (place, day) in agreed.into_iter().enumerate() {
        sales.push(Sale {
            agreed: day,
            marketed_days: random.between(7, 90),
            is_cash: bottoms.contains(&place) && random.chance(CASH_PER_THOUSAND),
            is_leasehold: kinds.get(place) == Some(&Kind::Flat),
            falls_through: None,
        });
    }
    sales
}

/// Draws a property without a buyer: its sale lies in the future.
fn draw_unsold(random: &mut Random, kind: Option<Kind>) -> Sale {
    let agreed = random.between(1, 60);
    Sale {
        agreed,
        marketed_days: agreed + random.between(0, 120),
        is_cash: false,
        is_leasehold: kind == Some(Kind::Flat),
        falls_through: None,
    }
}

/// Draws the days of the sales. A sale is agreed after the sales below it, which pay for it; the
/// last one is at most `oldest_days` old.
fn draw_agreed(random: &mut Random, shape: &Shape, oldest_days: i32) -> Vec<i32> {
    let length = i32::try_from(shape.length).unwrap_or(i32::MAX);
    let gap_max = (LONGEST_GROWTH_DAYS / length.max(1)).min(21);
    let mut agreed: Vec<i32> = Vec::with_capacity(shape.length);
    for place in 0..shape.length {
        let below = shape.links.iter().filter(|link| link.seller == place);
        let after = below
            .filter_map(|link| agreed.get(link.buyer))
            .max()
            .copied();
        agreed.push(after.map_or(0, |day| day + random.between(0, gap_max)));
    }
    let last = agreed.iter().max().copied().unwrap_or_default();
    let shift = -random.between(0, oldest_days) - last;
    agreed.into_iter().map(|day| day + shift).collect()
}

/// Makes the sale at the bottom fall through: the sales above it lose its money and wait.
fn draw_fall_through(random: &mut Random, shape: &Shape, sales: &mut [Sale]) {
    let bottoms = shape.bottoms();
    let bottom = random.pick(&bottoms).copied().unwrap_or_default();
    let Some(sale) = sales.get_mut(bottom) else {
        return;
    };
    let earliest = sale.agreed + 10;
    if earliest <= 0 && random.chance(FALL_THROUGH_PER_THOUSAND) {
        sale.falls_through = Some(random.between(earliest, (sale.agreed + 100).min(0)));
    }
}

/// Draws the common exchange and completion; `None` when a sale is not agreed or fell through.
fn draw_finish(
    random: &mut Random,
    sales: &[Sale],
    courses: &[Course],
    pace: &mut Pace,
) -> Option<Finish> {
    let is_whole = |sale: &Sale| sale.agreed <= 0 && sale.falls_through.is_none();
    let ready = courses.iter().map(|course| course.ready).max()?;
    sales
        .iter()
        .all(is_whole)
        .then(|| Finish::draw(random, ready, pace))
}

/// Draws an earlier sale of the same property, which ended before the property was offered again.
fn draw_earlier(random: &mut Random, sale: &Sale, pace: &mut Pace) -> PlannedSale {
    let falls_through = sale.agreed - sale.marketed_days - random.between(1, 14);
    let earlier = Sale {
        agreed: falls_through - random.between(15, 80),
        marketed_days: random.between(7, 60),
        is_cash: false,
        is_leasehold: sale.is_leasehold,
        falls_through: Some(falls_through),
    };
    let steps = Course::draw(random, &earlier, pace.of_next_sale()).take_steps(random, None);
    PlannedSale {
        sale: earlier,
        steps,
        earlier: None,
    }
}

/// Draws the confirmed ends: a builder buys nothing further, and other sellers and buyers confirm
/// their ends after a while.
fn draw_checks(
    random: &mut Random,
    shape: &Shape,
    sales: &[Sale],
    kinds: &[Kind],
) -> Vec<(usize, ChainEnd)> {
    let mut checks = Vec::new();
    let is_settled = |place: usize, days: i32| {
        let sale = sales.get(place);
        sale.is_some_and(|sale| sale.agreed <= -days && sale.falls_through.is_none())
    };
    if let [bottom] = *shape.bottoms() {
        let is_cash = sales.get(bottom).is_some_and(|sale| sale.is_cash);
        if is_settled(bottom, if is_cash { 5 } else { 20 }) && random.chance(700) {
            checks.push((bottom, ChainEnd::Bottom));
        }
    }
    if let [top] = *shape.tops() {
        let is_new = kinds.get(top) == Some(&Kind::NewBuild);
        if is_new || (is_settled(top, 30) && random.chance(550)) {
            checks.push((top, ChainEnd::Top));
        }
    }
    checks
}

/// The share of properties without a chain that are still on the market.
const UNSOLD_PER_THOUSAND: u64 = 600;

/// The share of buyers at the bottom who need no mortgage.
const CASH_PER_THOUSAND: u64 = 300;

/// The share of chains that lost their lowest buyer: about 2 % of all listings.
const FALL_THROUGH_PER_THOUSAND: u64 = 65;

/// The share of past chains that ended without an exchange.
const PAST_FALL_THROUGH_PER_THOUSAND: u64 = 180;

/// The share of listings of a property that was on sale before: about 2 % of all listings.
const EARLIER_PER_THOUSAND: u64 = 20;

/// The most days since the last sale of a chain was agreed.
const OLDEST_CHAIN_DAYS: i32 = 120;

/// The most days between the first and the last sale of a chain.
const LONGEST_GROWTH_DAYS: i32 = 120;
