//! Writes single values of an import row.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::ref_option,
    reason = "serde calls these functions with a reference to the member"
)]

use std::ops::Range;

use chain::ids::Uprn;
use chain::listing::{Tenure, TransactionType};
use chain::milestone::MilestoneType;
use jiff::civil::Date;
use serde::Serializer;

pub(super) fn uprn<S: Serializer>(uprn: &Uprn, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(uprn.value())
}

pub(super) fn tenure<S: Serializer>(
    tenure: &Option<Tenure>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(tenure.map_or("", Tenure::as_str))
}

pub(super) fn transaction_types<S: Serializer>(
    types: &[TransactionType],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(types.iter().map(|one| one.as_str()))
}

pub(super) fn milestone_key<S: Serializer>(
    milestone_type: &&'static MilestoneType,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(milestone_type.key)
}

pub(super) fn date<S: Serializer>(date: &Date, serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(&date_text(*date)) {
        Ok(text) if date.year() >= 0 => serializer.serialize_str(text),
        Ok(_) | Err(_) => serializer.collect_str(date),
    }
}

/// The date as `YYYY-MM-DD`, for a year from 0 on.
///
/// Written by hand because nearly every row has a date, and general formatting takes longer than
/// the rest of the row.
pub fn date_text(date: Date) -> [u8; 10] {
    let mut text = *b"0000-00-00";
    put_digits(&mut text, 0..4, date.year().unsigned_abs());
    put_digits(&mut text, 5..7, date.month().unsigned_abs().into());
    put_digits(&mut text, 8..10, date.day().unsigned_abs().into());
    text
}

fn put_digits(text: &mut [u8; 10], place: Range<usize>, number: u16) {
    let mut left = number;
    for digit in text.get_mut(place).unwrap_or_default().iter_mut().rev() {
        *digit = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
    }
}

pub(super) const fn is_false(value: &bool) -> bool {
    !*value
}
