//! What both engines promise: transactions, snapshots, groups, opening and closing; and what
//! the statements do to the rows.

#[cfg(test)]
mod address_search;
#[cfg(test)]
mod branches;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod contention;
#[cfg(test)]
mod copies;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod events;
#[cfg(test)]
mod history;
#[cfg(test)]
mod idempotency;
#[cfg(test)]
mod listings;
#[cfg(test)]
mod located;
#[cfg(test)]
mod meeting;
#[cfg(test)]
mod milestones;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod place;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod standby;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod waiting;
#[cfg(test)]
mod writes;

/// Tells one story on a fresh SQLite file and on a fresh PostgreSQL database.
macro_rules! on_both_engines {
    ($(fn $name:ident($place:ident) $body:block)+) => {$(
        mod $name {
            use super::*;

            fn tell($place: &crate::place::Place) $body

            #[test]
            fn on_sqlite() {
                tell(&crate::place::Place::on_sqlite());
            }

            #[test]
            fn on_postgres() {
                if let Some(place) = crate::place::Place::on_postgres() {
                    tell(&place);
                }
            }
        }
    )+};
}
pub(crate) use on_both_engines;
