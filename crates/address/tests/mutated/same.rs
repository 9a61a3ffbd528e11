//! Ways to mistype, shorten and reorder an address that still mean the same home.

use fastrand::Rng;

use crate::homes::{Home, pick};

/// Street types and other words with their abbreviations.
const ABBREVIATIONS: &str = "Street=St|Road=Rd|Avenue=Ave|Lane=Ln|Close=Cl|Drive=Dr|Gardens=Gdns|\
    Terrace=Terr|Crescent=Cres.|House=Hse|Apartment=Apt|Court=Ct|'=";

/// All texts for a home, with the names of the mutations.
pub(crate) fn texts(home: &Home, random: &mut Rng) -> Vec<(&'static str, String)> {
    let mut texts = in_other_forms(home);
    texts.extend(mistyped(home, random));
    texts.extend(reordered(home, random));
    texts.extend(shortened(home, random));
    if !home.flat.is_empty() && home.marker != "Floor" && home.marker != "Unit" {
        texts.extend(with_flat(home));
    }
    if home.flat.is_empty() && !home.number.is_empty() {
        texts.extend(with_number(home));
    }
    texts
}

fn in_other_forms(home: &Home) -> Vec<(&'static str, String)> {
    let (town, county, postcode) = (home.town, home.county, &home.postcode);
    let (text, short) = (home.text(), home.without_postcode());
    let lines = home.lines().join(", ");
    let plain = lines.replace(", ", " ");
    let (lower, first) = (text.to_lowercase(), short.replace(", ", " "));
    let street = home.with(|home| home.locality = "").lines().join(" ");
    let glued = postcode.replace(' ', "").to_lowercase();
    let mut abbreviated = text.clone();
    let pairs = ABBREVIATIONS.split('|');
    for (word, abbreviation) in pairs.filter_map(|pair| pair.split_once('=')) {
        abbreviated = abbreviated.replace(word, abbreviation);
    }
    let middle = format!("{plain} {postcode} {town}");
    vec![
        ("as it is", text),
        ("lower case, no commas", lower.replace(", ", " ")),
        ("no postcode", short.clone()),
        ("no town", format!("{lines}, {postcode}")),
        ("neither town nor postcode", lines.clone()),
        ("district only", format!("{plain} {}", home.district())),
        ("street and postcode", format!("{street} {postcode}")),
        ("street and town", format!("{street} {town}")),
        ("abbreviated", abbreviated),
        ("postcode glued", format!("{plain} {glued}")),
        ("postcode first", format!("{postcode} {first}")),
        ("postcode in the middle", middle),
        ("county added", format!("{short}, {county}, {postcode}")),
        ("county for the town", format!("{lines}, {county}")),
        ("town twice", format!("{short}, {town}, {postcode}")),
    ]
}

fn mistyped(home: &Home, random: &mut Rng) -> Vec<(&'static str, String)> {
    let (text, short) = (home.text(), home.without_postcode());
    let lines = home.lines().join(", ");
    let misread = home.postcode.replace('0', "O").replacen('1', "I", 1);
    let start = &home.postcode[..home.postcode.len() - 1];
    let wrong_end = format!("{short}, {start}{}", pick(random, "C|W|X|Y|Z"));
    let mut texts = vec![
        ("one typing error", with_typos(&text, random, 1)),
        ("two typing errors", with_typos(&text, random, 2)),
        ("typing error, no postcode", with_typos(&short, random, 1)),
        ("postcode one letter wrong", wrong_end),
    ];
    let typo = with_typos(&lines, random, 1);
    let typo = format!("{typo}, {}", home.district());
    texts.push(("typing error, district only", typo));
    if misread != home.postcode {
        texts.push(("postcode misread", format!("{short}, {misread}")));
    }
    texts
}

/// Makes typing errors in words of four letters and more, never in a number or a postcode.
fn with_typos(text: &str, random: &mut Rng, count: usize) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let is_long = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters >= 4 && !word.contains(|c: char| c.is_ascii_digit())
    };
    let long: Vec<usize> = (0..words.len()).filter(|at| is_long(&words[*at])).collect();
    for at in random.choose_multiple(long, count) {
        let mut letters: Vec<char> = words[at].chars().collect();
        let end = letters.iter().rposition(|c| c.is_alphabetic()).unwrap();
        let (place, drawn) = (random.usize(..end), random.lowercase());
        match random.u8(..5) {
            0 => drop(letters.remove(place)),
            1 => letters.insert(place, letters[place]),
            2 => letters.swap(place, place + 1),
            3 => letters[place] = drawn,
            _ => letters.insert(place, drawn),
        }
        words[at] = letters.into_iter().collect();
    }
    words.join(" ")
}

fn reordered(home: &Home, random: &mut Rng) -> Vec<(&'static str, String)> {
    let Home { postcode, .. } = home;
    let (text, short) = (home.text(), home.without_postcode());
    let mut texts = Vec::new();
    if home.flat.is_empty() {
        // A flat's number between other numbers would be another address.
        let mut parts: Vec<&str> = text.split(", ").collect();
        let part = parts.remove(random.usize(..parts.len()));
        parts.insert(random.usize(..=parts.len()), part);
        texts.push(("parts in another order", parts.join(", ")));
    }
    let plain = short.replace(", ", " ");
    let mut words: Vec<&str> = plain.split(' ').collect();
    let announces = |word: &str| ["Flat", "Apartment", "Unit", "Floor"].contains(&word);
    let pairs = (1..words.len()).filter(|at| is_word(words[at - 1]) && is_word(words[*at]));
    let pairs = pairs.filter(|at| !announces(words[*at]) && words[at - 1] != "Floor");
    if let Some(at) = random.choice(pairs.collect::<Vec<_>>()) {
        words.swap(at - 1, at);
        texts.push(("words swapped", format!("{}, {postcode}", words.join(" "))));
    }
    if let Some(at) = random.choice(gaps(&text.replace(", ", " "), 1, 1)) {
        let mut joined = text.replace(", ", " ");
        joined.remove(at);
        texts.push(("a space missing", joined));
    }
    if let Some(at) = random.choice(gaps(&short, 2, 0)) {
        let (before, behind) = short.split_at(at);
        texts.push(("a space too many", format!("{before} {behind}, {postcode}")));
    }
    let country = pick(random, "UK|England|United Kingdom");
    let organisation = pick(random, "Smith & Sons Ltd|Boots|Mr J Smith|c/o The Agency");
    texts.push(("country added", format!("{text}, {country}")));
    texts.push(("organisation in front", format!("{organisation}, {text}")));
    texts
}

fn is_word(word: &str) -> bool {
    word.len() > 1 && !word.contains(|c: char| c.is_ascii_digit())
}

/// Where a text has a gap of so many spaces between so many letters on either side.
fn gaps(text: &str, letters: usize, spaces: usize) -> Vec<usize> {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let fits = |window: &&[(usize, char)]| {
        let mut window = window.iter().enumerate();
        window.all(|(at, (_, character))| match at.checked_sub(letters) {
            Some(at) if at < spaces => *character == ' ',
            Some(_) | None => character.is_alphabetic(),
        })
    };
    let windows = characters.windows(2 * letters + spaces).filter(fits);
    windows.map(|window| window[letters].0).collect()
}

fn shortened(home: &Home, random: &mut Rng) -> Vec<(&'static str, String)> {
    let mut texts = Vec::new();
    let plain = home.without_postcode().replace(", ", " ");
    let mut words: Vec<&str> = plain.split(' ').collect();
    let places: Vec<usize> = (0..words.len()).filter(|at| is_word(words[*at])).collect();
    if let Some(at) = random.choice(places) {
        words.remove(at);
        let shorter = format!("{}, {}", words.join(" "), home.postcode);
        texts.push(("a word left out", shorter));
    }
    if !home.locality.is_empty() {
        let without = home.with(|home| home.locality = "");
        texts.push(("locality left out", without.text()));
    }
    if home.number.is_empty() {
        return texts;
    }
    let number = &home.number;
    let text = home.text();
    let comma = text.replace(&format!("{number} "), &format!("{number}, "));
    texts.push(("a comma too many", comma));
    if !home.name.is_empty() {
        let without = home.with(|home| home.name.clear());
        texts.push(("house name left out", without.text()));
    }
    let parts = home.street.rsplit_once(' ');
    if let Some((street, _)) = parts.filter(|(street, _)| *street != "The") {
        let without = home.with(|home| street.clone_into(&mut home.street));
        let other = home.with(|home| home.street = format!("{street} Parade"));
        texts.push(("street type left out", without.text()));
        texts.push(("another street type", other.text()));
    }
    texts
}

fn with_flat(home: &Home) -> Vec<(&'static str, String)> {
    let (flat, marker) = (&home.flat, home.marker);
    let (town, postcode) = (home.town, &home.postcode);
    let building = home.building();
    let text = building.text();
    let mut texts = vec![
        ("flat as apt", format!("Apt {flat} {text}")),
        ("flat glued", format!("Flat{flat}, {text}")),
        ("flat without a word", format!("{flat}, {text}")),
        ("flat with no", format!("Flat No. {flat}, {text}")),
    ];
    if !home.number.is_empty() {
        let lines = building.lines().join(", ");
        let behind = format!("{lines}, {marker} {flat}, {town}, {postcode}");
        texts.push(("flat behind the street", behind));
        if home.name.is_empty() {
            texts.push(("flat with a slash", format!("{flat}/{text}")));
        }
    }
    texts
}

fn with_number(home: &Home) -> Vec<(&'static str, String)> {
    let (number, street) = (&home.number, &home.street);
    let (town, postcode) = (home.town, &home.postcode);
    let text = home.text();
    let mut texts = vec![("number with no", format!("No. {text}"))];
    if home.name.is_empty() {
        let behind = format!("{street} {number}, {town}, {postcode}");
        texts.push(("number behind the street", behind));
    }
    if number.contains('-') {
        texts.push(("range spelled out", text.replacen('-', " to ", 1)));
    }
    let Some(at) = number.find(|c: char| c.is_ascii_alphabetic()) else {
        let glued = text.replace(&format!("{number} "), number);
        texts.push(("number glued to the street", glued));
        return texts;
    };
    let (digits, letter) = number.split_at(at);
    let apart = format!("{digits} {}", letter.to_lowercase());
    texts.push(("letter apart", home.with(|home| home.number = apart).text()));
    if home.name.is_empty() {
        let building = home.with(|home| digits.clone_into(&mut home.number));
        let flat = format!("Flat {letter}, {}", building.text());
        texts.push(("letter as a flat", flat));
    }
    texts
}
