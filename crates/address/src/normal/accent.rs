//! The accented Latin capitals, and the plain letters that stand for them.

/// The plain letters for an accented Latin capital or a ligature of capitals; `None` for any other
/// character, which then stands for itself.
pub(super) fn fold_capital(capital: char) -> Option<&'static str> {
    // Addresses are nearly always plain: the tables are searched for the rare other letter only.
    if capital.is_ascii() {
        return None;
    }
    let mut folds = FOLDS.iter();
    folds
        .find(|(_, capitals)| capitals.contains(capital))
        .map(|(plain, _)| *plain)
}

/// Latin-1, Latin Extended-A, Latin Extended-B and Latin Extended Additional; all Welsh letters
/// are among them.
const FOLDS: [(&str, &str); 33] = [
    ("A", "ÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ"),
    ("B", "ḂḄḆɃ"),
    ("C", "ÇĆĈĊČḈ"),
    ("D", "ĎḊḌḎḐḒÐĐ"),
    ("E", "ÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆ"),
    ("F", "Ḟ"),
    ("G", "ĜĞĠĢǦǴḠǤ"),
    ("H", "ĤȞḢḤḦḨḪĦ"),
    ("I", "ÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊƗ"),
    ("J", "Ĵ"),
    ("K", "ĶǨḰḲḴ"),
    ("L", "ĹĻĽḶḸḺḼŁĿ"),
    ("M", "ḾṀṂ"),
    ("N", "ÑŃŅŇǸṄṆṈṊ"),
    ("O", "ÒÓÔÕÖŌŎŐƠǑǪǬȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢØ"),
    ("P", "ṔṖ"),
    ("R", "ŔŖŘȐȒṘṚṜṞ"),
    ("S", "ŚŜŞŠȘṠṢṤṦṨ"),
    ("T", "ŢŤȚṪṬṮṰŦ"),
    ("U", "ÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ"),
    ("V", "ṼṾ"),
    ("W", "ŴẀẂẄẆẈ"),
    ("X", "ẊẌ"),
    ("Y", "ÝŶŸȲẎỲỴỶỸ"),
    ("Z", "ŹŻŽẐẒẔ"),
    ("AE", "ÆǢǼ"),
    ("OE", "Œ"),
    ("TH", "Þ"),
    ("SS", "ẞ"),
    ("DZ", "ǄǱ"),
    ("IJ", "Ĳ"),
    ("LJ", "Ǉ"),
    ("NJ", "Ǌ"),
];
