//! History: who changed a listing, and how. Entries never change.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::LazyLock;

use chain::ids::{ChainId, ListingId};
use chain::milestone::{self, CATALOGUE};

use crate::people::PERSON_ACTOR;
use crate::row::Row;
use crate::{Read, Result, Write};

/// An entry to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    /// The listing.
    pub listing: ListingId,
    /// The listing's chain after the change.
    pub chain: ChainId,
    /// The kind of change, such as `check_top`.
    pub action: &'a str,
    /// The client's id, or `operator`.
    pub actor: &'a str,
    /// Details as JSON.
    pub detail: &'a str,
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// A later entry has a higher id.
    pub id: i64,
    /// The listing.
    pub listing: ListingId,
    /// The listing's chain at that time. It may not exist any more.
    pub chain: ChainId,
    /// The kind of change, such as `check_top`.
    pub action: String,
    /// The client's id, `person:` and the id of a person, or `operator`.
    pub actor: String,
    /// The current name of the participant of the client or person; `None` for other actors.
    pub participant: Option<String>,
    /// Details as JSON.
    pub detail: String,
    /// Unix seconds.
    pub at: i64,
}

/// Inserts an entry, and shows it to the branches that may read it (S-93). The branches of a chain are those
/// that have a listing in it now.
pub fn append_history(write: &mut Write<'_>, entry: &NewEntry<'_>, now: i64) -> Result<()> {
    let line = write.insert(
        "insert into history (listing_id, chain_id, action, actor, detail, recorded_at) \
         values ($1, $2, $3, $4, $5, $6) returning id",
        &[
            entry.listing.into(),
            (&entry.chain.to_string()).into(),
            entry.action.into(),
            entry.actor.into(),
            entry.detail.into(),
            now.into(),
        ],
    )?;
    let sql = if is_shared(entry) {
        SHOW_TO_CHAIN
    } else {
        SHOW_TO_BRANCH
    };
    write.execute(sql, &[line.into(), entry.listing.into()])?;
    Ok(())
}

/// Shows a new line to the branches that have a listing in the listing's chain now.
const SHOW_TO_CHAIN: &str = "insert into new_change (branch_id, line_id) \
     select distinct l.branch_id, cast($1 as bigint) from listing o join listing l \
     on l.chain_id = o.chain_id and (l.deleted_at is null or l.id = o.id) where o.id = $2";
/// Shows a new line to the listing's branch.
const SHOW_TO_BRANCH: &str = "insert into new_change (branch_id, line_id) \
     select branch_id, cast($1 as bigint) from listing where id = $2";

/// Whether everybody with a listing in the chain may read an entry (S-47), as [`IS_SHARED`] decides for stored
/// ones.
pub(crate) fn is_shared(entry: &NewEntry<'_>) -> bool {
    let key = || entry.detail.strip_prefix("{\"key\":\"")?.split('"').next();
    match entry.action {
        "link.added" | "link.broken" | "end.checked" | "end.unchecked" => true,
        "milestone.recorded" | "milestone.withdrawn" => {
            let kind = key().and_then(milestone::find_by_key);
            kind.is_some_and(|kind| kind.label.is_some())
        }
        _other => false,
    }
}

/// The number of a listing's entries, and one page of them, the oldest first.
pub fn list_history(
    read: &mut Read<'_>,
    listing: ListingId,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<HistoryEntry>)> {
    let total = read.query_integer(
        "select count(*) from history where listing_id = $1",
        &[listing.into()],
    )?;
    let mut entries = read.query(
        "select h.id, h.listing_id, h.chain_id, h.action, h.actor, p.name, h.detail, \
         h.recorded_at from history h left join client c on c.id = h.actor \
         left join participant p on p.id = c.participant_id \
         where h.listing_id = $1 order by h.id limit $2 offset $3",
        &[listing.into(), limit.into(), offset.into()],
        read_entry,
    )?;
    name_people(read, &mut entries)?;
    Ok((total, entries))
}

/// The condition of lines that the console shows. Other branches may write any number of lines of proposals,
/// which would hide the changes; the page of a sale lists the open proposals.
macro_rules! is_change {
    () => {
        " and action not in ('link.proposed', 'proposal.withdrawn') "
    };
}

/// At most `limit` entries of a listing, without proposals, the newest first.
pub fn list_newest(
    read: &mut Read<'_>,
    listing: ListingId,
    limit: i64,
) -> Result<Vec<HistoryEntry>> {
    let mut entries = read.query(
        concat!(
            "select h.id, h.listing_id, h.chain_id, h.action, h.actor, p.name, h.detail, \
             h.recorded_at from history h left join client c on c.id = h.actor \
             left join participant p on p.id = c.participant_id \
             where h.listing_id = $1",
            is_change!(),
            "order by h.id desc limit $2"
        ),
        &[listing.into(), limit.into()],
        read_entry,
    )?;
    name_people(read, &mut entries)?;
    Ok(entries)
}

/// The entries of the listings that are in a chain now.
const FROM_CHAIN: &str = "from history h join listing l on l.id = h.listing_id \
     left join client c on c.id = h.actor left join participant p on p.id = c.participant_id \
     where l.chain_id = $1 and l.deleted_at is null";
const COLUMNS: &str = "h.id, h.listing_id, h.chain_id, h.action, h.actor, p.name, h.detail, \
     h.recorded_at";
/// The condition of entries that everybody with a listing in the chain may read (S-47): links, ends and
/// document 1's milestones. A milestone's detail begins with its key.
static IS_SHARED: LazyLock<String> = LazyLock::new(|| {
    let labelled = CATALOGUE.iter().filter(|kind| kind.label.is_some());
    let keys: Vec<String> = labelled
        .map(|kind| format!("h.detail like '{{\"key\":\"{}\"%'", kind.key))
        .collect();
    format!(
        "(h.action in ('link.added', 'link.broken', 'end.checked', 'end.unchecked') \
         or h.action in ('milestone.recorded', 'milestone.withdrawn') and ({}))",
        keys.join(" or ")
    )
});
static COUNT_SHARED: LazyLock<String> =
    LazyLock::new(|| format!("select count(*) {FROM_CHAIN} and {}", *IS_SHARED));
static LIST_SHARED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {COLUMNS} {FROM_CHAIN} and {} order by h.id limit $2 offset $3",
        *IS_SHARED
    )
});
/// The newest lines of one listing that a person may read, among so many.
static LIST_NEWEST: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {COLUMNS} from (select * from history where listing_id = $1 and id > $2 and id < $3{} \
         order by id desc limit $4) as h left join client c on c.id = h.actor \
         left join participant p on p.id = c.participant_id \
         where $5 = 1 or {} order by h.id desc limit $6",
        is_change!(),
        *IS_SHARED
    )
});
/// The newest lines of a listing among which one read looks for those that a person may read.
const LOOKED_AT_MAX: i64 = 1_000;

/// The number of entries that everybody in a chain may read, and one page of them, the oldest first.
pub fn list_history_of_chain(
    read: &mut Read<'_>,
    chain: ChainId,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<HistoryEntry>)> {
    let key = chain.to_string();
    let total = read.query_integer(&COUNT_SHARED, &[(&key).into()])?;
    let parameters = [(&key).into(), limit.into(), offset.into()];
    let mut entries = read.query(&LIST_SHARED, &parameters, read_entry)?;
    name_people(read, &mut entries)?;
    Ok((total, entries))
}

/// The newest lines of a chain that a person may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewestLines {
    /// The newest first.
    pub entries: Vec<HistoryEntry>,
    /// Older lines have ids below this one; `None` if there are none.
    pub next: Option<i64>,
}

/// At most `limit` entries of a chain with ids above `after` and below `before`, the newest first: all but
/// proposals of the listings of the person's branches, and of the others those that everybody in the chain may read.
/// It looks at the newest 1,000 lines of each listing, so a page may have fewer entries and go on.
pub fn list_newest_of_chain(
    read: &mut Read<'_>,
    chain: ChainId,
    person: i64,
    [after, before]: [i64; 2],
    limit: i64,
) -> Result<NewestLines> {
    let listings = read.query(
        "select l.id, cast(case when l.branch_id in (select branch_id from person_branch \
         where person_id = $1) then 1 else 0 end as bigint) from listing l \
         where l.chain_id = $2 and l.deleted_at is null",
        &[person.into(), (&chain.to_string()).into()],
        |row| Ok((ListingId(row.integer(0)?), row.flag(1)?)),
    )?;
    let mut entries = Vec::new();
    // Below this line a listing has lines that were not looked at.
    let mut looked_down_to = after;
    for (listing, is_own) in listings {
        let last = read.query_one(
            concat!(
                "select id from history where listing_id = $1 and id > $2 and id < $3",
                is_change!(),
                "order by id desc limit 1 offset $4"
            ),
            &[
                listing.into(),
                after.into(),
                before.into(),
                (LOOKED_AT_MAX - 1).into(),
            ],
            |row| row.integer(0),
        )?;
        looked_down_to = looked_down_to.max(last.map_or(after, |last| last - 1));
        entries.extend(read.query(
            &LIST_NEWEST,
            &[
                listing.into(),
                after.into(),
                before.into(),
                LOOKED_AT_MAX.into(),
                is_own.into(),
                limit.into(),
            ],
            read_entry,
        )?);
    }
    entries.retain(|entry: &HistoryEntry| entry.id > looked_down_to);
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.id));
    let is_full = i64::try_from(entries.len()).is_ok_and(|count| count >= limit);
    entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = if is_full {
        entries.last().map(|entry| entry.id)
    } else {
        Some(looked_down_to + 1).filter(|_| looked_down_to > after)
    };
    name_people(read, &mut entries)?;
    Ok(NewestLines { entries, next })
}

/// The number of all entries of the listings that are in a chain now.
pub fn count_of_chain(read: &mut Read<'_>, chain: ChainId) -> Result<i64> {
    read.query_integer(
        "select count(*) from listing l join history h on h.listing_id = l.id \
         where l.chain_id = $1 and l.deleted_at is null",
        &[(&chain.to_string()).into()],
    )
}

/// Sets the participants of entries by people of the console, whose actor is `person:` and an id.
pub(crate) fn name_people(read: &mut Read<'_>, entries: &mut [HistoryEntry]) -> Result<()> {
    let mut known: HashMap<i64, Option<String>> = HashMap::new();
    for entry in entries {
        let id = entry.actor.strip_prefix(PERSON_ACTOR);
        let Some(id) = id.and_then(|id| id.parse::<i64>().ok()) else {
            continue;
        };
        if let Entry::Vacant(vacant) = known.entry(id) {
            vacant.insert(read.query_one(
                "select o.name from person p join participant o on o.id = p.participant_id \
                 where p.id = $1",
                &[id.into()],
                |row| row.text(0),
            )?);
        }
        entry.participant = known.get(&id).cloned().flatten();
    }
    Ok(())
}

pub(crate) fn read_entry(row: &Row<'_>) -> Result<HistoryEntry> {
    Ok(HistoryEntry {
        id: row.integer(0)?,
        listing: ListingId(row.integer(1)?),
        chain: row.parsed(2)?,
        action: row.text(3)?,
        actor: row.text(4)?,
        participant: row.optional_text(5)?,
        detail: row.text(6)?,
        at: row.integer(7)?,
    })
}

/// The newest line; 0 without lines.
pub fn find_newest(read: &mut Read<'_>) -> Result<i64> {
    read.query_integer("select coalesce(max(id), 0) from history", &[])
}

/// When a line was written, in Unix seconds. `None` if there is no such line.
pub fn find_time(read: &mut Read<'_>, line: i64) -> Result<Option<i64>> {
    read.query_one(
        "select recorded_at from history where id = $1",
        &[line.into()],
        |row| row.integer(0),
    )
}

/// The lowest id from which on all lines were recorded at a time (Unix seconds) or later. Ids grow with time,
/// so halving finds it without an index of times.
pub fn find_first_since(read: &mut Read<'_>, at: i64) -> Result<i64> {
    let last = find_newest(read)?;
    let (mut low, mut high) = (0, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let found = read.query_one(
            "select id, recorded_at from history where id >= $1 order by id limit 1",
            &[middle.into()],
            |row| Ok((row.integer(0)?, row.integer(1)?)),
        )?;
        match found {
            Some((id, recorded_at)) if recorded_at < at => low = id + 1,
            Some(_) | None => high = middle,
        }
    }
    Ok(low)
}
