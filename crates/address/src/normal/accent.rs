//! Accented Latin capitals and their plain letters.

/// The plain letters for an accented Latin capital or ligature; `None` for any other character.
pub(super) fn fold_capital(capital: char) -> Option<&'static str> {
    // Nearly all characters are ASCII, so most calls skip the table.
    if capital.is_ascii() {
        return None;
    }
    let mut folds = FOLDS.iter();
    folds
        .find(|(_, capitals)| capitals.contains(capital))
        .map(|(plain, _)| *plain)
}

/// The letters of Latin-1, Latin Extended-A, -B and Additional, which include all Welsh letters.
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
