//! Identifies one building or flat in different registers, for measurements of the search only.

use crate::known::{Known, StoredAddress};
use crate::street::Street;
use crate::units::readings;

/// A key that is equal for two entries of one building or flat. It holds all numbers, flats and
/// units, the whole street behind the last number, and the full postcode, but no organisation. An
/// address without a number or full postcode is its own key. `display` is an address in one line
/// that ends with its postcode.
pub fn premises(display: &str) -> String {
    let known = Known {
        display_address: display,
        ..Known::default()
    };
    let stored = StoredAddress::read(&known);
    let last = stored.units().len().checked_sub(1);
    let (Some(last), Some(postcode)) = (last, stored.postcode.full()) else {
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
        let boots = "BOOTS, 27 HIGH STREET, EDENBRIDGE, TN8 5AD";
        let flat = "FLAT 2, 18 MILL LANE, BATH, BA1 2EE";
        let cottage = "ROSE COTTAGE, MILL LANE, BATH, BA1 2EE";
        for (first, second, is_same) in [
            (boots, "27 High St, Edenbridge, Kent, TN8 5AD", true),
            (boots, "27A HIGH STREET, EDENBRIDGE, TN8 5AD", false),
            (boots, "FLAT 1, 27 HIGH STREET, EDENBRIDGE, TN8 5AD", false),
            (boots, "27 HILL STREET, EDENBRIDGE, TN8 5AD", false),
            (boots, "27 HIGH ROAD, EDENBRIDGE, TN8 5AD", false),
            (boots, "27 HIGH STREET, EDENBRIDGE, TN8 5AE", false),
            (flat, "2/18 MILL LANE, BATH, BA1 2EE", false),
            (flat, "APARTMENT 2, 18 MILL LANE, BATH, BA1 2EE", true),
            (flat, "FLAT 3, 18 MILL LANE, BATH, BA1 2EE", false),
            (cottage, "IVY COTTAGE, MILL LANE, BATH, BA1 2EE", false),
        ] {
            let is_found = premises(first) == premises(second);
            assert_eq!(is_found, is_same, "{first} | {second}");
        }
    }
}
