//! Words with several spellings, and which of them are kinds of street.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::distance::typing_errors;

/// The one spelling of a word that has several, and all its long forms for comparing typing
/// errors.
#[derive(Debug)]
pub(crate) struct Spelling {
    pub(crate) short: &'static str,
    pub(crate) forms: &'static [&'static str],
    pub(crate) is_street_type: bool,
}

/// The spelling of a known word. `ST` is both street and saint, so it needs no guess.
pub(crate) fn spelling(word: &str) -> Option<&'static Spelling> {
    static BY_FORM: LazyLock<HashMap<&'static str, &'static Spelling>> = LazyLock::new(|| {
        let forms = SPELLINGS.iter().flat_map(|spelling| {
            let forms = spelling.forms.iter().copied();
            forms
                .chain([spelling.short])
                .map(move |form| (form, spelling))
        });
        forms.collect()
    });
    BY_FORM.get(word).copied()
}

/// Whether a word could be a kind of street, mistyped.
pub(crate) fn resembles_street_type(word: &str) -> bool {
    let kinds = SPELLINGS.iter().filter(|spelling| spelling.is_street_type);
    let long = kinds.filter_map(|spelling| spelling.forms.first());
    let most = |form: &str| if form.len() < 8 { 1 } else { 2 };
    long.filter(|form| form.len() >= 4)
        .any(|form| typing_errors(word, form, most(form)).is_some())
}

const fn kind(short: &'static str, forms: &'static [&'static str]) -> Spelling {
    Spelling {
        short,
        forms,
        is_street_type: true,
    }
}

const fn word(short: &'static str, forms: &'static [&'static str]) -> Spelling {
    Spelling {
        short,
        forms,
        is_street_type: false,
    }
}

const SPELLINGS: &[Spelling] = &[
    kind("ST", &["STREET", "SAINT", "STR", "SAINTS", "STRT"]),
    kind("RD", &["ROAD"]),
    kind("AVE", &["AVENUE", "AV", "AVN", "AVEN"]),
    kind("LN", &["LANE", "LA"]),
    kind("CL", &["CLOSE", "CLO", "CLS"]),
    kind("DR", &["DRIVE", "DRV", "DOCTOR", "DV", "DVE"]),
    kind("PL", &["PLACE", "PLC"]),
    kind(
        "CRES",
        &[
            "CRESCENT", "CRESENT", "CR", "CRS", "CRESC", "CRST", "CRSNT", "CRESNT",
        ],
    ),
    kind("CT", &["COURT", "CRT"]),
    kind(
        "GDNS",
        &["GARDENS", "GDN", "GARDEN", "GRDNS", "GDS", "GDNS"],
    ),
    kind("GR", &["GROVE", "GRV", "GRO", "GVE"]),
    kind("TER", &["TERRACE", "TERR", "TCE", "TRC", "TERRCE"]),
    kind("SQ", &["SQUARE", "SQR"]),
    kind("PDE", &["PARADE", "PAR"]),
    kind("PK", &["PARK"]),
    kind("WY", &["WAY"]),
    kind("WLK", &["WALK", "WK"]),
    kind("MWS", &["MEWS"]),
    kind("VW", &["VIEW"]),
    kind("VLS", &["VILLAS", "VILLA", "VLAS"]),
    kind("YD", &["YARD"]),
    kind("BLVD", &["BOULEVARD", "BVD", "BOUL"]),
    kind("GRN", &["GREEN"]),
    kind("HL", &["HILL"]),
    kind("ROW", &["RW"]),
    kind("RISE", &["RSE"]),
    kind("QY", &["QUAY"]),
    kind("WHARF", &["WHF"]),
    kind("BDWY", &["BROADWAY", "BWAY"]),
    kind("HTS", &["HEIGHTS"]),
    kind("CTS", &["COTTAGES", "COTTS", "COTGS", "CTGS"]),
    kind("ARC", &["ARCADE"]),
    kind("PREC", &["PRECINCT", "PCT"]),
    kind("PROM", &["PROMENADE"]),
    kind("CIR", &["CIRCUS", "CIRCLE", "CIRC"]),
    kind("MDWS", &["MEADOWS", "MEADOW", "MDW"]),
    kind("CFT", &["CROFT"]),
    kind("FLDS", &["FIELDS"]),
    kind("PTH", &["PATH"]),
    kind("PASS", &["PASSAGE", "PSGE"]),
    kind("CNR", &["CORNER"]),
    kind("CHASE", &["CHS"]),
    kind("FOLD", &[]),
    kind("GATE", &["GTE"]),
    kind("BANK", &["BNK"]),
    kind("END", &[]),
    kind("VALE", &[]),
    kind("COMMON", &["CMN"]),
    kind("ESPLANADE", &["ESP", "ESPL"]),
    word("HSE", &["HOUSE", "HO"]),
    word("COTT", &["COTTAGE", "COT"]),
    word("BLDGS", &["BUILDINGS", "BUILDING", "BLDG"]),
    word("APARTMENTS", &["APTS"]),
    word("FM", &["FARM"]),
    word("LDG", &["LODGE"]),
    word("MNR", &["MANOR"]),
    word("MANS", &["MANSIONS", "MANSION"]),
    word("CTR", &["CENTRE", "CENTER", "CTRE", "CEN", "CENT"]),
    word("EST", &["ESTATE"]),
    word("IND", &["INDUSTRIAL", "INDL"]),
    word("TDG", &["TRADING"]),
    word("BUS", &["BUSINESS"]),
    word("MT", &["MOUNT", "MNT"]),
    word("GT", &["GREAT"]),
    word("LT", &["LITTLE", "LTL"]),
    word("NTH", &["NORTH"]),
    word("STH", &["SOUTH"]),
    word("EAST", &[]),
    word("WEST", &[]),
    word("UPPER", &["UPR"]),
    word("LOWER", &["LWR"]),
    word("LTD", &["LIMITED"]),
    word("CO", &["COMPANY", "COUNTY"]),
    word("BROS", &["BROTHERS"]),
    word("JCN", &["JUNCTION", "JCT"]),
    word("SCH", &["SCHOOL"]),
    word("HOSP", &["HOSPITAL"]),
    word("PRACT", &["PRACTICE", "PRAC"]),
    word("MED", &["MEDICAL"]),
    word("SURG", &["SURGERY"]),
    word("FIRST", &["1ST"]),
    word("SECOND", &["2ND"]),
    word("THIRD", &["3RD"]),
    word("FOURTH", &["4TH"]),
    word("FIFTH", &["5TH"]),
    word("SIXTH", &["6TH"]),
    word("SEVENTH", &["7TH"]),
    word("EIGHTH", &["8TH"]),
    word("NINTH", &["9TH"]),
    word("TENTH", &["10TH"]),
    word("ELEVENTH", &["11TH"]),
    word("TWELFTH", &["12TH"]),
];
