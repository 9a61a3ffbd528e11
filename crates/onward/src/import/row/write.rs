//! How single values are written in an import row.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::ref_option,
    reason = "serde calls these functions with a reference to the member"
)]

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
    serializer.collect_str(date)
}

pub(super) const fn is_false(value: &bool) -> bool {
    !*value
}
