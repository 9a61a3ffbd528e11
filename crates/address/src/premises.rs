//! Which entries of different registers are one building or flat: for measurements, not for answers.

use crate::known::{Known, Stored};
use crate::street::Street;
use crate::units::readings;

/// What is the same for two entries of one building or flat, in an address of one line with its
/// postcode at the end: all numbers, flats and units, the whole street behind the last number, and
/// the whole postcode. Says nothing of the organisations there, and calls an address without a
/// number or without a full postcode a building of its own.
pub fn premises(display: &str) -> String {
    let known = Known {
        display_address: display,
        ..Known::default()
    };
    let stored = Stored::read(&known);
    let last = stored.units().len().checked_sub(1);
    let (Some(last), Some(postcode)) = (last, stored.place.full()) else {
        return display.to_uppercase();
    };
    let street = Street::behind(&stored, last);
    let words = street.words().map(|at| stored.tokens()[at].text());
    let street = words.collect::<Vec<_>>().join(" ");
    let readings = readings(stored.units());
    let units = readings.iter().map(|reading| {
        let units = reading.iter().map(|placed| format!("{:?}", placed.unit));
        units.collect::<Vec<_>>().join(" ")
    });
    let units = units.collect::<Vec<_>>().join(" or ");
    format!("{units}, {street}, {postcode}")
}

#[cfg(test)]
mod tests {
    use super::premises;

    #[test]
    fn entries_of_one_building() {
        let check = |first: &str, second: &str, is_same: bool| {
            let is_found = premises(first) == premises(second);
            assert_eq!(is_found, is_same, "{first} | {second}");
        };
        let boots = "BOOTS, 27 HIGH STREET, EDENBRIDGE, TN8 5AD";
        check(boots, "27 High St, Edenbridge, Kent, TN8 5AD", true);
        check(boots, "27A HIGH STREET, EDENBRIDGE, TN8 5AD", false);
        check(boots, "FLAT 1, 27 HIGH STREET, EDENBRIDGE, TN8 5AD", false);
        check(boots, "27 HILL STREET, EDENBRIDGE, TN8 5AD", false);
        check(boots, "27 HIGH ROAD, EDENBRIDGE, TN8 5AD", false);
        check(boots, "27 HIGH STREET, EDENBRIDGE, TN8 5AE", false);
        let flat = "FLAT 2, 18 MILL LANE, BATH, BA1 2EE";
        check(flat, "2/18 MILL LANE, BATH, BA1 2EE", false);
        check(flat, "APARTMENT 2, 18 MILL LANE, BATH, BA1 2EE", true);
        check(flat, "FLAT 3, 18 MILL LANE, BATH, BA1 2EE", false);
        let unnumbered = "ROSE COTTAGE, MILL LANE, BATH, BA1 2EE";
        check(unnumbered, "IVY COTTAGE, MILL LANE, BATH, BA1 2EE", false);
    }
}
