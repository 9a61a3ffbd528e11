//! Words with several spellings, among them the street types.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::distance::typing_errors;

/// A word with several spellings.
#[derive(Debug)]
pub(crate) struct Spelling {
    /// The spelling that stands for all.
    pub(crate) short: &'static str,
    /// The other spellings. The full one, if it is among them, is first.
    pub(crate) forms: &'static [&'static str],
    pub(crate) is_street_type: bool,
}

/// The spelling of a known word. Street and saint share `ST`, so nothing has to guess.
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

/// Whether a word may be a mistyped street type.
pub(crate) fn resembles_street_type(word: &str) -> bool {
    let types = SPELLINGS.iter().filter(|spelling| spelling.is_street_type);
    let long = types.filter_map(|spelling| spelling.forms.first());
    let most = |form: &str| if form.len() < 8 { 1 } else { 2 };
    long.filter(|form| form.len() >= 4)
        .any(|form| typing_errors(word, form, most(form)).is_some())
}

const fn street(short: &'static str, forms: &'static [&'static str]) -> Spelling {
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

#[rustfmt::skip]
const SPELLINGS: &[Spelling] = &[
    street("ST", &["STREET", "SAINT", "STR", "SAINTS", "STRT"]),
    street("RD", &["ROAD"]),
    street("AVE", &["AVENUE", "AV", "AVN", "AVEN"]),
    street("LN", &["LANE", "LA"]),
    street("CL", &["CLOSE", "CLO", "CLS"]),
    street("DR", &["DRIVE", "DRV", "DOCTOR", "DV", "DVE"]),
    street("PL", &["PLACE", "PLC"]),
    street("CRES", &["CRESCENT", "CRESENT", "CR", "CRS", "CRESC", "CRST", "CRSNT", "CRESNT"]),
    street("CT", &["COURT", "CRT"]),
    street("GDNS", &["GARDENS", "GDN", "GARDEN", "GRDNS", "GDS", "GDNS"]),
    street("GR", &["GROVE", "GRV", "GRO", "GVE"]),
    street("TER", &["TERRACE", "TERR", "TCE", "TRC", "TERRCE"]),
    street("SQ", &["SQUARE", "SQR"]),
    street("PDE", &["PARADE", "PAR"]),
    street("PK", &["PARK"]),
    street("WY", &["WAY"]),
    street("WLK", &["WALK", "WK"]),
    street("MWS", &["MEWS"]),
    street("VW", &["VIEW"]),
    street("VLS", &["VILLAS", "VILLA", "VLAS"]),
    street("YD", &["YARD"]),
    street("BLVD", &["BOULEVARD", "BVD", "BOUL"]),
    street("GRN", &["GREEN"]),
    street("HL", &["HILL"]),
    street("ROW", &["RW"]),
    street("RISE", &["RSE"]),
    street("QY", &["QUAY"]),
    street("WHARF", &["WHF"]),
    street("BDWY", &["BROADWAY", "BWAY"]),
    street("HTS", &["HEIGHTS"]),
    street("CTS", &["COTTAGES", "COTTS", "COTGS", "CTGS"]),
    street("ARC", &["ARCADE"]),
    street("PREC", &["PRECINCT", "PCT"]),
    street("PROM", &["PROMENADE"]),
    street("CIR", &["CIRCUS", "CIRCLE", "CIRC"]),
    street("MDWS", &["MEADOWS", "MEADOW", "MDW"]),
    street("CFT", &["CROFT"]),
    street("FLDS", &["FIELDS"]),
    street("PTH", &["PATH"]),
    street("PASS", &["PASSAGE", "PSGE"]),
    street("CNR", &["CORNER"]),
    street("CHASE", &["CHS"]),
    street("FOLD", &[]),
    street("GATE", &["GTE"]),
    street("BANK", &["BNK"]),
    street("END", &[]),
    street("VALE", &[]),
    street("COMMON", &["CMN"]),
    street("ESPLANADE", &["ESP", "ESPL"]),
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
