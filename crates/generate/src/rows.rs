//! Writes a sample as import rows and counts them.

use std::io::Write;

use chain::listing::{Tenure, TransactionType};
use chain::milestone::MilestoneType;
use import::row::{MilestoneRow, Row, date_text};
use jiff::civil::Date;

use super::property::Kind;
use super::random::Random;
use super::{GenerateError, Summary};

/// Writes NDJSON and keeps the summary.
pub(super) struct RowWriter<'a> {
    out: &'a mut dyn Write,
    line: Vec<u8>,
    pub(super) summary: Summary,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            line: Vec::with_capacity(LINE_BYTES),
            summary: Summary::default(),
        }
    }

    pub(super) fn write(&mut self, row: &Row) -> Result<(), GenerateError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, row).map_err(std::io::Error::from)?;
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.summary.count(row);
        Ok(())
    }

    /// Writes the milestones of one listing: `row`, and copies of it with the other types and
    /// dates.
    ///
    /// Nine rows in ten are milestones, so `serde` writes only the first. The others reuse the part
    /// before its key, because keys and dates need no escaping.
    pub(super) fn write_milestones(
        &mut self,
        row: MilestoneRow,
        others: impl Iterator<Item = (&'static MilestoneType, Date)>,
    ) -> Result<(), GenerateError> {
        let first_end = row.milestone_type.key.len() + MILESTONE_END_BYTES;
        self.write(&Row::Milestone(row))?;
        let shared = self.line.len().saturating_sub(first_end);
        for (milestone_type, date) in others {
            self.line.truncate(shared);
            self.line.extend_from_slice(milestone_type.key.as_bytes());
            self.line.extend_from_slice(BETWEEN_KEY_AND_DATE);
            self.line.extend_from_slice(&date_text(date));
            self.line.extend_from_slice(BEHIND_DATE);
            self.out.write_all(&self.line)?;
            self.summary.rows += 1;
            self.summary.milestones += 1;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Summary, GenerateError> {
        self.out.flush()?;
        Ok(self.summary)
    }
}

/// Draws the tenure of a kind of property: mostly the usual one, sometimes another or none.
pub(super) fn draw_tenure(random: &mut Random, kind: Kind) -> Option<Tenure> {
    let draw = random.below(1_000);
    match kind {
        Kind::Flat => match draw {
            0..870 => Some(Tenure::Leasehold),
            870..965 => Some(Tenure::ShareOfFreehold),
            965..970 => Some(Tenure::Commonhold),
            _ => None,
        },
        Kind::House | Kind::NewBuild => match draw {
            0..955 => Some(Tenure::Freehold),
            955..980 => Some(Tenure::Leasehold),
            _ => None,
        },
    }
}

/// Draws what makes a sale unusual: mostly nothing, sometimes one thing, seldom two.
pub(super) fn draw_transaction_types(random: &mut Random, kind: Kind) -> Vec<TransactionType> {
    let mut types = Vec::new();
    if kind == Kind::NewBuild || !random.chance(60) {
        return types;
    }
    let usual: &[TransactionType] = match kind {
        Kind::Flat => &[
            TransactionType::BuyToLet,
            TransactionType::BuyToLet,
            TransactionType::SharedOwnership,
            TransactionType::FreeholdEnfranchisement,
            TransactionType::Probate,
            TransactionType::Repossession,
        ],
        Kind::House | Kind::NewBuild => &[
            TransactionType::Probate,
            TransactionType::Probate,
            TransactionType::Probate,
            TransactionType::PowerOfAttorney,
            TransactionType::Auction,
            TransactionType::BuyToLet,
            TransactionType::Repossession,
        ],
    };
    types.extend(random.pick(usual));
    if random.chance(100) && !types.contains(&TransactionType::Auction) {
        types.push(TransactionType::Auction);
    }
    types
}

/// Draws a price in whole pounds, rounded as agents round it. Properties cost more up the chain.
pub(super) fn draw_price(
    random: &mut Random,
    kind: Kind,
    price_thousands: u16,
    place: usize,
) -> i64 {
    let kind_percent = match kind {
        Kind::House => 100,
        Kind::Flat => 62,
        Kind::NewBuild => 112,
    };
    let step_percent = i64::try_from(place).unwrap_or_default().min(8) * 12;
    let percent = i64::from(random.between(65, 150)) * (100 + step_percent) / 100;
    let pounds = i64::from(price_thousands) * 1_000 * kind_percent / 100 * percent / 100;
    let step = if pounds < 300_000 { 500 } else { 5_000 };
    pounds / step * step
}

const LINE_BYTES: usize = 512;
const BETWEEN_KEY_AND_DATE: &[u8] = br#"","date":""#;
const BEHIND_DATE: &[u8] = b"\"}\n";
const DATE_BYTES: usize = 10;
const MILESTONE_END_BYTES: usize = BETWEEN_KEY_AND_DATE.len() + DATE_BYTES + BEHIND_DATE.len();
