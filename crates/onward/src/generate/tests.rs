//! What sample data has to be like, read back as an import would read it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

use chain::ids::Uprn;
use chain::milestone::{CATALOGUE, find_by_key};
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::places::TOWNS;
use super::{AS_OF, GenerateError, GenerateOptions, Summary, generate};
use crate::import::row::{ChainEnd, ListingRow, MilestoneRow, PropertyRow, Row};

fn made_up(listings: u64, seed: u64) -> GenerateOptions {
    GenerateOptions {
        listings: Some(listings),
        seed,
        ..GenerateOptions::default()
    }
}

fn write(options: &GenerateOptions) -> (String, Summary) {
    let mut out = Vec::new();
    let summary = generate(options, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), summary)
}

/// A file of sample data as an importer would hold it: building it checks that every line is a
/// valid row, is written the canonical way, and names only rows before it.
#[derive(Default)]
struct Loaded {
    branches: BTreeSet<String>,
    properties: HashMap<Uprn, PropertyRow>,
    listings: Vec<ListingRow>,
    /// Listings by branch and external id.
    numbers: HashMap<(String, String), usize>,
    milestones: HashMap<usize, Vec<MilestoneRow>>,
    /// Buyer below, seller above, and whether the row allows a split.
    links: Vec<(usize, usize, bool)>,
    checks: Vec<(usize, ChainEnd)>,
    row_types: BTreeSet<&'static str>,
}

impl Loaded {
    fn new(text: &str) -> Self {
        let mut loaded = Self::default();
        for line in text.lines() {
            let row = Row::from_json(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(serde_json::to_string(&row).unwrap(), line);
            loaded.add(row);
        }
        loaded
    }

    fn add(&mut self, row: Row) {
        let row_type = match row {
            Row::Branch(row) => {
                assert!(self.branches.insert(row.branch));
                "branch"
            }
            Row::Property(row) => {
                assert!(self.properties.insert(row.uprn, row).is_none());
                "property"
            }
            Row::Listing(row) => {
                assert!(self.branches.contains(&row.branch));
                assert!(self.properties.contains_key(&row.uprn));
                let name = (row.branch.clone(), row.listing.clone());
                assert!(self.numbers.insert(name, self.listings.len()).is_none());
                self.listings.push(row);
                "listing"
            }
            Row::Party(row) => {
                self.number(&row.branch, &row.listing);
                "party"
            }
            Row::Milestone(row) => {
                let number = self.number(&row.branch, &row.listing);
                self.milestones.entry(number).or_default().push(row);
                "milestone"
            }
            Row::Link(row) => {
                let buyer = self.number(&row.buyer_branch, &row.buyer);
                let seller = self.number(&row.seller_branch, &row.seller);
                assert_ne!(buyer, seller);
                self.links.push((buyer, seller, row.split));
                "link"
            }
            Row::EndCheck(row) => {
                self.checks
                    .push((self.number(&row.branch, &row.listing), row.end));
                "end_check"
            }
        };
        self.row_types.insert(row_type);
    }

    fn number(&self, branch: &str, listing: &str) -> usize {
        self.numbers[&(branch.to_owned(), listing.to_owned())]
    }

    /// The listings of each chain, by the links alone.
    fn chains(&self) -> Vec<Vec<usize>> {
        let mut first: Vec<usize> = (0..self.listings.len()).collect();
        for (buyer, seller, _) in &self.links {
            let (one, other) = (find_first(&first, *buyer), find_first(&first, *seller));
            assert_ne!(one, other, "a ring");
            first[one.max(other)] = one.min(other);
        }
        let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.listings.len() {
            chains
                .entry(find_first(&first, number))
                .or_default()
                .push(number);
        }
        chains.into_values().collect()
    }

    /// How often each listing is a buyer, and how often a seller.
    fn neighbours(&self) -> (HashMap<usize, usize>, HashMap<usize, usize>) {
        let (mut above, mut below) = (HashMap::new(), HashMap::new());
        for (buyer, seller, _) in &self.links {
            *above.entry(*buyer).or_default() += 1;
            *below.entry(*seller).or_default() += 1;
        }
        (above, below)
    }

    fn date_of(&self, listing: usize, key: &str) -> Option<Date> {
        let milestones = self.milestones.get(&listing)?;
        let found = milestones.iter().find(|row| row.milestone_type.key == key);
        found.map(|row| row.date)
    }
}

/// One large file for the tests that count, because reading it takes seconds.
static LARGE: LazyLock<(Loaded, Summary)> = LazyLock::new(|| load(20_000, 1));

/// The first listing of a chain, as far as its links are known.
fn find_first(first: &[usize], mut number: usize) -> usize {
    while first[number] != number {
        number = first[number];
    }
    number
}

fn load(listings: u64, seed: u64) -> (Loaded, Summary) {
    let (text, summary) = write(&made_up(listings, seed));
    (Loaded::new(&text), summary)
}

/// Whether `part` of `whole` lies within these bounds, in thousandths.
#[track_caller]
fn check_share(part: usize, whole: usize, per_thousand: std::ops::RangeInclusive<usize>) {
    let share = part * 1_000 / whole;
    assert!(
        per_thousand.contains(&share),
        "{part} of {whole}: {share} per thousand"
    );
}

const EXPECTED: [&str; 4] = [
    "searches_expected",
    "mortgage_offer_expected",
    "proposed_exchange",
    "proposed_completion",
];

#[test]
fn chains_have_the_lengths_and_shapes_of_real_ones() {
    let (loaded, summary) = &*LARGE;
    let chains = loaded.chains();
    assert_eq!(loaded.listings.len(), 20_000);
    assert_eq!(summary.listings, 20_000);
    assert_eq!(summary.chains, u64::try_from(chains.len()).unwrap());
    check_share(20_000, chains.len(), 2_200..=2_800);
    let longest = chains.iter().map(Vec::len).max().unwrap();
    assert!((8..=40).contains(&longest), "{longest}");

    let (above, below) = loaded.neighbours();
    let is_fork = |number: &usize| above.get(number) > Some(&1) || below.get(number) > Some(&1);
    let split = chains
        .iter()
        .filter(|chain| chain.iter().any(is_fork))
        .count();
    assert_eq!(summary.split_chains, u64::try_from(split).unwrap());
    check_share(split, chains.len(), 10..=30);
    assert!(above.values().any(|count| *count == 2), "nobody buys two");
    assert!(below.values().any(|count| *count == 2), "nobody sells two");
    for (buyer, seller, may_split) in &loaded.links {
        assert_eq!(*may_split, above[buyer] > 1 || below[seller] > 1);
    }
    for chain in &chains {
        assert_eq!(
            chain.last().unwrap() - chain[0] + 1,
            chain.len(),
            "not contiguous"
        );
    }
    // Properties that stand at the top, or are the only ones of their chain, may be new builds.
    for (number, listing) in loaded.listings.iter().enumerate() {
        assert!(!listing.uprn.is_placeholder() || !above.contains_key(&number));
    }
}

#[test]
fn all_types_and_usual_shares_occur() {
    let (loaded, summary) = &*LARGE;
    assert_eq!(loaded.row_types.len(), 7);
    let keys: HashSet<&str> = loaded
        .milestones
        .values()
        .flatten()
        .map(|row| row.milestone_type.key)
        .collect();
    assert_eq!(keys.len(), CATALOGUE.len(), "{keys:?}");
    let listings = loaded.listings.len();
    let having = |key: &str| {
        (0..listings)
            .filter(|number| loaded.date_of(*number, key).is_some())
            .count()
    };
    check_share(having("fall_through"), listings, 30..=50);
    check_share(having("completion"), listings, 80..=250);
    check_share(having("property_listed"), listings, 1_000..=1_000);
    let placeholders = loaded
        .properties
        .keys()
        .filter(|uprn| uprn.is_placeholder())
        .count();
    check_share(placeholders, loaded.properties.len(), 20..=40);
    check_share(listings - loaded.properties.len(), listings, 10..=30);
    check_share(loaded.branches.len(), listings, 16..=17);
    assert_eq!(
        summary.properties,
        u64::try_from(loaded.properties.len()).unwrap()
    );

    let (_, below) = loaded.neighbours();
    let sold_bottoms: Vec<usize> = (0..listings)
        .filter(|number| !below.contains_key(number))
        .filter(|number| loaded.date_of(*number, "enquiries_opened").is_some())
        .collect();
    let is_cash = |number: &usize| loaded.date_of(*number, "cash_buyer").is_some();
    let cash = sold_bottoms.iter().filter(|number| is_cash(number)).count();
    check_share(cash, sold_bottoms.len(), 250..=350);
    assert_eq!(having("cash_buyer"), (0..listings).filter(is_cash).count());
    assert!(
        (0..listings)
            .filter(is_cash)
            .all(|number| !below.contains_key(&number))
    );

    let flats = loaded
        .listings
        .iter()
        .filter(|row| loaded.properties[&row.uprn].line1.starts_with("Flat"));
    let (mut flat_count, mut leasehold_count) = (0, 0);
    for flat in flats {
        flat_count += 1;
        leasehold_count += usize::from(flat.tenure == chain::listing::Tenure::parse("leasehold"));
    }
    check_share(flat_count, listings, 150..=350);
    check_share(leasehold_count, flat_count, 800..=950);
}

#[test]
fn milestones_follow_each_other_and_their_chain() {
    let (loaded, _) = &*LARGE;
    let first_day = date(2025, 1, 1);
    for rows in loaded.milestones.values() {
        let happened = rows
            .iter()
            .filter(|row| !EXPECTED.contains(&row.milestone_type.key));
        let dates: Vec<Date> = happened.map(|row| row.date).collect();
        assert!(dates.is_sorted(), "{rows:?}");
        assert!(*dates.first().unwrap() >= first_day && *dates.last().unwrap() <= AS_OF);
        let keys: BTreeSet<&str> = rows.iter().map(|row| row.milestone_type.key).collect();
        assert_eq!(keys.len(), rows.len(), "a type twice: {rows:?}");
        for (later, earlier) in [
            ("sstc", "property_listed"),
            ("contract_received", "sstc"),
            ("la_search_delivered", "searches_ordered"),
            ("mortgage_offered", "funding_applied"),
            ("enquiries_closed", "enquiries_opened"),
            ("exchange", "enquiries_closed"),
            ("completion", "exchange"),
        ] {
            assert!(
                !keys.contains(later) || keys.contains(earlier),
                "{later}: {rows:?}"
            );
        }
        assert!(!(keys.contains("cash_buyer") && keys.contains("funding_applied")));
        assert!(!(keys.contains("fall_through") && keys.contains("exchange")));
    }
    for chain in loaded.chains() {
        for key in ["exchange", "completion"] {
            let dates: HashSet<_> = chain
                .iter()
                .map(|number| loaded.date_of(*number, key))
                .collect();
            assert_eq!(dates.len(), 1, "{key} differs within a chain");
        }
    }
    for (buyer, seller, _) in &loaded.links {
        let sold = |number| loaded.date_of(number, "sstc").unwrap();
        assert!(
            sold(*buyer) <= sold(*seller),
            "bought before the own sale was agreed"
        );
    }
}

#[test]
fn a_property_is_listed_again_only_after_its_sale_fell_through() {
    let (loaded, _) = &*LARGE;
    let mut by_property: HashMap<Uprn, Vec<usize>> = HashMap::new();
    for (number, row) in loaded.listings.iter().enumerate() {
        by_property.entry(row.uprn).or_default().push(number);
    }
    let (above, below) = loaded.neighbours();
    let mut seen = 0;
    for listings in by_property.values().filter(|listings| listings.len() > 1) {
        let [earlier, later] = listings[..] else {
            panic!("three listings")
        };
        seen += 1;
        let created = |number: usize| loaded.listings[number].created_at.unwrap();
        assert!(created(earlier) < created(later));
        let fell_through = loaded.date_of(earlier, "fall_through").unwrap();
        assert!(fell_through < loaded.date_of(later, "property_listed").unwrap());
        assert!(!above.contains_key(&earlier) && !below.contains_key(&earlier));
    }
    assert!(seen > 100);
}

#[test]
fn checked_ends_are_ends() {
    let (loaded, _) = &*LARGE;
    let (above, below) = loaded.neighbours();
    for (number, end) in &loaded.checks {
        let further = if *end == ChainEnd::Top {
            &above
        } else {
            &below
        };
        assert!(!further.contains_key(number));
    }
    for end in [ChainEnd::Top, ChainEnd::Bottom] {
        let count = loaded.checks.iter().filter(|check| check.1 == end).count();
        check_share(count, loaded.chains().len(), 100..=700);
    }
}

#[test]
fn addresses_are_unique_and_a_street_keeps_its_town() {
    let (text, _) = write(&made_up(40_000, 6));
    let mut loaded = Loaded::default();
    for line in text
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"property""#))
    {
        loaded.add(Row::from_json(line).unwrap());
    }
    let mut addresses = HashSet::new();
    let mut streets: HashMap<&str, HashSet<(&str, &str)>> = HashMap::new();
    for row in loaded.properties.values() {
        assert!(
            addresses.insert(chain::address::normalise(&row.display_address)),
            "{row:?}"
        );
        assert_eq!(row.display_address, row.joined_address());
        let lines = [&row.line1, &row.line2, &row.line3, &row.line4];
        let street = lines.iter().rfind(|line| is_street_line(line)).unwrap();
        let street = street.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        streets
            .entry(&row.postcode)
            .or_default()
            .insert((&row.post_town, street));
    }
    for (postcode, street) in &streets {
        assert_eq!(street.len(), 1, "{postcode}: {street:?}");
    }
    assert!(streets.len() < loaded.properties.len(), "no neighbours");
}

fn is_street_line(line: &str) -> bool {
    let name = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    super::streets::STREET_TYPES.iter().any(|street_type| {
        let first = name.strip_suffix(street_type).map(str::trim_end);
        first.is_some_and(|first| super::streets::STREET_NAMES.contains(&first))
    })
}

#[test]
fn towns_share_no_outward_code() {
    let mut outcodes = HashSet::new();
    for town in TOWNS {
        assert!(town.weight > 0 && town.price_thousands > 0, "{town:?}");
        for outcode in town.outcodes.split(' ') {
            assert!(outcodes.insert(outcode), "{outcode}");
            assert!(
                chain::address::postcode(&format!("{outcode} 1AA")).is_some(),
                "{outcode}"
            );
        }
    }
    let names: HashSet<&str> = TOWNS.iter().map(|town| town.name).collect();
    assert!(names.len() >= 150, "{}", names.len());
}

#[test]
fn word_lists_repeat_nothing() {
    use super::streets;
    for words in [
        streets::STREET_NAMES,
        streets::STREET_TYPES,
        streets::BUILDINGS,
        streets::HOUSE_NAMES,
        streets::DEVELOPMENTS,
        streets::LOCALITIES,
    ] {
        let distinct: HashSet<&&str> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
    }
    let agents: HashSet<String> = (0..15_000).map(super::firms::agent_name).collect();
    assert_eq!(agents.len(), 15_000);
}

#[test]
fn small_and_large_numbers_of_listings_are_met_exactly() {
    for listings in [1, 2, 5, 7, 61] {
        for seed in 0..20 {
            let (loaded, _) = load(listings, seed);
            assert_eq!(loaded.listings.len(), usize::try_from(listings).unwrap());
        }
    }
    for listings in [0, 10_000_001] {
        let error = generate(&made_up(listings, 1), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, GenerateError::ListingCount(_)), "{error}");
    }
    let loaded = Loaded::new(&write(&GenerateOptions::default()).0);
    assert_eq!(loaded.listings.len(), 1_000);
}

#[test]
fn the_day_may_be_moved_within_bounds() {
    let on = |as_of| GenerateOptions {
        as_of,
        ..made_up(200, 1)
    };
    let loaded = Loaded::new(&write(&on(date(2024, 3, 1))).0);
    let latest = loaded.milestones.values().flatten();
    let latest = latest.filter(|row| !EXPECTED.contains(&row.milestone_type.key));
    assert!(latest.map(|row| row.date).max().unwrap() <= date(2024, 3, 1));
    let error = generate(&on(date(1999, 12, 31)), &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1999-12-31 cannot be the day of sample data: take one of the years 2000 to 2100"
    );
}

#[test]
fn the_bytes_of_a_seed_never_change() {
    // Files made from a seed are compared with each other by people; a change here is a change
    // for them and belongs in the release notes.
    let (text, _) = write(&made_up(100, 1));
    let sum = text
        .bytes()
        .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
    assert_eq!(
        (text.lines().count(), sum),
        (1_921, 4_736_573_372_851_518_883)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_same_seed_gives_the_same_bytes(seed: u64, listings in 1_u64..200) {
        let options = made_up(listings, seed);
        let (one, other) = (write(&options).0, write(&options).0);
        prop_assert_eq!(&one, &other);
        let loaded = Loaded::new(&one);
        prop_assert_eq!(loaded.listings.len(), usize::try_from(listings).unwrap());
        let next = write(&made_up(listings, seed.wrapping_add(1))).0;
        prop_assert_ne!(one, next);
    }
}

/// Writes a table into a directory of its own.
fn table(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    (directory, file)
}

fn given(file: PathBuf, listings: Option<u64>) -> GenerateOptions {
    GenerateOptions {
        listings,
        addresses: Some(file),
        ..GenerateOptions::default()
    }
}

const TABLE: &str = "source\tname\taddress\tpostcode\tuprn\n\
    x\tA \"quoted\tFlat 2, 5 High Street, Leeds, West Yorkshire\tls14ap\t\n\
    x\t\tHazelgrove, Hazel Grove, Old Estate, North End, East Side, Hatfield, Hertfordshire\tAL10 9DX\t100081151536\n\
    x\t\t1 Low Road\tnonsense\t\n\
    x\t\t\tLS1 4AP\t\n\
    x\t\t1 LOW ROAD LEEDS\tLS1 4AP\t900000000001\n\
    x\t\t2 Low Road, Leeds\tLS1 4AP\t100081151536\n\
    x\t\t2 low road, leeds\tLS1  4AP\t\n\
    x\t\t3 Low \"Old\" Road\\, Leeds\tLS1 4AP\t\n";

#[test]
fn given_addresses_are_taken_in_their_order() {
    let (_directory, file) = table("addresses.tsv", TABLE.as_bytes());
    let (text, summary) = write(&given(file, None));
    let loaded = Loaded::new(&text);
    let addresses: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let Row::Property(row) = Row::from_json(line).unwrap() else {
                return None;
            };
            Some(format!("{} {}", row.uprn, row.display_address))
        })
        .collect();
    assert_eq!(
        addresses,
        [
            "900000000000 Flat 2, 5 High Street, Leeds, West Yorkshire, LS1 4AP",
            "100081151536 Hazelgrove, Hazel Grove, Old Estate, North End, East Side, Hatfield, Hertfordshire, AL10 9DX",
            "900000000001 1 LOW ROAD LEEDS, LS1 4AP",
            "900000000002 2 Low Road, Leeds, LS1 4AP",
            "900000000003 3 Low \"Old\" Road\\, Leeds, LS1 4AP",
        ]
    );
    assert_eq!(loaded.listings.len(), 5);
    assert_eq!(
        (summary.addresses_skipped, summary.addresses_repeated),
        (2, 1)
    );
    let parts = |uprn: i64| {
        let row = &loaded.properties[&Uprn::new(uprn).unwrap()];
        [
            &row.line1,
            &row.line2,
            &row.line3,
            &row.line4,
            &row.post_town,
        ]
        .map(String::as_str)
    };
    assert_eq!(
        parts(900_000_000_000),
        ["Flat 2", "5 High Street", "", "", "Leeds"]
    );
    assert_eq!(
        parts(100_081_151_536),
        [
            "Hazelgrove",
            "Hazel Grove",
            "Old Estate",
            "North End, East Side",
            "Hatfield"
        ]
    );
    assert_eq!(parts(900_000_000_001), ["1 LOW ROAD LEEDS", "", "", "", ""]);
}

#[test]
fn fewer_listings_than_addresses_may_be_asked_for() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"postcode,address\n").unwrap();
    for number in 1..=300 {
        writeln!(encoder, "LS1 4AP,\"{number} High Street, Leeds\"").unwrap();
    }
    let (_directory, file) = table("addresses.csv.gz", &encoder.finish().unwrap());
    for (wanted, expected) in [
        (None, 300),
        (Some(7), 7),
        (Some(299), 299),
        (Some(1_000), 300),
    ] {
        let (text, _) = write(&given(file.clone(), wanted));
        assert_eq!(Loaded::new(&text).listings.len(), expected);
    }
}

#[test]
fn an_unusable_table_is_an_error() {
    for (name, bytes, message) in [
        ("a.csv", "", "line 1: the file is empty"),
        (
            "a.csv",
            "address,uprn\n",
            "line 1: the header line needs a column `postcode`",
        ),
        (
            "a.csv.gz",
            "address,postcode\n",
            "line 1: the file cannot be read",
        ),
        ("a.txt", "address,postcode\n", "name the file .csv or .tsv"),
    ] {
        let (_directory, file) = table(name, bytes.as_bytes());
        let error = generate(&given(file, None), &mut Vec::new())
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let mut room = [0_u8; 1_000];
    let mut out = Cursor::new(&mut room[..]);
    let error = generate(&made_up(100, 1), &mut out).unwrap_err();
    assert!(matches!(error, GenerateError::Write(_)), "{error}");
}

#[test]
fn expected_types_are_those_of_the_catalogue() {
    assert!(EXPECTED.iter().all(|key| find_by_key(key).is_some()));
}
