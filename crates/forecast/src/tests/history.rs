//! The whole method on simulated chains: it tests the method, not the market.

use chain::ids::{ChainId, ListingId};
use chain::listing::Tenure;
use chain::milestone::find_by_key;

use super::made_up::{Numbers, today};
use crate::counts::Counts;
use crate::day::Day;
use crate::figures::sum_up;
use crate::gathering::{Gathered, Gathering};
use crate::sale::Sale;
use crate::step::Step;

/// A step of usually so many days, now and then much longer.
fn draw(numbers: &mut Numbers, usual: u32, speed: u32) -> i32 {
    let percent = 40 + numbers.below(60) + numbers.below(60) + numbers.below(3) * numbers.below(60);
    let stall = if numbers.below(100) < 5 {
        30 + numbers.below(90)
    } else {
        0
    };
    i32::try_from(usual * percent / 100 * speed / 100 + stall).unwrap()
}

/// The recorded milestones of a sale that was agreed on a day, and the day on which it is ready.
fn draw_sale(numbers: &mut Numbers, agreed: i32, speed: u32) -> (Vec<(&'static str, i32)>, i32) {
    let mut step = |days: u32| draw(numbers, days, speed);
    let sent = agreed + step(20);
    let received = sent + step(5);
    let opened = received + step(8);
    let ordered = agreed + step(24);
    let searched = ordered + step(30);
    let closed = (opened + step(35)).max(searched);
    let applied = agreed + step(14);
    let valued = applied + step(10);
    let offered = valued + step(14);
    let marks = vec![
        ("sstc", agreed),
        ("contract_sent", sent),
        ("contract_received", received),
        ("enquiries_opened", opened),
        ("searches_ordered", ordered),
        ("environmental_search_delivered", ordered + 5),
        ("water_search_delivered", ordered + 9),
        ("la_search_delivered", searched),
        ("enquiries_closed", closed),
        ("funding_applied", applied),
        ("valuation_satisfactory", valued),
        ("mortgage_offered", offered),
    ];
    (marks, closed.max(offered))
}

fn draw_chain(numbers: &mut Numbers, first_listing: i64) -> Vec<Sale> {
    let speed = 70 + numbers.below(60);
    let length = 1 + numbers.below(4);
    let agreed = -i32::try_from(numbers.below(1_100)).unwrap();
    let drawn: Vec<_> = (0..length)
        .map(|_| draw_sale(numbers, agreed, speed))
        .collect();
    let ready = drawn.iter().map(|(_, ready)| *ready).max().unwrap();
    let fell = agreed + i32::try_from(numbers.below(150)).unwrap();
    let has_fallen = numbers.below(100) < 20 && fell < ready;
    let exchange = ready + draw(numbers, 8, 100);
    let chain = drawn
        .into_iter()
        .zip(first_listing..)
        .map(|((mut marks, _), listing)| {
            if has_fallen {
                marks.retain(|(_, day)| *day <= fell);
                marks.push(("fall_through", fell));
            } else {
                marks.push(("exchange", exchange));
            }
            let mut sale = Sale::new(ListingId(listing), Some(Tenure::Freehold));
            for (key, day) in marks.into_iter().filter(|(_, day)| *day <= 0) {
                let date = today().plus(day).date();
                sale.record(find_by_key(key).unwrap(), Some(date), false);
            }
            sale
        });
    chain.collect()
}

fn gather(chains: u32, today: Day, with_past_days: bool) -> Gathered {
    let mut numbers = Numbers(7);
    let mut gathering = Gathering::new(today, with_past_days);
    for number in 0..chains {
        let sales = draw_chain(&mut numbers, i64::from(number) * 10);
        let id = u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        gathering.add(ChainId(uuid(id)), &sales);
    }
    gathering.finish(&[])
}

#[test]
fn intervals_cover_what_they_promise() {
    let gathered = gather(1_500, today(), true);
    let past: Vec<_> = gathered.forecasts.iter().map(|new| new.forecast).collect();
    let figures = sum_up(&past);
    assert!(figures.ended > 500, "{figures:#?}");
    let all = figures.rows.last().unwrap();
    assert!(
        (74..=90).contains(&all.covered_most_percent),
        "{figures:#?}"
    );
    assert!(
        (40..=65).contains(&all.covered_half_percent),
        "{figures:#?}"
    );
    assert!(all.error.bias_days.abs() <= 12, "{figures:#?}");
    assert_eq!(figures.silence, None);
}

#[test]
fn counts_are_read_back_and_grow_with_the_chains() {
    let gathered = gather(300, today(), false);
    let read = Counts::from_rows(&gathered.counts.rows()).unwrap();
    assert_eq!(read, gathered.counts);
    for step in Step::ALL {
        if step != Step::ManagementPack {
            let counts = read.steps(step, crate::counts::Stratum::All).unwrap();
            assert!(counts.ended() > 100, "{step:?}");
        }
    }
    let [fell, exchanged] = read.ends_from(0);
    assert!(fell > 30 && exchanged > 200, "{fell} {exchanged}");
    // Without past days there are no forecasts but today's.
    assert!(
        gathered
            .forecasts
            .iter()
            .all(|new| new.forecast.made_on == today())
    );
}

#[test]
fn each_chain_gets_one_forecast_a_week() {
    let mut chains = Vec::new();
    for offset in 0..7 {
        let gathered = gather(300, today().plus(offset), false);
        chains.extend(gathered.forecasts.iter().map(|new| new.chain));
    }
    let count = chains.len();
    chains.sort_unstable();
    chains.dedup();
    assert_eq!(chains.len(), count);
    assert!(count > 20, "{count}");
}

fn uuid(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}
