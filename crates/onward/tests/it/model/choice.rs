//! Which operation comes next: mostly sensible ones, and enough of the others.

use super::catalogue::KINDS;
use super::operation::{NewListing, Operation, Wish};
use super::rules::midnight_in_london;
use super::state::Model;
use crate::random::Random;

/// No listing, branch or property ever gets this id.
const NOBODY: i64 = 999_999_999;
const NO_CHAIN: &str = "00000000-0000-4000-8000-000000000000";

/// With fewer live listings nothing is withdrawn, with more nothing is created.
const LIVE_MIN: usize = 24;
const LIVE_MAX: usize = 40;

const REASONS: [&str; 5] = [
    "Checked",
    "Unspecified",
    "Not EOC",
    "Dont Know If EOC",
    "checked",
];

impl Model {
    /// The next operation.
    pub(super) fn choose(&self, random: &mut Random) -> Operation {
        let live = self.live_ids().len();
        match random.below(100) {
            0..=21 => self.choose_link(random),
            22..=37 => self.choose_break(random),
            38..=46 => self.choose_mark(random),
            47..=54 => Operation::MarkOf {
                listing: self.choose_listing(random),
                is_check: random.chance(60),
                is_top: random.chance(50),
            },
            55..=64 => self.choose_add(random),
            65..=79 => self.choose_record(random),
            80..=83 => {
                let listing = self.choose_listing(random);
                let key = self.choose_key(random, listing);
                Operation::Withdraw(listing, key)
            }
            84..=87 => Operation::Reopen(self.choose_listing(random)),
            88..=91 => self.choose_lock(random),
            92..=93 => {
                let listing = self.choose_listing(random);
                let before = self.live(listing).map_or(0, |one| one.price);
                let more = i64::try_from(random.below(1000)).unwrap();
                Operation::Price(listing, before + 1 + more)
            }
            94 => Operation::Nothing(self.choose_listing(random)),
            95..=96 if live > LIVE_MIN => self.choose_delete(random),
            _ if live < LIVE_MAX => self.choose_create(random),
            _ => self.choose_break(random),
        }
    }

    /// One that is there, and now and then one that is not.
    fn choose_listing(&self, random: &mut Random) -> i64 {
        match random.below(100) {
            0..=1 => NOBODY,
            2..=3 => {
                let all: Vec<i64> = self.listings.keys().copied().collect();
                *random.pick(&all)
            }
            _ => *random.pick(&self.live_ids()),
        }
    }

    fn choose_where(&self, random: &mut Random, fits: impl Fn(i64) -> bool) -> i64 {
        let mut found = self.live_ids();
        found.retain(|id| fits(*id));
        if found.is_empty() {
            return self.choose_listing(random);
        }
        *random.pick(&found)
    }

    fn choose_link(&self, random: &mut Random) -> Operation {
        if let Some((seller, buyer)) = self.choose_proposed(random, 25) {
            return Operation::Link(seller, buyer);
        }
        let (seller, buyer) = match random.below(100) {
            0..=64 => {
                let seller = self.choose_where(random, |id| self.buyers(id).is_empty());
                let above = self.live(seller).map(|one| one.chain.clone());
                let buyer = self.choose_where(random, |id| {
                    self.sellers(id).is_empty() && Some(&self.listing(id).chain) != above.as_ref()
                });
                (seller, buyer)
            }
            65..=74 => self.choose_linked(random),
            75..=76 => {
                let same = self.choose_listing(random);
                (same, same)
            }
            _ => (self.choose_listing(random), self.choose_listing(random)),
        };
        Operation::Link(seller, buyer)
    }

    fn choose_linked(&self, random: &mut Random) -> (i64, i64) {
        let links: Vec<(i64, i64)> = self.links.iter().copied().collect();
        if links.is_empty() {
            return (self.choose_listing(random), self.choose_listing(random));
        }
        *random.pick(&links)
    }

    /// One of the proposed links, with this chance in percent.
    fn choose_proposed(&self, random: &mut Random, chance: usize) -> Option<(i64, i64)> {
        let proposed: Vec<(i64, i64)> = self.proposals.iter().map(|one| one.link).collect();
        let is_chosen = !proposed.is_empty() && random.chance(chance);
        is_chosen.then(|| *random.pick(&proposed))
    }

    fn choose_break(&self, random: &mut Random) -> Operation {
        if let Some((seller, buyer)) = self.choose_proposed(random, 15) {
            return Operation::Break(seller, buyer);
        }
        let (seller, buyer) = self.choose_linked(random);
        match random.below(100) {
            0..=84 => Operation::Break(seller, buyer),
            85..=89 => Operation::Break(buyer, seller),
            _ => Operation::Break(self.choose_listing(random), self.choose_listing(random)),
        }
    }

    fn choose_mark(&self, random: &mut Random) -> Operation {
        let is_check = random.chance(60);
        let chain = match random.below(100) {
            0..=1 => NO_CHAIN.to_owned(),
            2..=5 => {
                let seen: Vec<&String> = self.chains_seen.iter().collect();
                (*random.pick(&seen)).clone()
            }
            _ => self.listing(*random.pick(&self.live_ids())).chain.clone(),
        };
        let reason = if random.chance(10) {
            random.pick(&REASONS)
        } else if is_check {
            &REASONS[0]
        } else {
            random.pick(&REASONS[1..4])
        };
        Operation::Mark {
            chain,
            is_check,
            is_top: random.chance(50),
            reason,
        }
    }

    fn choose_add(&self, random: &mut Random) -> Operation {
        let is_top = random.chance(50);
        let anchor = self.choose_listing(random);
        let given = if random.chance(70) {
            self.choose_where(random, |id| {
                let beside = if is_top {
                    self.buyers(id)
                } else {
                    self.sellers(id)
                };
                beside.is_empty()
            })
        } else {
            self.choose_listing(random)
        };
        Operation::Add {
            anchor,
            is_top,
            given,
        }
    }

    /// A key, more often than not one that is recorded.
    fn choose_key(&self, random: &mut Random, listing: i64) -> String {
        let recorded = self.live(listing).map(|one| one.milestones.keys());
        let recorded: Vec<&str> = recorded.into_iter().flatten().copied().collect();
        match random.below(100) {
            0..=1 => "no_such_type".to_owned(),
            2..=44 if !recorded.is_empty() => (*random.pick(&recorded)).to_owned(),
            45..=54 => (*random.pick(&["enquiries_opened", "enquiries_closed"])).to_owned(),
            55..=74 => (*random.pick(&["sstc", "fall_through", "completion"])).to_owned(),
            _ => random.pick(&KINDS).key.to_owned(),
        }
    }

    fn choose_record(&self, random: &mut Random) -> Operation {
        let listing = self.choose_listing(random);
        let key = self.choose_key(random, listing);
        let before = self.live(listing);
        let before = before.and_then(|one| one.milestones.get(key.as_str()));
        let known = before.and_then(|one| one.date);
        let new_year: jiff::civil::Date = "2026-01-01".parse().unwrap();
        let day = i64::try_from(random.below(340)).unwrap();
        let other = new_year.checked_add(jiff::Span::new().days(day)).unwrap();
        let date = known.filter(|_| random.chance(40)).unwrap_or(other);
        let mut wish = Wish::default();
        if random.chance(85) {
            wish.date = Some(date.to_string());
        } else {
            let second = i64::try_from(random.below(86_400)).unwrap();
            wish.completed_at = Some(midnight_in_london(date) + second);
        }
        if random.chance(20) {
            wish.origin = Some(i64::try_from(random.below(7)).unwrap());
        }
        if random.chance(20) {
            wish.excluded = Some(random.chance(50));
        }
        match random.below(100) {
            0 => wish = Wish::default(),
            1 => wish.date = Some("2026-02-30".to_owned()),
            2 => wish.origin = Some(7),
            3 => {
                wish.date = Some(date.to_string());
                wish.completed_at = Some(midnight_in_london(date));
            }
            _ => {}
        }
        Operation::Record(listing, key, wish)
    }

    /// Always a change; few stay locked for long.
    fn choose_lock(&self, random: &mut Random) -> Operation {
        let is_unlock = random.chance(65);
        let listing = if is_unlock {
            self.choose_where(random, |id| self.listing(id).is_locked)
        } else {
            self.choose_listing(random)
        };
        let is_locked = self.live(listing).is_none_or(|one| !one.is_locked);
        Operation::Lock(listing, is_locked)
    }

    fn choose_delete(&self, random: &mut Random) -> Operation {
        let listing = if random.chance(70) {
            self.choose_where(random, |id| self.members(id).len() == 1)
        } else {
            self.choose_listing(random)
        };
        Operation::Delete(listing)
    }

    fn choose_create(&self, random: &mut Random) -> Operation {
        let price = 100_000 + i64::try_from(random.below(900_000)).unwrap();
        let referenced = self.listings.values();
        let referenced = referenced.filter(|one| one.external_id.is_some());
        let referenced: Vec<_> = referenced.collect();
        let properties: Vec<i64> = self.properties.keys().copied().collect();
        if random.chance(30) {
            // It exists already, or was withdrawn.
            let known = random.pick(&referenced);
            return Operation::Create(NewListing {
                branch: known.branch,
                property: if random.chance(20) {
                    *random.pick(&properties)
                } else {
                    known.property
                },
                external_id: known.external_id.clone(),
                price,
            });
        }
        let branches: Vec<i64> = self.branches.iter().map(|one| one.id).collect();
        let number = self.listings.len();
        let mut pick = |known: &[i64]| {
            if random.chance(3) {
                NOBODY
            } else {
                *random.pick(known)
            }
        };
        Operation::Create(NewListing {
            branch: pick(&branches),
            property: pick(&properties),
            external_id: random.chance(60).then(|| format!("C{number}")),
            price,
        })
    }
}
